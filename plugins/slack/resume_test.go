package slack

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

// A sync that is stopped and resumed over and over, of a server that fails, ends
// with the same documents as one that nothing disturbs.
func TestStoppedAndResumed(t *testing.T) {
	items := 3000
	if testing.Short() {
		items = 300
	}
	w := newWorld(t)
	for n := range 6 {
		id := fmt.Sprintf("C1%d", n)
		w.srv.AddChannel(slacktest.Channel{ID: id, Name: "room-" + id, Members: []string{"U1", "U4", slacktest.BotUser}})
		w.fill(id, items/6)
	}
	config := Source{Channels: []string{"room-*"}}
	whole := hosttest.NewHost()
	w.sync(w.source(config), whole)
	if len(whole.Docs) != items {
		t.Fatalf("undisturbed: %d documents", len(whole.Docs))
	}
	w.dir = t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	w.relay.Trouble(3, 25, items/30)
	broken, tries := hosttest.NewHost(), 0
	for done := false; !done; tries++ {
		if tries == 200 {
			t.Fatalf("not done after %d tries, %d documents", tries, len(broken.Docs))
		}
		broken.StopAt = items/8 + random.IntN(items/4)
		err := w.source(config).sync(t.Context(), broken.Cursor, broken)
		if kind := sdk.KindOf(err); err != nil && !errors.Is(err, hosttest.ErrStopped) && kind != "" && kind != "busy" {
			t.Fatal(err)
		}
		done = err == nil && len(broken.Failed) == 0
		broken.Crash()
	}
	if diff := cmp.Diff(whole.Docs, broken.Docs); diff != "" {
		t.Error(diff)
	}
	t.Logf("%d syncs, %d faults, %d documents sent", tries, w.relay.Struck(), broken.Sent)
	if w.relay.Struck() < items/60 || tries < 5 {
		t.Errorf("only %d faults and %d syncs", w.relay.Struck(), tries)
	}
	w.relay.Trouble(0, 1, 0)
	if diff := cmp.Diff(hosttest.IDs(whole.Docs), listed(t, w.source(config))); diff != "" {
		t.Errorf("listed: %s", diff)
	}
}

// Whatever breaks while a list is read, it is an error or the whole list: a short
// one would delete documents.
func TestListIsWholeOrVoid(t *testing.T) {
	w := newWorld(t)
	w.fill("C1", 40)
	want := listed(t, w.source(Source{}))
	void := 0
	for seed := range uint64(40) {
		w.relay.Trouble(seed, 3, 1)
		var got []string
		err := w.source(Source{}).list(t.Context(), func(id string) error { got = append(got, id); return nil })
		if err != nil {
			void++
		} else if len(got) != len(want) {
			t.Fatalf("seed %d: a short list without an error", seed)
		}
	}
	if void < 10 {
		t.Errorf("only %d of 40 lists met a fault", void)
	}
}

// The cursor of the most channels that a source may have fits.
func TestCursorFits(t *testing.T) {
	c := cursor{Settings: "1 1700000000 slack.example.com", Channels: map[string]*place{}}
	for n := range mostChannels {
		id := fmt.Sprintf("C0%05dABCD", n)
		p := c.at(channel{id: id, name: "a-channel-name-that-is-long"})
		p.Done, p.To, p.At = 1_800_000_000, 1_800_000_000, 1_800_000_000
		c.retry(p, stamp(1_800_000_000*second).String())
		for m := range 3 {
			c.live(p, stamp(1_800_000_000*second+stamp(m+3*n)).String())
		}
	}
	got, err := sdk.JSONCursor(c)
	if err != nil || len(c.Channels) != mostChannels {
		t.Fatal(err, len(c.Channels))
	}
	t.Logf("%d bytes", len(got))
	if len(got) > 64<<10 {
		t.Errorf("%d bytes", len(got))
	}
}
