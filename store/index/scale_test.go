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

// BenchmarkScale reports search and start-up times of a large index. SCALE sets
// the number of passages.
func BenchmarkScale(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("SCALE"))
	if err != nil {
		b.Skip("SCALE is not set: it is the number of passages")
	}
	dir, c := b.TempDir(), newCorpus()
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
	defer x.Close()
	if err := x.SetFacts(b.Context(), facts); err != nil {
		b.Fatal(err)
	}
	opened := time.Since(start)
	var took []time.Duration
	filter := core.Filter{Principals: []core.Principal{core.Group("g", "1"), core.Group("g", "3")}}
	for b.Loop() {
		q := core.KeywordQuery{Text: c.text(6), Filter: filter, Limit: 50}
		start := time.Now()
		if _, err := x.Keyword(b.Context(), q); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	b.ReportMetric(indexed.Seconds(), "index-s")
	b.ReportMetric(float64(opened.Milliseconds()), "open-ms")
	b.ReportMetric(float64(eval.Percentile(took, 50).Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(eval.Percentile(took, 95).Microseconds())/1000, "p95-ms")
}
