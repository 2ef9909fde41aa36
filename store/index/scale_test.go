package index_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/eval"
	"github.com/footnote-bot/footnote/store/index"
)

// corpus makes passages of about 2 kB from words of Zipf frequency.
type corpus struct {
	words []string
	zipf  *rand.Zipf
	rng   *rand.Rand
}

func newCorpus() *corpus {
	c := &corpus{rng: rand.New(rand.NewPCG(1, 2))}
	c.zipf = rand.NewZipf(c.rng, 1.07, 4, 200_000)
	for i := range 200_001 {
		c.words = append(c.words, fmt.Sprintf("%c%cw%s", 'a'+i%23, 'a'+i%19, strconv.FormatInt(int64(i), 36)))
	}
	return c
}

func (c *corpus) text(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(c.words[c.zipf.Uint64()])
		b.WriteByte(' ')
	}
	return b.String()
}

func (c *corpus) document(i int) core.IndexedDocument {
	id := fmt.Sprintf("s/%d", i)
	return core.IndexedDocument{
		Facts:    core.Facts{Document: id, Source: "s", Access: core.NewAccess(core.Group("g", strconv.Itoa(i%5)))},
		Language: "en", Title: c.text(4),
		Passages: []core.Passage{{ID: core.PassageID(i + 1), Document: id, Text: c.text(330)}},
	}
}

// scaled is a large index.
type scaled struct {
	*index.Index
	passages        int
	indexed, opened time.Duration
	took            []time.Duration // by the searches
}

// newScaled fills an index with as many passages as SCALE says and opens it again.
func newScaled(b *testing.B, c *corpus) *scaled {
	n, err := strconv.Atoi(os.Getenv("SCALE"))
	if err != nil {
		b.Skip("SCALE is not set: it is the number of passages")
	}
	dir := b.TempDir()
	x, err := index.Open(b.Context(), dir, index.Options{})
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	var facts []core.Facts
	for i := 0; i < n; i += 1000 {
		var docs []core.IndexedDocument
		for j := i; j < min(i+1000, n); j++ {
			docs = append(docs, c.document(j))
			facts = append(facts, docs[len(docs)-1].Facts)
		}
		if err := x.Put(b.Context(), docs); err != nil {
			b.Fatal(err)
		}
	}
	indexed := time.Since(start)
	if err := x.Close(); err != nil {
		b.Fatal(err)
	}
	start = time.Now()
	if x, err = index.Open(b.Context(), dir, index.Options{}); err != nil {
		b.Fatal(err)
	}
	if err := x.SetFacts(b.Context(), facts); err != nil {
		b.Fatal(err)
	}
	return &scaled{Index: x, passages: n, indexed: indexed, opened: time.Since(start)}
}

// report comes after the loop, which forgets what was reported before it.
func (s *scaled) report(b *testing.B) {
	b.ReportMetric(s.indexed.Seconds(), "index-s")
	b.ReportMetric(float64(s.opened.Milliseconds()), "open-ms")
	b.ReportMetric(float64(eval.Percentile(s.took, 50).Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(eval.Percentile(s.took, 95).Microseconds())/1000, "p95-ms")
}

// scaleFilter lets two of five documents through.
var scaleFilter = core.Filter{Principals: []core.Principal{core.Group("g", "1"), core.Group("g", "3")}}

// BenchmarkScale reports search and start-up times of a large index. SCALE sets
// the number of passages.
func BenchmarkScale(b *testing.B) {
	c := newCorpus()
	x := newScaled(b, c)
	defer x.Close()
	for b.Loop() {
		q := core.KeywordQuery{Text: c.text(6), Filter: scaleFilter, Limit: 50}
		start := time.Now()
		if _, err := x.Keyword(b.Context(), q); err != nil {
			b.Fatal(err)
		}
		x.took = append(x.took, time.Since(start))
	}
	x.report(b)
}

// BenchmarkHybrid reports the times of searches by words and by vectors of 768
// numbers together. SCALE sets the number of passages.
func BenchmarkHybrid(b *testing.B) {
	c, set := newCorpus(), core.VectorSet{Model: "m", Dimensions: 768}
	x := newScaled(b, c)
	defer x.Close()
	n := x.passages
	vector := func() []float32 {
		v := make([]float32, set.Dimensions)
		for i := range v {
			v[i] = c.rng.Float32() - 0.3
		}
		return v
	}
	for i := 0; i < n; i += 1000 {
		var vectors []core.PassageVector
		for j := i; j < min(i+1000, n); j++ {
			vectors = append(vectors, core.PassageVector{Passage: core.PassageID(j + 1), Document: fmt.Sprintf("s/%d", j), Vector: vector()})
		}
		if err := x.PutVectors(b.Context(), set, vectors); err != nil {
			b.Fatal(err)
		}
	}
	if err := x.UseVectors(b.Context(), set); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		q := core.HybridQuery{KeywordQuery: core.KeywordQuery{Text: c.text(6), Filter: scaleFilter, Limit: 50}, Vector: vector()}
		start := time.Now()
		if _, err := x.Hybrid(b.Context(), q); err != nil {
			b.Fatal(err)
		}
		x.took = append(x.took, time.Since(start))
	}
	x.report(b)
}
