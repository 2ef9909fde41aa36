package discord

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

// world is a server with an open channel, one for a role, and a forum.
type world struct {
	t     *testing.T
	srv   *discordtest.Server
	relay *hosttest.Relay
	dir   string
	url   string
	age   string // id of a channel that is marked as age-restricted

	open, closed, forum string
	ann, bob, staff     string
}

func newWorld(t *testing.T) *world {
	srv := discordtest.New(t, discordtest.WithPrivileged(discordtest.MessageContent))
	srv.Clock().Freeze()
	w := &world{t: t, srv: srv, dir: t.TempDir()}
	w.staff = srv.AddRole(discordtest.Role{Name: "staff"})
	w.ann, w.bob = srv.Join("ann", w.staff), srv.Join("bob")
	w.open = srv.AddChannel(discordtest.Channel{Name: "general"})
	w.closed = srv.AddChannel(discordtest.Channel{Name: "plans", Overwrites: []discordtest.Overwrite{
		{ID: discordtest.Guild, Deny: discordtest.ViewChannel}, {ID: w.staff, Allow: discordtest.ViewChannel}, {ID: discordtest.BotRole, Allow: discordtest.ViewChannel},
	}})
	w.forum = srv.AddChannel(discordtest.Channel{Name: "help", Kind: discordtest.Forum})
	w.relay = newRelay(t, w)
	w.url = w.relay.Serve(t)
	return w
}

func (w *world) people() map[string]string {
	return map[string]string{w.ann: "Ann@example.com", w.bob: "bob@example.com", "999": "stranger@example.com"}
}

func (w *world) source(src Source) *Source { return start(w.t, w.srv, w.url, w.dir, src) }

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

// fill makes so many documents in a channel: every third a post of the forum, the
// others single messages that time parts from their neighbours.
func (w *world) fill(channel string, count int) {
	for n := range count {
		if n%3 == 0 {
			post := w.srv.Post(w.forum, w.ann, fmt.Sprintf("Question %d", n), "How?")
			w.srv.Say(post, w.bob, fmt.Sprintf("Like this, %d.", n))
		} else {
			w.srv.Say(channel, w.ann, fmt.Sprintf("Item %d of the list.", n))
		}
		w.pass(11 * time.Minute)
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

func wantError(t *testing.T, what string, err error, kind string, words ...string) {
	t.Helper()
	hosttest.WantError(t, what, err, discordtest.Token, kind, words...)
}
