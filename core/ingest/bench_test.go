package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
)

// BenchmarkSync measures documents of 2 kB into the ledger, committed and
// confirmed, with an index that costs nothing.
func BenchmarkSync(b *testing.B) {
	const n = 5000
	body := strings.Repeat("Annual leave is granted by the team lead and noted in the calendar. ", 30)
	changes := make([]core.Change, n)
	for i := range changes {
		changes[i] = upsert(fmt.Sprintf("doc-%06d", i), fmt.Sprint(i, body), core.Workspace)
	}
	for b.Loop() {
		b.StopTimer()
		w := newWorld(b)
		b.StartTimer()
		w.run(&script{changes: changes, checkpointEvery: 1000}, ingest.SyncOptions{})
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "docs/s")
}

// BenchmarkUnchanged measures a full sync that finds nothing to do.
func BenchmarkUnchanged(b *testing.B) {
	const n = 5000
	w := newWorld(b)
	c := &script{changes: pages(n), checkpointEvery: 1000}
	w.run(c, ingest.SyncOptions{})
	for b.Loop() {
		w.run(c, ingest.SyncOptions{Full: true})
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "docs/s")
}
