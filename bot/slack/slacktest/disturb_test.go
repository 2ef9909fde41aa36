package slacktest

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"
)

func TestDropAndReconnect(t *testing.T) {
	s, client := office(t)
	b := connect(t, s, client, nil)
	for n, end := range []func(*Socket){
		(*Socket).Drop,
		func(k *Socket) { k.Disconnect("refresh_requested") },
		func(k *Socket) { k.Close(websocket.CloseGoingAway, "bye") },
	} {
		if err := s.WaitSocket(short(t), 1); err != nil {
			t.Fatal(n, err)
		}
		k := s.OpenSockets()[0]
		end(k)
		s.Eventually("the next socket", func() bool { return !k.Open() && len(s.Sockets()) == n+2 })
	}
	s.DM("U1", "still there?")
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	if got := b.inner(); len(got) != 1 {
		t.Errorf("%d events after three reconnects", len(got))
	}
	if s.Sockets()[0].Open() || !s.Sockets()[3].Open() {
		t.Error("which sockets are up is wrong")
	}
}

func TestBlackHole(t *testing.T) {
	s, client := office(t, slacks, PingEvery(20*time.Millisecond))
	s.PlanSockets(SocketPlan{Mute: true})
	b := connect(t, s, client, nil, socketmode.OptionPingInterval(150*time.Millisecond))
	if err := s.WaitSocket(short(t), 1); err != nil {
		t.Fatal(err)
	}
	s.DM("U1", "into the hole")
	s.Eventually("the event is swallowed", func() bool { return s.Sockets()[0].Sent() == 1 })
	s.Eventually("a second socket", func() bool { return len(s.OpenSockets()) == 1 && len(s.Sockets()) == 2 })
	s.Clock().Advance(3 * time.Second)
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	if got := b.events(socketmode.EventTypeEventsAPI); len(got) != 1 || got[0].Request.RetryAttempt != 1 {
		t.Errorf("%+v", got)
	}
}

func TestRefusedSocketsAndDropAfter(t *testing.T) {
	s, client := office(t, slacks, PingEvery(20*time.Millisecond))
	s.PlanSockets(SocketPlan{Refuse: http.StatusServiceUnavailable}, SocketPlan{DropAfter: 2})
	b := connect(t, s, client, nil)
	for range 4 {
		s.DM("U1", "hi")
	}
	s.Eventually("the second socket", func() bool { return len(s.Sockets()) == 2 })
	if err := s.Settle(short(t), 3*time.Second); err != nil {
		t.Fatal(err)
	}
	if len(b.events(socketmode.EventTypeConnectionError)) != 1 || s.Sockets()[0].Open() {
		t.Error("the refusal or the drop did not happen")
	}
	for _, d := range s.Deliveries("") {
		if !d.Acked {
			t.Errorf("lost: %+v", d)
		}
	}
}

func TestDisturbances(t *testing.T) {
	s, client := office(t, slacks)
	b := connect(t, s, client, nil)
	s.Disturb(Disturbance{Event: "message.im", Behind: 2})
	s.Disturb(Disturbance{Event: "message.im", Repeat: 1})
	for _, text := range []string{"one", "two", "three"} {
		s.DM("U1", text)
	}
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	s.Eventually("four events", func() bool { return len(b.inner()) == 4 })
	var got []string
	for _, e := range b.inner() {
		got = append(got, e.(*slackevents.MessageEvent).Text)
	}
	if !slices.Equal(got, []string{"two", "two", "three", "one"}) {
		t.Errorf("%v", got)
	}
	s.Disturb(Disturbance{Delay: time.Hour})
	s.Disturb(Disturbance{Drop: true})
	s.DM("U1", "late")
	s.DM("U1", "lost at first")
	s.Eventually("the dropped try", func() bool { return len(s.Deliveries("")[4].Attempts) == 1 })
	s.Clock().Advance(time.Hour)
	if err := s.WaitIdle(short(t)); err != nil {
		t.Fatal(err)
	}
	if d := s.Deliveries("")[4]; !d.Acked || len(d.Attempts) != 2 {
		t.Errorf("%+v", d)
	}
}

func TestTooManySockets(t *testing.T) {
	s, client := office(t)
	for range maxSockets {
		connect(t, s, client, nil)
	}
	if err := s.WaitSocket(short(t), maxSockets); err != nil {
		t.Fatal(err)
	}
	_, _, err := client.StartSocketModeContext(t.Context())
	wantCode(t, err, "too_many_websockets")
	s.KillToken(AppToken, "invalid_auth")
	_, _, err = client.StartSocketModeContext(t.Context())
	wantCode(t, err, "invalid_auth")
	_, _, err = slack.New(BotToken, slack.OptionAPIURL(s.URL()), slack.OptionAppLevelToken(BotToken)).StartSocketModeContext(t.Context())
	wantCode(t, err, "not_allowed_token_type")
}
