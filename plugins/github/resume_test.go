package github

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
		items = 750
	}
	for _, seed := range []uint64{1} {
		server, _ := many(items)
		address := server.Start(t)
		config := Source{Repositories: []string{"acme/big"}, Token: secret}
		whole := newHost()
		syncOnce(t, start(t, address, config), whole)
		if len(whole.docs) != items+2 {
			t.Fatalf("undisturbed: %d documents", len(whole.docs))
		}
		random := rand.New(rand.NewPCG(seed, 2))
		server.SetFaults(seed, 20, items/25, 1)
		broken, tries := newHost(), 0
		for done := false; !done; tries++ {
			if tries == 500 {
				t.Fatalf("seed %d: not done after %d tries, %d documents", seed, tries, len(broken.docs))
			}
			broken.stopAt = items/8 + random.IntN(items/4)
			err := start(t, address, config).sync(t.Context(), broken.cursor, broken)
			if fine := err == nil || errors.Is(err, errStopped) || passing(err); !fine {
				t.Fatalf("seed %d: %v", seed, err)
			}
			done = err == nil && len(broken.failed) == 0
			broken.crash()
		}
		if diff := cmp.Diff(whole.docs, broken.docs); diff != "" {
			t.Errorf("seed %d: %s", seed, diff)
		}
		t.Logf("seed %d: %d syncs, %d faults, %d documents sent", seed, tries, server.Struck(), broken.sent)
		if server.Struck() < items/30 || tries < 5 {
			t.Errorf("seed %d: only %d faults and %d syncs", seed, server.Struck(), tries)
		}
		server.SetFaults(seed, 1, 0, 0) // a list has no second try: any fault left would void it
		got, err := listed(t.Context(), start(t, address, config))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(ids(whole.docs), got); diff != "" {
			t.Errorf("seed %d: listed: %s", seed, diff)
		}
	}
}

// Whatever breaks while a list is read, it is an error or the whole list: a short
// one would delete documents.
func TestListIsWholeOrVoid(t *testing.T) {
	server, _ := many(450)
	address := server.Start(t)
	config := Source{Repositories: []string{"acme/big"}, Token: secret}
	want, err := listed(t.Context(), start(t, address, config))
	if err != nil || len(want) != 452 {
		t.Fatalf("%d, %v", len(want), err)
	}
	void := 0
	for seed := range uint64(40) {
		server.SetFaults(seed, 4, 1, 0)
		got, err := listed(t.Context(), start(t, address, config))
		if err != nil {
			void++
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: a short list without an error: %s", seed, diff)
		}
	}
	if void < 10 {
		t.Errorf("only %d of 40 lists met a fault", void)
	}
}

// The cursor of the most repositories that a source may hold fits.
func TestCursorFits(t *testing.T) {
	c := cursor{Settings: "0123456789abcdef", Repos: map[int64]*place{}}
	const sum = "0123456789012345678901234567890123456789"
	for n := range int64(mostRepositories) {
		c.Repos[1_000_000_000+n] = &place{
			Name: "a-long-organisation/a-repository-name", Items: 1_800_000_000, Whole: true, Talks: 1_800_000_000, Releases: "0123456789abcdef", Tree: sum,
		}
	}
	got, err := sdk.JSONCursor(c)
	if err != nil || len(got) > 64<<10 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// BenchmarkSync is the first sync of a repository of 3,000 items in this process,
// from a scripted server on loopback.
func BenchmarkSync(b *testing.B) {
	const items = 3000
	server, _ := many(items)
	address := server.Start(b)
	for b.Loop() {
		h := newHost()
		syncOnce(b, start(b, address, Source{Repositories: []string{"acme/big"}, Token: secret}), h)
		if len(h.docs) != items+2 {
			b.Fatalf("%d documents", len(h.docs))
		}
	}
	b.ReportMetric(float64(items)*float64(b.N)/b.Elapsed().Seconds(), "documents/s")
}
