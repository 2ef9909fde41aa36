package discord

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
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
	whole := newHost()
	w.sync(w.source(Source{}), whole)
	if len(whole.docs) != items {
		t.Fatalf("undisturbed: %d documents", len(whole.docs))
	}
	w.dir = t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	w.relay.trouble(3, 25, items/30)
	broken, tries := newHost(), 0
	for done := false; !done; tries++ {
		if tries == 200 {
			t.Fatalf("not done after %d tries, %d documents", tries, len(broken.docs))
		}
		broken.stopAt = items/8 + random.IntN(items/4)
		err := w.source(Source{}).sync(t.Context(), broken.cursor, broken)
		if kind := sdk.KindOf(err); err != nil && !errors.Is(err, errStopped) && kind != "" && kind != "busy" {
			t.Fatal(err)
		}
		done = err == nil && len(broken.failed) == 0
		broken.crash()
	}
	if diff := cmp.Diff(whole.docs, broken.docs); diff != "" {
		t.Error(diff)
	}
	t.Logf("%d syncs, %d faults, %d documents sent", tries, w.relay.faults(), broken.sent)
	if w.relay.faults() < items/60 || tries < 5 {
		t.Errorf("only %d faults and %d syncs", w.relay.faults(), tries)
	}
	w.relay.trouble(0, 1, 0)
	if diff := cmp.Diff(ids(whole.docs), listed(t, w.source(Source{}))); diff != "" {
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
		w.relay.trouble(seed, 5, 1)
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
