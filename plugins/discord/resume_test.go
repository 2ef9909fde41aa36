package discord

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	w.fill(w.open, items/2)
	w.fill(w.closed, items-items/2)
	whole := hosttest.NewHost()
	w.sync(w.source(Source{}), whole)
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
		err := w.source(Source{}).sync(t.Context(), broken.Cursor, broken)
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
	if diff := cmp.Diff(hosttest.IDs(whole.Docs), listed(t, w.source(Source{}))); diff != "" {
		t.Errorf("listed: %s", diff)
	}
}

// Whatever breaks while a list is read, it is an error or the whole list: a short
// one would delete documents.
func TestListIsWholeOrVoid(t *testing.T) {
	w := newWorld(t)
	w.fill(w.open, 40)
	want := listed(t, w.source(Source{}))
	void := 0
	for seed := range uint64(40) {
		w.relay.Trouble(seed, 5, 1)
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
	c := cursor{Settings: "1 1700000000 discord.example.com false", Rooms: map[string]*place{}}
	const id = snowflake(1_400_000_000_000_000_000)
	for n := range mostRooms {
		c.Rooms[(id + snowflake(n)).String()] = &place{Name: "a-channel-name-that-is-long", Done: id, To: id}
	}
	for n := range mostRetries + 1 {
		if kept := c.retry(c.Rooms[id.String()], (id + snowflake(n)).String()); kept != (n < mostRetries) {
			t.Fatalf("thread %d: %v", n, kept)
		}
	}
	c.Rooms[id.String()].At, c.Rooms[id.String()].Next = id, id
	got, err := sdk.JSONCursor(c)
	if err != nil || len(got) > 64<<10 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
