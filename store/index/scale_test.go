package index_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/eval"
	"github.com/footnote-bot/footnote/store/index"
)

// scaled is a large index.
type scaled struct {
	*index.Index
	corpus   *eval.Scale
	passages int
	indexed  time.Duration // processor time; 0 where it was there already
	opened   time.Duration
	known    time.Duration   // from open to all facts set
	took     []time.Duration // by the searches
	cpu      time.Duration   // when the searches began
}

// newScaled opens an index of as many passages as SCALE says, in the folder SCALE_DIR
// if one is named: what was indexed there is used again.
func newScaled(b *testing.B) *scaled {
	n, err := strconv.Atoi(os.Getenv("SCALE"))
	if err != nil {
		b.Skip("SCALE is not set: it is the number of passages")
	}
	s, dir := &scaled{corpus: eval.NewScale(2), passages: n}, b.TempDir()
	if kept := os.Getenv("SCALE_DIR"); kept != "" {
		dir = filepath.Join(kept, strconv.Itoa(n))
	}
	if !s.open(b, dir) {
		s.fill(b)
		s.close(b)
		s.open(b, dir)
	}
	return s
}

// open tells whether the folder holds all passages.
func (s *scaled) open(b *testing.B, dir string) bool {
	start := time.Now()
	x, err := index.Open(b.Context(), dir, index.Options{Install: "scale"})
	if err != nil {
		b.Fatal(err)
	}
	s.Index, s.opened = x, time.Since(start)
	if _, passages := x.Count(); passages != s.passages {
		return false
	}
	facts := make([]core.Facts, s.passages)
	for i := range facts {
		facts[i] = s.corpus.Facts(i)
	}
	start = time.Now()
	if err := x.SetFacts(b.Context(), facts); err != nil {
		b.Fatal(err)
	}
	s.known = time.Since(start)
	return true
}

func (s *scaled) close(b *testing.B) {
	if err := s.Close(); err != nil {
		b.Error(err)
	}
}

func (s *scaled) fill(b *testing.B) {
	start := used(b)
	for i := 0; i < s.passages; i += 1000 {
		var docs []core.IndexedDocument
		for j := i; j < min(i+1000, s.passages); j++ {
			docs = append(docs, s.corpus.Document(j))
		}
		if err := s.Put(b.Context(), docs); err != nil {
			b.Fatal(err)
		}
	}
	s.indexed = used(b) - start
}

// search measures one.
func (s *scaled) search(b *testing.B, one func() error) {
	if len(s.took) == 0 {
		s.cpu = used(b)
	}
	start := time.Now()
	if err := one(); err != nil {
		b.Fatal(err)
	}
	s.took = append(s.took, time.Since(start))
}

// report comes after the loop, which forgets what was reported before it.
func (s *scaled) report(b *testing.B) {
	b.ReportMetric(float64((used(b)-s.cpu).Microseconds())/1000/float64(len(s.took)), "cpu-ms")
	b.ReportMetric(float64(eval.Percentile(s.took, 50).Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(eval.Percentile(s.took, 95).Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(s.opened.Milliseconds()), "open-ms")
	b.ReportMetric(float64(s.known.Milliseconds()), "facts-ms")
	b.ReportMetric(memory(b, "VmRSS:"), "rss-MB")
	b.ReportMetric(memory(b, "RssAnon:"), "anonymous-MB")
	if s.indexed > 0 {
		b.ReportMetric(s.indexed.Seconds(), "index-cpu-s")
	}
}

// used is the processor time of this process.
func used(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// memory reads what Linux tells of this process, in megabytes; elsewhere it is 0.
func memory(b *testing.B, what string) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, what); ok {
			kb, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				b.Fatal(err)
			}
			return float64(kb) / 1024
		}
	}
	return 0
}

// BenchmarkScale reports search and start-up times of a large index. SCALE sets
// the number of passages.
func BenchmarkScale(b *testing.B) {
	x := newScaled(b)
	defer x.close(b)
	for b.Loop() {
		q := core.KeywordQuery{Text: x.corpus.Question(), Filter: x.corpus.Filter(), Limit: 50}
		x.search(b, func() error { _, err := x.Keyword(b.Context(), q); return err })
	}
	x.report(b)
}

// BenchmarkHybrid reports the times of searches by words and by vectors of 768
// numbers together. SCALE sets the number of passages.
func BenchmarkHybrid(b *testing.B) {
	x, set := newScaled(b), core.VectorSet{Model: "m", Dimensions: 768}
	defer x.close(b)
	rng := rand.New(rand.NewPCG(3, 4))
	vector := func() []float32 {
		v := make([]float32, set.Dimensions)
		for i := range v {
			v[i] = rng.Float32() - 0.3
		}
		return v
	}
	have, err := x.Embedded(b.Context(), set)
	if err != nil {
		b.Fatal(err)
	}
	for i := len(have); i < x.passages; i += 1000 {
		var vectors []core.PassageVector
		for j := i; j < min(i+1000, x.passages); j++ {
			vectors = append(vectors, core.PassageVector{Passage: core.PassageID(j + 1), Document: x.corpus.Facts(j).Document, Vector: vector()})
		}
		if err := x.PutVectors(b.Context(), set, vectors); err != nil {
			b.Fatal(err)
		}
	}
	if err := x.UseVectors(b.Context(), set); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		q := core.HybridQuery{KeywordQuery: core.KeywordQuery{Text: x.corpus.Question(), Filter: x.corpus.Filter(), Limit: 50}, Vector: vector()}
		x.search(b, func() error { _, err := x.Hybrid(b.Context(), q); return err })
	}
	x.report(b)
}
