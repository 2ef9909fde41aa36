package discord

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

// forge has a user send what a button or form with this custom_id would send.
func (w *world) forge(user, guild, channel, custom string) {
	w.t.Helper()
	a := w.bot.apps[0]
	i := interaction{ID: w.id(), Token: "forged", Guild: guild, Channel: channel}
	if i.User = forger(user); guild != "" {
		i.Member, i.User = &memberInfo{User: i.User}, nil
	}
	action, value, _ := strings.Cut(custom, ":")
	r := a.newReply(i, true)
	p := press{i, a.requestOf(w.t.Context(), i, action, r), value}
	switch action {
	case actStop:
		a.stopPressed(w.t.Context(), p)
	case actDown:
		a.votedDown(w.t.Context(), i, value)
	case viewReason:
		a.vote(w.t.Context(), p, false, "forged")
	default:
		actions[action](a, w.t.Context(), p)
	}
	w.settled()
}

func forger(id string) *user { return &user{ID: id, Name: "forger"} }

// Buttons and forms of answers that only somebody else can see do nothing, and tell
// nothing of the question.
func TestForgedButtonsOfOthersPrivateAnswers(t *testing.T) {
	w := newWorld(t, nil)
	w.linked(w.ann, "ann@example.com")
	w.set(w.general, settingsWith(w.hal))
	w.script(append([]step{cited(1, "public#a", "https://example.com/a")}, say("Walrus [1].")...)...)
	w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "my ephemeral secret?"})
	w.Eventually("an answer", func() bool { return strings.Contains(strings.Join(w.whispers(w.ann), ""), "Walrus") })
	dm := w.OpenDM(w.ann)
	w.DM(w.ann, "my direct secret?")
	w.Eventually("an answer", func() bool { return strings.Contains(strings.Join(w.answers(dm), ""), "Walrus") })
	w.settled()
	w.mem.mu.Lock()
	ids := slices.Sorted(maps.Keys(w.mem.posted))
	w.mem.mu.Unlock()
	if len(ids) != 2 {
		t.Fatalf("answers %v", ids)
	}
	own := w.OpenDM(w.bob)
	list := append(slices.Sorted(maps.Keys(actions)), actDown, viewReason, actStop)
	for _, id := range ids {
		for _, action := range list {
			if action == actHelped {
				continue
			}
			w.forge(w.bob, discordtest.Guild, w.general, action+":"+id)
			w.forge(w.bob, "", own, action+":"+id)
			w.bot.apps[0].clicks = newClicks()
		}
	}
	if n := len(w.questions()); n != 2 {
		t.Errorf("%d questions", n)
	}
	w.mem.mu.Lock()
	if len(w.mem.votes) > 0 || len(w.mem.helps) > 0 {
		t.Errorf("votes %+v, calls for help %+v", w.mem.votes, w.mem.helps)
	}
	w.mem.mu.Unlock()
	for _, said := range [][]string{w.answers(own), w.whispers(w.bob), w.answers(w.general), w.answers(w.OpenDM(w.hal))} {
		none(t, said, "secret")
		none(t, said, "Walrus")
	}
}

// Whoever says stop, or forges its button, stops answers of their own conversation;
// who manages a server stops what stands in it for everybody.
func TestStopReachesOnlyItsOwnTalk(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(w *world, id string){
		"the word, in another direct message":        func(w *world, _ string) { w.DM(w.bob, "stop") },
		"the word, by who may configure":             func(w *world, _ string) { w.DM(w.hal, "stop") },
		"the button, by who may configure":           func(w *world, id string) { w.forge(w.hal, "", w.OpenDM(w.hal), actStop+":"+id) },
		"the button, by who manages a server":        func(w *world, id string) { w.forge(discordtest.Owner, discordtest.Guild, w.general, actStop+":"+id) },
		"the button, from the channel of the server": func(w *world, id string) { w.forge(w.bob, discordtest.Guild, w.general, actStop+":"+id) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.Apps[0].Admins = []string{"9999"} })
			w.bot.apps[0].config.Admins[0] = w.hal
			w.script(append(say("It begins. "), step{wait: "go"}, step{event: core.TextDelta{Delta: "It ends."}})...)
			dm := w.OpenDM(w.ann)
			w.DM(w.ann, "take your time")
			w.Eventually("a draft", func() bool { return strings.Contains(strings.Join(w.answers(dm), ""), "begins") })
			open := w.bot.apps[0].running.find(func(*answer) bool { return true })
			go func() { time.Sleep(500 * time.Millisecond); w.let("go") }()
			stop(w, open[0].id)
			w.Eventually("the end", func() bool { return strings.Contains(strings.Join(w.answers(dm), ""), "It ends.") })
			w.settled()
			none(t, w.answers(dm), "Stopped")
			none(t, w.answers(w.OpenDM(w.bob)), "Only who asked")
		})
	}
}

// A server that the owner took back gets nothing more, also not by the buttons of
// answers that stand there.
func TestButtonsOfAServerThatWasReleased(t *testing.T) {
	var b *Bindings
	w := stillWorld(t)
	b = NewBindings(w.mem, nil)
	code, _, err := b.Begin(t.Context(), discordtest.Guild, "acme", core.Account{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Confirm(t.Context(), code); err != nil {
		t.Fatal(err)
	}
	w.start(func(o *Options) { o.Apps[0].Guilds, o.Binder = nil, b })
	m := w.answered("how many days of leave?")
	w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "a private one?"})
	w.Eventually("an answer", func() bool { return len(w.whispers(w.ann)) == 1 && strings.Contains(w.whispers(w.ann)[0], "Fourteen") })
	w.settled()
	if err := b.Release(t.Context(), discordtest.Guild); err != nil {
		t.Fatal(err)
	}
	posts := len(w.FromBot(w.general))
	for _, button := range m.Buttons {
		w.Click(w.ann, m.ID, button.CustomID)
		w.settled()
	}
	for _, e := range w.Ephemerals(w.ann)[:1] {
		for _, button := range e.Buttons {
			w.Click(w.ann, e.ID, button.CustomID)
			w.settled()
		}
	}
	if n := len(w.FromBot(w.general)); n != posts {
		t.Errorf("%d messages more", n-posts)
	}
	if n := len(w.questions()); n != 2 {
		t.Errorf("%d questions", n)
	}
	if len(w.mem.votes) > 0 {
		t.Errorf("votes %+v", w.mem.votes)
	}
}

// Who may not write in a channel does not get the bot to do it for them.
func TestSharingNeedsTheRightToWrite(t *testing.T) {
	w := newWorld(t, nil)
	w.linked(w.ann, "ann@example.com")
	w.script(append([]step{cited(1, "public#leave", "https://example.com/leave")}, say("Fourteen days [1].")...)...)
	w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "how many days of leave?"})
	w.Eventually("an answer", func() bool { return len(w.whispers(w.ann)) == 1 && strings.Contains(w.whispers(w.ann)[0], "Fourteen") })
	w.settled()
	w.SetOverwrite(w.general, discordtest.Overwrite{ID: w.ann, Member: true, Deny: discordtest.SendMessages})
	e := w.Ephemerals(w.ann)[0]
	w.Click(w.ann, e.ID, "Share here")
	w.Eventually("a refusal", func() bool { return strings.Contains(strings.Join(w.whispers(w.ann), ""), "cannot write") })
	w.forge(w.ann, discordtest.Guild, w.general, actOpenly+":"+idOf(e))
	if n := len(w.FromBot(w.general)); n != 0 {
		t.Errorf("%d messages", n)
	}
}

// An event of a channel that lost its server is not a direct message, and nobody's
// own rights count in conversations that the bot is not in.
func TestEventsFromOutside(t *testing.T) {
	w := newWorld(t, nil)
	w.linked(w.ann, "ann@example.com")
	w.Emit("MESSAGE_CREATE", map[string]any{"id": snowflake(), "channel_id": w.general, "content": "not for you", "type": 0,
		"author": map[string]any{"id": w.ann, "username": "ann"}})
	w.settled()
	w.Emit("MESSAGE_CREATE", map[string]any{"id": snowflake(), "channel_id": w.general, "content": "<@" + discordtest.BotUser + "> and now?", "type": 0,
		"author": map[string]any{"id": w.ann, "username": "ann"}})
	q := w.question(1)
	if q.Place.ID != placeID(discordtest.Guild, w.general) || q.Audience.AskerOnly {
		t.Errorf("asked in %+v for %+v", q.Place, q.Audience)
	}
	w.settled()
	for name, more := range map[string]map[string]any{
		"between people":        {"context": 2, "user": map[string]any{"id": w.ann, "username": "ann"}},
		"a server without name": {"context": 0, "member": map[string]any{"user": map[string]any{"id": w.ann}, "roles": []string{}}},
	} {
		for kind, data := range map[int]map[string]any{
			2: {"name": "ask", "type": 1, "options": []any{map[string]any{"name": "question", "type": 3, "value": "the salaries?"}, map[string]any{"name": "show", "type": 5, "value": true}}},
			3: {"custom_id": actPrivate + ":x", "component_type": 2}, 4: {"name": "ask", "type": 1, "options": []any{map[string]any{"name": "collection", "type": 3, "value": "", "focused": true}}},
			5: {"custom_id": viewAbout + ":x", "components": []any{map[string]any{"type": 77}}},
		} {
			before := len(w.Calls("POST /interactions/{id}/{token}/callback"))
			body := map[string]any{"id": snowflake(), "application_id": discordtest.AppID, "token": "t", "type": kind, "channel_id": w.general, "data": data}
			maps.Copy(body, more)
			w.Emit("INTERACTION_CREATE", body)
			w.Eventually("an answer", func() bool { return len(w.Calls("POST /interactions/{id}/{token}/callback")) > before })
			w.settled()
			for _, c := range w.Calls("POST /interactions/{id}/{token}/callback")[before:] {
				var said struct {
					Type int `json:"type"`
					Data struct {
						Flags   int   `json:"flags"`
						Choices []any `json:"choices"`
					} `json:"data"`
				}
				if err := json.Unmarshal(c.Body, &said); err != nil || kind != 4 && said.Data.Flags&64 == 0 || len(said.Data.Choices) > 0 {
					t.Errorf("%s, %d: %s", name, kind, c.Body)
				}
			}
		}
	}
	if n := len(w.questions()); n != 1 {
		t.Errorf("%d questions", n)
	}
}

func snowflake() string {
	time.Sleep(2 * time.Millisecond)
	return fmt.Sprint((time.Now().UnixMilli() - epoch) << 22)
}

// A form that somebody else opened, or that was used, is not answered.
func TestFormsOfOthers(t *testing.T) {
	w := newWorld(t, nil)
	w.set(w.general, bot.Settings{})
	p := newPending()
	p.put("1", message{Content: "x"}, w.ann)
	if _, ok := p.take("1", w.bob); ok {
		t.Error("bob got ann's")
	}
	if _, ok := p.take("1", w.ann); !ok {
		t.Error("ann did not get hers")
	}
	if _, ok := p.take("1", w.ann); ok {
		t.Error("twice")
	}
	m := w.Say(w.general, w.ann, "what ann read")
	w.ContextMenu(w.general, w.ann, commandAbout, m)
	w.Eventually("a form", func() bool { _, _, _, open := w.Modal(w.ann); return open })
	_, custom, _, _ := w.Modal(w.ann)
	a := w.bot.apps[0]
	_, id, _ := strings.Cut(custom, ":")
	i := interaction{ID: "5", Token: "t", Guild: discordtest.Guild, Channel: w.general, Member: &memberInfo{User: &user{ID: w.bob}}}
	if _, ok := a.pending.take(id, i.by().ID); ok {
		t.Error("bob got the message of ann's form")
	}
}

// Only who was called for help says that it was given.
func TestOnlyHelpersResolve(t *testing.T) {
	w := newWorld(t, nil)
	w.set(w.general, settingsWith(w.hal))
	m := w.answered("how many days of leave?")
	w.Click(w.bob, m.ID, "I need a human")
	dm := w.OpenDM(w.hal)
	w.Eventually("the call", func() bool { return len(w.FromBot(dm)) == 1 })
	w.settled()
	call := w.FromBot(dm)[0]
	w.forge(w.bob, discordtest.Guild, w.general, call.Buttons[0].CustomID)
	_, id, _ := strings.Cut(call.Buttons[0].CustomID, ":")
	if h, err := w.mem.Help(t.Context(), id); err != nil || !h.Resolved.IsZero() {
		t.Errorf("got %+v, %v", h, err)
	}
	w.Click(w.hal, call.ID, "Resolved")
	w.settled()
	if h, err := w.mem.Help(t.Context(), id); err != nil || h.Resolved.IsZero() {
		t.Errorf("got %+v, %v", h, err)
	}
}
