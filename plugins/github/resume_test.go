package github

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
		items = 750
	}
	for _, seed := range []uint64{1} {
		server, _ := many(items)
		address := server.Start(t)
		config := Source{Repositories: []string{"acme/big"}, Token: secret}
		whole := hosttest.NewHost()
		syncOnce(t, start(t, address, config), whole)
		if len(whole.Docs) != items+2 {
			t.Fatalf("undisturbed: %d documents", len(whole.Docs))
		}
		random := rand.New(rand.NewPCG(seed, 2))
		server.SetFaults(seed, 20, items/25, 1)
		broken, tries := hosttest.NewHost(), 0
		for done := false; !done; tries++ {
			if tries == 500 {
				t.Fatalf("seed %d: not done after %d tries, %d documents", seed, tries, len(broken.Docs))
			}
			broken.StopAt = items/8 + random.IntN(items/4)
			err := start(t, address, config).sync(t.Context(), broken.Cursor, broken)
			if fine := err == nil || errors.Is(err, hosttest.ErrStopped) || passing(err); !fine {
				t.Fatalf("seed %d: %v", seed, err)
			}
			done = err == nil && len(broken.Failed) == 0
			broken.Crash()
		}
		if diff := cmp.Diff(whole.Docs, broken.Docs); diff != "" {
			t.Errorf("seed %d: %s", seed, diff)
		}
		t.Logf("seed %d: %d syncs, %d faults, %d documents sent", seed, tries, server.Struck(), broken.Sent)
		// Requests run side by side: which of them meet a fault differs from run to run.
		if server.Struck() < items/75 || tries < 5 {
			t.Errorf("seed %d: only %d faults and %d syncs", seed, server.Struck(), tries)
		}
		server.SetFaults(seed, 1, 0, 0) // a list has no second try: any fault left would void it
		got, err := listed(t.Context(), start(t, address, config))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(hosttest.IDs(whole.Docs), got); diff != "" {
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
		h := hosttest.NewHost()
		syncOnce(b, start(b, address, Source{Repositories: []string{"acme/big"}, Token: secret}), h)
		if len(h.Docs) != items+2 {
			b.Fatalf("%d documents", len(h.Docs))
		}
	}
	b.ReportMetric(float64(items)*float64(b.N)/b.Elapsed().Seconds(), "documents/s")
}
