package vector

import (
	"cmp"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

const (
	benchDimensions = 768
	benchCluster    = 250 // vectors in a cluster, about
	benchQueries    = 20
	benchLimit      = 50
	benchExact      = 200_000 // more vectors than this are not kept for a comparison with each
)

// clusters makes vectors as embedding models do: all lean to one side, and each is
// one of many subjects and something of its own.
type clusters struct {
	rng     *rand.Rand
	lean    []float32
	centres [][]float32
}

func newClusters(n int) *clusters {
	c := &clusters{rng: rand.New(rand.NewPCG(3, 768))}
	c.lean = c.noise()
	for range max(1, n/benchCluster) {
		c.centres = append(c.centres, c.noise())
	}
	return c
}

func (c *clusters) noise() []float32 {
	v := make([]float32, benchDimensions)
	for i := range v {
		v[i] = float32(c.rng.NormFloat64())
	}
	return v
}

func (c *clusters) vector() []float32 {
	centre, v := c.centres[c.rng.IntN(len(c.centres))], c.noise()
	for i := range v {
		v[i] = 0.7*c.lean[i] + centre[i] + 0.8*v[i]
	}
	unit, _ := Unit(v)
	return unit
}

// truth keeps the exact best of each query.
type truth struct {
	queries [][]float32
	best    [][]Match
}

func (t *truth) offer(passage core.PassageID, unit []float32) {
	for q, query := range t.queries {
		dot := 0.0
		for i, x := range query {
			dot += float64(x * unit[i])
		}
		best := t.best[q]
		if len(best) == benchLimit && dot <= best[benchLimit-1].Cosine {
			continue
		}
		best = append(best, Match{Passage: passage, Cosine: dot})
		slices.SortFunc(best, func(a, b Match) int { return cmp.Compare(b.Cosine, a.Cosine) })
		t.best[q] = best[:min(len(best), benchLimit)]
	}
}

func (t *truth) recall(q int, found []Match) float64 {
	hits := 0
	for _, m := range found {
		if slices.ContainsFunc(t.best[q], func(b Match) bool { return b.Passage == m.Passage }) {
			hits++
		}
	}
	return float64(hits) / float64(len(t.best[q]))
}

// flat is the vectors behind a mask as they came, one after the other.
type flat struct{ numbers []float32 }

func (f *flat) add(unit []float32) { f.numbers = append(f.numbers, unit...) }

// nearest compares the query with each.
func (f *flat) nearest(query []float32) []Match {
	var best []Match
	for i := 0; i < len(f.numbers); i += benchDimensions {
		dot := float32(0)
		for j, x := range f.numbers[i : i+benchDimensions] {
			dot += x * query[j]
		}
		if len(best) == benchLimit && float64(dot) <= best[benchLimit-1].Cosine {
			continue
		}
		m := Match{Passage: core.PassageID(i / benchDimensions), Cosine: float64(dot)}
		at, _ := slices.BinarySearchFunc(best, m, func(a, b Match) int { return cmp.Compare(b.Cosine, a.Cosine) })
		best = slices.Insert(best, at, m)
		best = best[:min(len(best), benchLimit)]
	}
	return best
}

// measure is the processor time of a query, in milliseconds.
func (f *flat) measure(b *testing.B, queries [][]float32) float64 {
	cpu := cpuTime(b)
	for _, q := range queries {
		if found := f.nearest(q); len(found) != benchLimit {
			b.Fatalf("%d found", len(found))
		}
	}
	return (cpuTime(b) - cpu) / float64(len(queries))
}

// BenchmarkVector measures the search of the best 50 among 100,000 vectors of 768
// numbers, or as many as SCALE says, of which a mask lets 40 % through, and its
// recall against a comparison with each, whose time it tells too where there are not
// too many. It prints what a vector takes in memory.
func BenchmarkVector(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("SCALE"))
	if err != nil {
		n = 100_000
	}
	c, want := newClusters(n), &truth{best: make([][]Match, benchQueries)}
	for range benchQueries {
		want.queries = append(want.queries, c.vector())
	}
	before := heap()
	s, err := create(b.TempDir(), benchDimensions)
	if err != nil {
		b.Fatal(err)
	}
	defer s.close()
	mask, exact := make(Mask, n/64+1), &flat{}
	var items []Item
	for i := 1; i <= n; i++ {
		it := Item{Passage: core.PassageID(i), Owner: uint32(i), Unit: c.vector()}
		if i%5 < 2 {
			mask[i>>6] |= 1 << (i & 63)
			want.offer(it.Passage, it.Unit)
			if n <= benchExact {
				exact.add(it.Unit)
			}
		}
		if items = append(items, it); len(items) == 4096 || i == n {
			if err := s.Put(items); err != nil {
				b.Fatal(err)
			}
			items = items[:0]
		}
	}
	memory := (heap() - before - float64(4*cap(exact.numbers))) / float64(n)
	opened := openTime(b, s, n)
	v := s.View()
	defer v.Release()
	recall, q, cpu := 0.0, 0, cpuTime(b)
	for b.Loop() {
		found, err := v.Search(b.Context(), want.queries[q%benchQueries], mask, benchLimit)
		if err != nil {
			b.Fatal(err)
		}
		recall += want.recall(q%benchQueries, found)
		q++
	}
	b.ReportMetric((cpuTime(b)-cpu)/float64(q), "cpu-ms/op")
	if n <= benchExact {
		b.ReportMetric(exact.measure(b, want.queries), "exact-cpu-ms/op")
	}
	b.ReportMetric(recall/float64(q), "recall@50")
	b.ReportMetric(memory, "B/vector")
	b.ReportMetric(opened, "open-ms")
}

// openTime is how long it takes to open the set, in milliseconds.
func openTime(b *testing.B, s *Set, n int) float64 {
	owners := make(map[core.PassageID]uint32, n)
	for i := 1; i <= n; i++ {
		owners[core.PassageID(i)] = uint32(i)
	}
	start := time.Now()
	again, err := open(s.dir, benchDimensions)
	if err == nil {
		err = again.Adopt(owners)
	}
	took := time.Since(start)
	if err != nil || again.state.rows != n {
		b.Fatal(err)
	}
	if err := again.close(); err != nil {
		b.Fatal(err)
	}
	return float64(took.Microseconds()) / 1000
}

// cpuTime is what the process has used, in milliseconds.
func cpuTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}

func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
