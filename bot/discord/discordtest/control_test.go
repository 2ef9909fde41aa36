package discordtest_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
)

// TestConnectionControls holds what a test can do to a connection.
func TestConnectionControls(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	up := func() (*websocket.Conn, *discordtest.Connection) {
		ws := dialRaw(t, srv)
		read(t, ws)
		identify(t, ws)
		read(t, ws)
		list := srv.Connections()
		return ws, list[len(list)-1]
	}
	ws, c := up()
	c.Ping()
	if p := read(t, ws); p.Op != 1 {
		t.Errorf("got %+v, want op 1", p)
	}
	write(t, ws, map[string]any{"op": 1, "d": 2})
	if p := read(t, ws); p.Op != 11 || c.Heartbeats() != 1 || c.Intents() != discordtest.Intent(usual) {
		t.Errorf("got %+v, want op 11", p)
	}
	c.WithholdAcks(true)
	write(t, ws, map[string]any{"op": 1, "d": 2})
	srv.Eventually("the heartbeat", func() bool { return c.Heartbeats() == 2 })
	c.Raw("no JSON {")
	if _, text, err := ws.ReadMessage(); err != nil || string(text) != "no JSON {" {
		t.Errorf("got %q %v", text, err)
	}
	for _, row := range []struct {
		name string
		do   func(*discordtest.Connection, *websocket.Conn)
		code int
	}{
		{"asked for", func(c *discordtest.Connection, _ *websocket.Conn) { c.CloseWith(4000) }, 4000},
		{"token reset", func(*discordtest.Connection, *websocket.Conn) { srv.SetToken(discordtest.Token) }, 4004},
		{"unknown opcode", func(_ *discordtest.Connection, ws *websocket.Conn) { write(t, ws, map[string]any{"op": 99}) }, 4001},
		{"identify twice", func(_ *discordtest.Connection, ws *websocket.Conn) {
			write(t, ws, map[string]any{"op": 2, "d": map[string]any{"token": discordtest.Token, "intents": 1}})
		}, 4005},
		{"no JSON", func(_ *discordtest.Connection, ws *websocket.Conn) {
			_ = ws.WriteMessage(websocket.TextMessage, []byte("{"))
		}, 4002},
	} {
		t.Run(row.name, func(t *testing.T) {
			ws, c := up()
			row.do(c, ws)
			if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, row.code) {
				t.Errorf("got %v, want close code %d", err, row.code)
			}
		})
	}
	ws = dialRaw(t, srv)
	read(t, ws)
	write(t, ws, map[string]any{"op": 8, "d": map[string]any{}})
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, 4003) {
		t.Errorf("before identify: %v, want close code 4003", err)
	}
}

// TestIntentGoesOff closes the connection of a client that uses it.
func TestIntentGoesOff(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t, discordtest.WithPrivileged(discordtest.MessageContent))
	ws := dialRaw(t, srv)
	read(t, ws)
	write(t, ws, map[string]any{"op": 2, "d": map[string]any{"token": discordtest.Token, "intents": discordtest.MessageContent}})
	if p := read(t, ws); p.Type != "READY" {
		t.Fatalf("got %+v, want READY", p)
	}
	srv.SetPrivileged(discordtest.GuildMembers)
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, 4014) {
		t.Errorf("got %v, want close code 4014", err)
	}
}

// TestSilentClient closes a connection without heartbeats, and its session.
func TestSilentClient(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t, discordtest.HeartbeatEvery(10*time.Millisecond))
	ws := dialRaw(t, srv)
	read(t, ws)
	session := identify(t, ws)
	read(t, ws)
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, 4009) {
		t.Errorf("got %v, want close code 4009", err)
	}
	ws = dialRaw(t, srv)
	read(t, ws)
	write(t, ws, map[string]any{"op": 6, "d": map[string]any{"token": discordtest.Token, "session_id": session, "seq": 1}})
	if p := read(t, ws); p.Op != 9 {
		t.Errorf("got %+v, want op 9", p)
	}
}

// TestOpSevenFirst shows that discordgo v0.29.0 hangs in Open when op 7 comes
// first, which is why the product needs a watchdog; when this test fails the
// client was repaired. Open never returns, so its goroutine outlives the test.
func TestOpSevenFirst(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	srv.Plan(discordtest.ConnectionPlan{Reconnect: true})
	s := newSession(t, srv, usual)
	opened := make(chan error, 1)
	go func() { opened <- s.Open() }()
	srv.Eventually("a connection", func() bool { return srv.Dialed() == 1 })
	select {
	case err := <-opened:
		t.Errorf("Open returned: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
}

// TestOddMessages are messages that are no plain ones of people.
func TestOddMessages(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t, discordtest.WithPrivileged(discordtest.MessageContent))
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	ann := srv.Join("ann")
	robot := srv.AddUser(discordtest.User{Name: "robot", Bot: true})
	srv.AddMember(discordtest.Member{User: robot})
	_, box := connect(t, srv, usual|discordgo.IntentMessageContent)
	for id, fits := range map[string]func(*discordgo.MessageCreate) bool{
		srv.Say(general, robot, "beep"): func(m *discordgo.MessageCreate) bool { return m.Author.Bot && m.WebhookID == "" },
		srv.SayWebhook(general, "CI", "<@2002> red"): func(m *discordgo.MessageCreate) bool {
			return m.WebhookID == m.Author.ID && m.Member == nil && len(m.Mentions) == 1
		},
		srv.Say(general, ann, "", discordtest.OfType(7)):                            func(m *discordgo.MessageCreate) bool { return m.Type == discordgo.MessageTypeGuildMemberJoin },
		srv.Say(general, ann, "look", discordtest.WithEmbed("t", "d", "https://a")): func(m *discordgo.MessageCreate) bool { return len(m.Embeds) == 1 },
	} {
		await(t, box, func(m *discordgo.MessageCreate) bool { return m.ID == id && fits(m) })
	}
	first := srv.Say(general, ann, "how many?")
	srv.Edit(first, "<@2002> how many?")
	await(t, box, func(m *discordgo.MessageUpdate) bool {
		return m.ID == first && len(m.Mentions) == 1 && m.EditedTimestamp != nil
	})
	link := srv.Say(general, ann, "https://a.example")
	srv.Unfurl(link, "A", "https://a.example")
	await(t, box, func(m *discordgo.MessageUpdate) bool {
		return m.ID == link && m.EditedTimestamp == nil && len(m.Embeds) == 1
	})
	srv.Purge(general, first, link)
	await(t, box, func(e *discordgo.MessageDeleteBulk) bool { return len(e.Messages) == 2 && e.ChannelID == general })
}

// TestNonce sends once what is sent twice.
func TestNonce(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	id := func(body string) string {
		var m struct {
			ID string `json:"id"`
		}
		resp := raw(t, srv, "POST", "/channels/"+general+"/messages", body)
		if err := json.NewDecoder(resp.Body).Decode(&m); err != nil || resp.StatusCode != 200 {
			t.Fatalf("%s %v", resp.Status, err)
		}
		return m.ID
	}
	once := `{"content":"x","nonce":"n1","enforce_nonce":true}`
	if a, b := id(once), id(once); a != b || len(srv.FromBot(general)) != 1 {
		t.Errorf("%s and %s, want one message", a, b)
	}
	if a, b := id(`{"content":"x","nonce":"n2"}`), id(`{"content":"x","nonce":"n2"}`); a == b {
		t.Error("a nonce alone is no promise")
	}
	srv.Clock().Advance(10 * time.Minute)
	id(once)
	if n := len(srv.FromBot(general)); n != 4 {
		t.Errorf("%d messages, want 4", n)
	}
}
