package slack

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

// world is a small company with a public channel, a private one and one that the
// bot is not in.
type world struct {
	t     *testing.T
	srv   *slacktest.Server
	relay *hosttest.Relay
	dir   string
	url   string

	search atomic.Value // a func from a query to JSON of messages
}

func newWorld(t *testing.T) *world {
	srv := slacktest.New(t)
	srv.Clock().Freeze()
	for _, u := range []slacktest.User{
		{ID: "U1", Name: "ann", DisplayName: "Ann", Email: "Ann@example.com"}, {ID: "U2", Name: "bob", Email: "bob@example.com"},
		{ID: "U3", Name: "gil", Email: "gil@guest.test", Guest: true}, {ID: "U4", Name: "eve", Email: "ann@rival.test", Unconfirmed: true},
		{ID: "U5", Name: "old", Email: "old@example.com", Deleted: true}, {ID: "UB", Name: "ci", Bot: true, BotID: "BCI"},
	} {
		srv.AddUser(u)
	}
	srv.AddChannel(slacktest.Channel{ID: "C1", Name: "general", Members: []string{"U1", "U2", "U3", "U4", "U5", "UB", slacktest.BotUser}})
	srv.AddChannel(slacktest.Channel{ID: "C2", Name: "plans", Kind: slacktest.Private, Members: []string{"U1", "U4", slacktest.BotUser}})
	srv.AddChannel(slacktest.Channel{ID: "C3", Name: "lunch", Members: []string{"U1"}})
	srv.AddUserGroup(slacktest.UserGroup{ID: "S1", Handle: "support", Users: []string{"U1"}})
	w := &world{t: t, srv: srv, dir: t.TempDir()}
	w.relay = newRelay(t, w)
	w.url = w.relay.Serve(t)
	return w
}

func (w *world) source(src Source) *Source { return start(w.t, w.srv, w.url, w.dir, src) }

func (w *world) say(channel, user, text string) string { return w.srv.Message(channel, user, text) }

// pass lets time go by.
func (w *world) pass(d time.Duration) { w.srv.Clock().Advance(d) }

// sharp moves to the next full hour.
func (w *world) sharp() {
	now := w.srv.Clock().Now()
	w.pass(now.Truncate(time.Hour).Add(time.Hour).Sub(now))
}

func (w *world) sync(src *Source, h *hosttest.Host) {
	w.t.Helper()
	if err := src.sync(w.t.Context(), h.Cursor, h); err != nil {
		w.t.Fatal(err)
	}
}

func listed(t *testing.T, src *Source) []string {
	t.Helper()
	var out []string
	if err := src.list(t.Context(), func(id string) error { out = append(out, id); return nil }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// fill makes so many documents in a channel: every third a thread, the others
// single messages that time parts from their neighbours.
func (w *world) fill(channel string, count int) {
	for n := range count {
		ts := w.say(channel, []string{"U1", "U4"}[n%2], fmt.Sprintf("Item %d of the list.", n))
		if n%3 == 0 {
			w.srv.Reply(channel, ts, "U1", fmt.Sprintf("Seen, %d.", n))
		}
		w.pass(11 * time.Minute)
	}
}

func wantError(t *testing.T, what string, err error, kind string, words ...string) {
	t.Helper()
	hosttest.WantError(t, what, err, slacktest.BotToken, kind, words...)
}
