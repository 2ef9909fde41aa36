package slack

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// world is a small company with a public channel, a private one and one that the
// bot is not in.
type world struct {
	t     *testing.T
	srv   *slacktest.Server
	relay *relay
	dir   string
	url   string
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
	w := &world{t: t, srv: srv, relay: newRelay(srv), dir: t.TempDir()}
	w.url = w.relay.serve(t)
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

func (w *world) sync(src *Source, h *host) {
	w.t.Helper()
	if err := src.sync(w.t.Context(), h.cursor, h); err != nil {
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

func ids(docs map[string]sdk.Document) []string {
	var out []string
	for id := range docs {
		out = append(out, id)
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

// wantError holds an error against its kind and words.
func wantError(t *testing.T, what string, err error, kind string, words ...string) {
	t.Helper()
	if err == nil || sdk.KindOf(err) != kind {
		t.Errorf("%s: want %q, got %q: %v", what, kind, sdk.KindOf(err), err)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %q is not in: %v", what, w, err)
		}
	}
	if strings.Contains(err.Error(), slacktest.BotToken) {
		t.Errorf("%s: the error holds the token", what)
	}
}
