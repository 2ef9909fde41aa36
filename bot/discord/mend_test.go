package discord

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

// What a crash left is mended where it stood; what only its asker may see never
// becomes a message of the channel.
func TestMendingKeepsToTheReaders(t *testing.T) {
	w := newWorld(t, nil)
	own := w.bot.apps[0].own()
	mine := w.answered("how many days of leave?").ID // stands for a draft
	dm, err := w.bot.apps[0].api.openDirect(t.Context(), w.bob)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		private bool
		refs    []string
		s       standing
		edited  bool // the draft
		channel bool // a message of the channel
		direct  bool
		open    bool // it has to be tried again
		fault   string
	}{
		{name: "a draft", refs: []string{mine}, edited: true},
		{name: "a draft that is gone", refs: []string{"12345"}, channel: true},
		{name: "nothing was shown yet", channel: true},
		{name: "a private one whose time is over", private: true, refs: []string{"12345"}, s: standing{Token: "x", Until: time.Now().Add(-time.Minute)}, direct: true},
		{name: "a private one whose token is refused", private: true, s: standing{Token: "x", Until: time.Now().Add(time.Minute)}, direct: true},
		{name: "a public one whose token is refused", refs: []string{mine}, s: standing{Token: "x", Until: time.Now().Add(time.Minute)}, edited: true},
		{name: "Discord is down", refs: []string{mine}, open: true, fault: "PATCH /channels/{channel}/messages/{message}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.s.App, c.s.Guild, c.s.Channel, c.s.User = own.App, discordtest.Guild, w.general, w.bob
			extra, err := json.Marshal(c.s)
			if err != nil {
				t.Fatal(err)
			}
			if c.fault != "" {
				w.Fail(c.fault, discordtest.Fault{Times: -1, Status: 400, Code: 50035, Message: "no"})
			}
			count := func(channel string) (n int) {
				for _, text := range w.answers(channel) {
					n += strings.Count(text, "interrupted")
				}
				return n
			}
			edits, here, there := w.FromBot(w.general)[0].Edits, len(w.FromBot(w.general)), count(dm)
			w.bot.apps[0].mendOne(t.Context(), core.Posted{ID: c.name, Private: c.private, Refs: c.refs, Open: true, Extra: extra})
			if got := w.FromBot(w.general)[0].Edits > edits; got != c.edited {
				t.Errorf("the draft was edited: %v", got)
			}
			if got := len(w.FromBot(w.general)) > here; got != c.channel {
				t.Errorf("a message of the channel: %v", got)
			}
			if got := count(dm) > there; got != c.direct {
				t.Errorf("a direct message: %v", got)
			}
			p, err := w.mem.Posted(t.Context(), c.name)
			if (err != nil) != c.open || err == nil && p.Open {
				t.Errorf("still open: %v, %v", p.Open, err)
			}
		})
	}
}

// Of an answer in several messages the last says what happened, the others go.
func TestMendingTakesEarlierMessagesAway(t *testing.T) {
	w := newWorld(t, nil)
	first, last := w.answered("one?").ID, w.answered("two?").ID
	extra, err := json.Marshal(standing{App: w.bot.apps[0].own().App, Guild: discordtest.Guild, Channel: w.general, User: w.ann})
	if err != nil {
		t.Fatal(err)
	}
	p := core.Posted{ID: "x", Refs: []string{first, last}, Open: true, Extra: extra}
	w.Fail("DELETE /channels/{channel}/messages/{message}", discordtest.Fault{Times: mostAttempts, Status: 500})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	w.bot.apps[0].mendOne(ctx, p)
	if _, err := w.mem.Posted(t.Context(), "x"); err == nil {
		t.Error("it was marked as mended although a message is left")
	}
	w.Heal()
	w.bot.apps[0].mendOne(t.Context(), p)
	one(t, w.answers(w.general), "interrupted")
	if got, err := w.mem.Posted(t.Context(), "x"); err != nil || got.Open {
		t.Errorf("got %+v, %v", got, err)
	}
}
