package index

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

const (
	benchGroups = 5000
	benchUsers  = 20_000
)

func benchGroup(n int) core.Principal { return core.Group("directory", fmt.Sprintf("team-%04d", n)) }
func benchUser(n int) core.Principal {
	return core.User(fmt.Sprintf("firstname.lastname%d@example.com", n))
}

// benchFacts is many documents in folders, with tags and dates. Three in ten
// have a list of readers that nobody else has, the others share 3000 lists.
func benchFacts(n int) *facts {
	rng := rand.New(rand.NewPCG(1, 1))
	f := newFacts()
	var shared []core.Access
	for range 3000 {
		list := []core.Principal{benchGroup(rng.IntN(benchGroups))}
		for range rng.IntN(6) {
			list = append(list, benchGroup(rng.IntN(benchGroups)))
		}
		shared = append(shared, core.NewAccess(list...))
	}
	for i := range n {
		access := shared[rng.IntN(len(shared))]
		switch {
		case i%20 == 0:
			access = core.NewAccess(core.Public)
		case i%10 < 3:
			access = core.NewAccess(benchUser(rng.IntN(benchUsers)), benchUser(rng.IntN(benchUsers)), benchUser(rng.IntN(benchUsers)), benchGroup(rng.IntN(benchGroups)))
		}
		d := core.Facts{
			Document: fmt.Sprintf("source%d/%d", i%20, i), Source: fmt.Sprintf("source%d", i%20), Access: access, Hidden: i%100 == 0,
			Folders: []string{fmt.Sprintf("source%d/space%d", i%20, i%40), fmt.Sprintf("source%d/folder%d", i%20, i%4000)},
			Tags:    []string{fmt.Sprintf("team=%d", i%50), fmt.Sprintf("kind=%d", i%7)},
			Created: time.Unix(1_600_000_000+int64(i)*1000, 0), Updated: time.Unix(1_700_000_000+int64(i)*100, 0),
		}
		f.set(f.add(d.Document, 1), d)
	}
	return f
}

// benchReaders is people with many groups each: the first half of them shared by
// all, the rest their own.
func benchReaders(people, each int) [][]core.Principal {
	rng := rand.New(rand.NewPCG(2, 2))
	out := make([][]core.Principal, people)
	for i := range out {
		list := []core.Principal{core.Public, benchUser(i)}
		for g := range each / 2 {
			list = append(list, benchGroup(g))
		}
		for len(list) < each {
			list = append(list, benchGroup(rng.IntN(benchGroups)))
		}
		out[i] = core.NewAccess(list...)
	}
	return out
}

func benchFilters() map[string]core.Filter {
	day := func(n int) time.Time { return time.Unix(1_700_000_000+int64(n)*86400, 0) }
	var ids, folders []string
	for i := range 1000 {
		ids = append(ids, fmt.Sprintf("source%d/%d", i%20, i))
		folders = append(folders, fmt.Sprintf("source%d/folder%d", i%20, i))
	}
	rule := core.Collection{Sources: []string{"source1", "source2"}, Tags: []string{"kind=1", "kind=2"}}
	asker := benchReaders(1, 500)[0]
	return map[string]core.Filter{
		"public only":         {},
		"asker of 500":        {Principals: asker},
		"bypass":              {Bypass: true, IncludeHidden: true},
		"sources":             {Bypass: true, Sources: []string{"source1", "source3", "source5"}},
		"documents":           {Bypass: true, Documents: ids},
		"tags any":            {Bypass: true, Tags: []string{"team=1", "team=2", "kind=3"}},
		"tags per key":        {Bypass: true, Tags: []string{"team=1", "team=2", "kind=3"}, TagMode: core.TagPerKey},
		"updated":             {Bypass: true, Updated: core.Range{From: day(5)}},
		"created and updated": {Bypass: true, Updated: core.Range{From: day(5)}, Created: core.Range{To: day(-300)}},
		"within":              {Bypass: true, Within: []core.Collection{rule}},
		"granted":             {Granted: []core.Collection{rule, {Folders: folders[:50]}}},
		"scope":               {Bypass: true, Collections: []core.Collection{rule}, Attached: ids, Folders: folders},
		"readers 2 of 200":    {Readers: benchReaders(2, 200)},
		"readers 20 of 200":   {Readers: benchReaders(20, 200)},
		"readers 200 of 20":   {Readers: benchReaders(200, 20)},
		"readers 200 of 200":  {Readers: benchReaders(200, 200)},
		"readers 200 of 2000": {Readers: benchReaders(200, 2000)},
		"all clauses": {
			Principals: asker, Readers: benchReaders(20, 200), Granted: []core.Collection{rule}, Sources: []string{"source1", "source3"},
			Tags: []string{"team=1", "kind=3"}, Updated: core.Range{From: day(5)}, Within: []core.Collection{rule}, Folders: folders[:100],
		},
	}
}

// BenchmarkFilter measures what each clause adds to a search of 100,000
// documents, or as many as SCALE says, and what their facts weigh. Readers are measured just after a change
// of facts too, when nothing is remembered of them.
func BenchmarkFilter(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("SCALE"))
	if err != nil {
		n = 100_000
	}
	var f *facts
	b.Run("all facts", func(b *testing.B) {
		for b.Loop() {
			f = nil
			before := heapBytes()
			f = benchFacts(n)
			b.ReportMetric((heapBytes()-before)/float64(n), "B/document")
		}
	})
	for name, q := range benchFilters() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f.allowed(q)
			}
		})
		if len(q.Readers) > 0 {
			b.Run(name+", after a change", func(b *testing.B) {
				for b.Loop() {
					f.changes++
					f.allowed(q)
				}
			})
		}
	}
}

func heapBytes() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
