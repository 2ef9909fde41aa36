package discordtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
)

func TestReadyAndGuild(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t, discordtest.Future())
	staff := srv.AddRole(discordtest.Role{Name: "staff", Permissions: discordtest.ManageGuild})
	srv.Join("ann", staff)
	general := srv.AddChannel(discordtest.Channel{Name: "general", Overwrites: []discordtest.Overwrite{{ID: staff, Deny: discordtest.SendMessages}}})
	srv.AddChannel(discordtest.Channel{Name: "talk", Kind: discordtest.PublicThread, Parent: general})
	srv.AddChannel(discordtest.Channel{Name: "hidden", Kind: discordtest.PrivateThread, Parent: general})
	s, box := connect(t, srv, usual)
	ready := await(t, box, func(*discordgo.Ready) bool { return true })
	if ready.User.ID != discordtest.BotUser || ready.Application.ID != discordtest.AppID || len(ready.Guilds) != 1 {
		t.Errorf("ready: %+v", ready)
	}
	g := await(t, box, func(e *discordgo.GuildCreate) bool { return !e.Unavailable })
	if len(g.Members) != 1 || g.Members[0].User.ID != discordtest.BotUser || g.MemberCount != 3 {
		t.Errorf("without the intent only the bot is a member: %d of %d", len(g.Members), g.MemberCount)
	}
	if len(g.Threads) != 1 || g.Threads[0].Name != "talk" {
		t.Errorf("threads that the bot sees: %v", g.Threads)
	}
	ch, err := s.State.Channel(general)
	if err != nil || len(ch.PermissionOverwrites) != 1 || ch.PermissionOverwrites[0].Deny != discordgo.PermissionSendMessages {
		t.Errorf("overwrites of general: %v %v", ch, err)
	}
	srv.Emit("SOMETHING_NEW", map[string]any{"a": []int{1}})
	srv.Say(general, discordtest.Owner, "still here")
	await(t, box, func(m *discordgo.MessageCreate) bool { return m.GuildID == discordtest.Guild && m.Member != nil })
}

func TestMembersNeedTheIntent(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t, discordtest.WithPrivileged(discordtest.GuildMembers))
	ann := srv.Join("ann")
	s, box := connect(t, srv, usual|discordgo.IntentGuildMembers)
	if g := await(t, box, func(*discordgo.GuildCreate) bool { return true }); len(g.Members) != 3 {
		t.Errorf("%d members, want 3", len(g.Members))
	}
	srv.ChangeMember(discordtest.Guild, ann, func(m *discordtest.Member) { m.Nick = "Annie" })
	await(t, box, func(e *discordgo.GuildMemberUpdate) bool { return e.User.ID == ann && e.Nick == "Annie" })
	got, err := s.GuildMembers(discordtest.Guild, "", 1000)
	if err != nil || len(got) != 3 {
		t.Errorf("list: %d members, %v", len(got), err)
	}
	if err := s.RequestGuildMembers(discordtest.Guild, "an", 5, "n1", false); err != nil {
		t.Fatal(err)
	}
	await(t, box, func(e *discordgo.GuildMembersChunk) bool { return len(e.Members) == 1 && e.Nonce == "n1" })
	srv.RemoveMember(discordtest.Guild, ann)
	await(t, box, func(e *discordgo.GuildMemberRemove) bool { return e.User.ID == ann })
}

// TestRefusedIdentify holds the close codes of bad identifies.
func TestRefusedIdentify(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	for name, row := range map[string]struct {
		token   string
		intents discordgo.Intent
		code    int
	}{
		"wrong token":        {"Bot wrong", usual, 4004},
		"privileged intent":  {"Bot " + discordtest.Token, usual | discordgo.IntentMessageContent, 4014},
		"members intent":     {"Bot " + discordtest.Token, usual | discordgo.IntentGuildMembers, 4014},
		"intent of no event": {"Bot " + discordtest.Token, 1 << 30, 4013},
	} {
		t.Run(name, func(t *testing.T) {
			ws := dialRaw(t, srv)
			read(t, ws)
			write(t, ws, map[string]any{"op": 2, "d": map[string]any{"token": row.token, "intents": row.intents}})
			_, _, err := ws.ReadMessage()
			var closed *websocket.CloseError
			if !errors.As(err, &closed) || closed.Code != row.code {
				t.Errorf("got %v, want close code %d", err, row.code)
			}
		})
	}
	s := newSession(t, srv, usual|discordgo.IntentMessageContent)
	s.ShouldReconnectOnError = false
	if err := s.Open(); !websocket.IsCloseError(err, 4014) {
		t.Errorf("the client got %v, want close code 4014", err)
	}
}

type rawPacket struct {
	Op   int             `json:"op"`
	Type string          `json:"t"`
	Seq  int             `json:"s"`
	Data json.RawMessage `json:"d"`
}

func dialRaw(t *testing.T, srv *discordtest.Server) *websocket.Conn {
	t.Helper()
	ws, _, err := websocket.DefaultDialer.Dial(srv.GatewayURL()+"/?v=9&encoding=json", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	_ = ws.SetReadDeadline(time.Now().Add(2 * time.Minute))
	return ws
}

func read(t *testing.T, ws *websocket.Conn) rawPacket {
	t.Helper()
	var p rawPacket
	if err := ws.ReadJSON(&p); err != nil {
		t.Fatal(err)
	}
	return p
}

func write(t *testing.T, ws *websocket.Conn, v any) {
	t.Helper()
	if err := ws.WriteJSON(v); err != nil {
		t.Fatal(err)
	}
}

func identify(t *testing.T, ws *websocket.Conn) (session string) {
	t.Helper()
	write(t, ws, map[string]any{"op": 2, "d": map[string]any{"token": discordtest.Token, "intents": usual}})
	p := read(t, ws)
	var ready struct {
		Session string `json:"session_id"`
	}
	if err := json.Unmarshal(p.Data, &ready); err != nil || p.Type != "READY" {
		t.Fatalf("got %+v, want READY", p)
	}
	return ready.Session
}

// TestResume replays what a client missed, in order and once.
func TestResume(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	ws := dialRaw(t, srv)
	read(t, ws)
	session := identify(t, ws)
	guild := read(t, ws)
	srv.Disturb(discordtest.Disturbance{Event: "MESSAGE_CREATE", Lose: true})
	srv.Say(general, discordtest.Owner, "lost on its way")
	_ = ws.NetConn().Close()
	srv.Eventually("the end of the connection", func() bool { return len(srv.Connections()) == 0 })
	srv.Say(general, discordtest.Owner, "missed")
	resume := func(seq int) *websocket.Conn {
		ws := dialRaw(t, srv)
		read(t, ws)
		write(t, ws, map[string]any{"op": 6, "d": map[string]any{"token": discordtest.Token, "session_id": session, "seq": seq}})
		return ws
	}
	ws = resume(guild.Seq)
	for i, want := range []string{"MESSAGE_CREATE", "MESSAGE_CREATE", "RESUMED"} {
		if p := read(t, ws); p.Type != want || p.Seq != guild.Seq+1+i {
			t.Errorf("packet %d: %s %d, want %s %d", i, p.Type, p.Seq, want, guild.Seq+1+i)
		}
	}
	if c := srv.Connections(); len(c) != 1 || !c[0].Resumed() {
		t.Error("the connection does not count as resumed")
	}
	if p := read(t, resume(1000)); p.Op != 9 || string(p.Data) != "false" {
		t.Errorf("a resume from the future: %+v, want op 9", p)
	}
	if p := read(t, resume(guild.Seq)); p.Op != 9 {
		t.Errorf("a resume of a dead session: %+v, want op 9", p)
	}
	ws = dialRaw(t, srv)
	read(t, ws)
	session = identify(t, ws)
	if err := ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(1000, "")); err != nil {
		t.Fatal(err)
	}
	srv.Eventually("the end of the connection", func() bool { return len(srv.Connections()) == 3 })
	if p := read(t, resume(1)); p.Op != 9 {
		t.Errorf("a resume after a normal close: %+v, want op 9", p)
	}
}

// TestClientReconnects lets the real client live through op 7, op 9 and a drop.
func TestClientReconnects(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	_, box := connect(t, srv, usual)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	srv.Connections()[0].Reconnect()
	srv.Say(general, discordtest.Owner, "in between")
	if err := srv.Wait(ctx, func() bool { c := srv.Connections(); return len(c) == 1 && c[0].Resumed() }); err != nil {
		t.Fatalf("no resume after op 7: %v", err)
	}
	await(t, box, func(m *discordgo.MessageCreate) bool { return m.Author.ID == discordtest.Owner })
	srv.Connections()[0].Invalidate(false)
	up := func(after int) func() bool {
		return func() bool {
			c := srv.Connections()
			return srv.Identified() >= 2 && len(c) == 1 && c[0].Number() > after && c[0].Ready()
		}
	}
	if err := srv.Wait(ctx, up(0)); err != nil {
		t.Fatalf("no identify after op 9: %v", err)
	}
	dropped := srv.Connections()[0]
	dropped.Drop()
	if err := srv.Wait(ctx, up(dropped.Number())); err != nil {
		t.Fatalf("no connection after a drop: %v", err)
	}
	id := srv.Say(general, discordtest.Owner, "after all")
	await(t, box, func(m *discordgo.MessageCreate) bool { return m.ID == id })
}

// TestWithheldAcks makes the client give a connection up.
func TestWithheldAcks(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t, discordtest.HeartbeatEvery(50*time.Millisecond))
	srv.Plan(discordtest.ConnectionPlan{NoAcks: true})
	_, _ = connect(t, srv, usual)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if err := srv.Wait(ctx, func() bool {
		c := srv.Connections()
		return len(c) == 1 && c[0].Number() >= 2 && c[0].Ready() && c[0].Heartbeats() > 2
	}); err != nil {
		t.Fatalf("no second connection: %v", err)
	}
}

// TestPlans looks at single connections without a client's help.
func TestPlans(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	srv.Plan(discordtest.ConnectionPlan{Refuse: 503}, discordtest.ConnectionPlan{Reconnect: true}, discordtest.ConnectionPlan{Invalid: true},
		discordtest.ConnectionPlan{Close: 4008}, discordtest.ConnectionPlan{ReadyIn: time.Minute}, discordtest.ConnectionPlan{Silent: true})
	if _, resp, err := websocket.DefaultDialer.Dial(srv.GatewayURL()+"/", nil); err == nil || resp.StatusCode != 503 {
		t.Errorf("refused: %v", err)
	}
	ws := dialRaw(t, srv)
	if a, b := read(t, ws), read(t, ws); a.Op != 10 || b.Op != 7 {
		t.Errorf("got op %d and %d, want 10 and 7", a.Op, b.Op)
	}
	ws = dialRaw(t, srv)
	read(t, ws)
	write(t, ws, map[string]any{"op": 2, "d": map[string]any{"token": discordtest.Token, "intents": 1}})
	if p := read(t, ws); p.Op != 9 {
		t.Errorf("got %+v, want op 9", p)
	}
	identify(t, ws) // on the same connection
	ws = dialRaw(t, srv)
	read(t, ws)
	write(t, ws, map[string]any{"op": 2, "d": map[string]any{"token": discordtest.Token, "intents": 1}})
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, 4008) {
		t.Errorf("got %v, want close code 4008", err)
	}
	srv.Clock().Freeze()
	ws = dialRaw(t, srv)
	read(t, ws)
	before := srv.Identified()
	go func() {
		srv.Eventually("the client identifies", func() bool { return srv.Identified() > before })
		srv.Clock().Advance(2 * time.Minute)
	}()
	identify(t, ws)
	ws = dialRaw(t, srv)
	_ = ws.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if _, _, err := ws.ReadMessage(); err == nil {
		t.Error("a silent connection said something")
	}
}

// TestBlackHole keeps what the dead connection did not get for a resume.
func TestBlackHole(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	ws := dialRaw(t, srv)
	read(t, ws)
	session := identify(t, ws)
	guild := read(t, ws)
	srv.Connections()[0].BlackHole()
	srv.Say(general, discordtest.Owner, "into the dark")
	_ = ws.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if _, raw, err := ws.ReadMessage(); err == nil {
		t.Fatalf("the black hole sent %s", raw)
	}
	ws = dialRaw(t, srv)
	read(t, ws)
	write(t, ws, map[string]any{"op": 6, "d": map[string]any{"token": discordtest.Token, "session_id": session, "seq": guild.Seq}})
	if p := read(t, ws); p.Type != "MESSAGE_CREATE" {
		t.Errorf("got %+v, want the message", p)
	}
}

// TestDisturb repeats and delays.
func TestDisturb(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	_, box := connect(t, srv, usual)
	srv.Disturb(discordtest.Disturbance{Event: "MESSAGE_CREATE", Repeat: 2})
	srv.Disturb(discordtest.Disturbance{Event: "MESSAGE_CREATE", Delay: time.Hour})
	srv.Say(general, discordtest.Owner, "thrice")
	late := srv.Say(general, discordtest.Owner, "late")
	last := srv.Say(general, discordtest.Owner, "overtakes")
	await(t, box, func(m *discordgo.MessageCreate) bool { return m.ID == last })
	if n := box.count("MESSAGE_CREATE"); n != 4 {
		t.Errorf("%d messages came, want 3 and 1", n)
	}
	srv.Clock().Advance(2 * time.Hour)
	await(t, box, func(m *discordgo.MessageCreate) bool { return m.ID == late })
}

// TestContentIntent holds who gets the text of a message.
func TestContentIntent(t *testing.T) {
	t.Parallel()
	srv := discordtest.New(t)
	general := srv.AddChannel(discordtest.Channel{Name: "general"})
	ann := srv.Join("ann")
	s, box := connect(t, srv, usual)
	mine, err := s.ChannelMessageSend(general, "mine")
	if err != nil {
		t.Fatal(err)
	}
	plain := srv.Say(general, ann, "plain", discordtest.WithFiles(discordtest.File{Name: "a.txt", Data: []byte("x")}))
	for id, want := range map[string]string{plain: "", mine.ID: "mine", srv.Mention(general, ann, "hi"): "<@2002> hi",
		srv.DM(ann, "dear bot"): "dear bot", srv.Reply(general, ann, mine.ID, "to you"): "to you"} {
		m := await(t, box, func(m *discordgo.MessageCreate) bool { return m.ID == id })
		if m.Content != want {
			t.Errorf("content %q, want %q", m.Content, want)
		}
	}
	if m, err := s.ChannelMessage(general, plain); err != nil || m.Content != "" || len(m.Attachments) != 0 {
		t.Errorf("REST gives %v %v", m, err)
	}
	srv.SetPrivileged(discordtest.MessageContent)
	if m, err := s.ChannelMessage(general, plain); err != nil || m.Content != "plain" || len(m.Attachments) != 1 {
		t.Errorf("with the intent allowed REST gives %v %v", m, err)
	}
}
