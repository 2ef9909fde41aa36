package find

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// hit reads "7 12.5 0.61": passage, keyword score, cosine; - stands for no vector.
func hit(t *testing.T, text string) core.HybridHit {
	t.Helper()
	var id int64
	var words float64
	var vector string
	if _, err := fmt.Sscan(text, &id, &words, &vector); err != nil {
		t.Fatal(err)
	}
	h := core.HybridHit{Hit: core.Hit{Passage: core.PassageID(id), Coverage: 0.25}, Keyword: words}
	if vector != "-" {
		h.Embedded = true
		if _, err := fmt.Sscan(vector, &h.Vector); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func TestMix(t *testing.T) {
	const crowd = "10 3 0.30, 11 2.8 0.32, 12 2.6 0.28, 13 3.2 0.31, 14 2.4 0.29, 15 2.9 0.33, 16 2.7 0.27, 17 3.1 0.30"
	for name, row := range map[string]struct {
		hits  string
		share float64
		want  string // the first passages
	}{
		"nothing":                            {"", 0.75, ""},
		"one":                                {"4 2 0.1", 0.75, "4"},
		"words alone":                        {crowd + ", 1 9 0.1, 2 2 0.9", 1, "1 13 17"},
		"vectors alone":                      {crowd + ", 1 9 0.1, 2 2 0.9", 0.0001, "2 15 11"},
		"words outvote":                      {crowd + ", 1 9 0.30, 2 2.8 0.9", 0.75, "1"},
		"a lead by words beats a vector":     {crowd + ", 1 5.2 0.30, 2 3.1 0.40", 0.75, "1 2"},
		"no lead by words: the vector":       {crowd + ", 1 3.3 0.30, 2 3.1 0.40", 0.75, "2 1"},
		"another language: the vector":       {"10 0 0.50, 11 0 0.52, 12 0 0.48, 13 0 0.51, 14 0 0.49, 15 0 0.53, 16 2 0.47, 17 0 0.50, 1 0 0.9", 0.75, "1"},
		"both beat one":                      {crowd + ", 1 9 0.30, 2 9 0.5", 0.75, "2 1"},
		"a far score does not decide alone":  {crowd + ", 1 20 0.9, 2 60 0.29", 0.75, "1 2"},
		"few: by rank":                       {"1 5 0.1, 2 4 0.9, 3 3 0.2", 0.75, "1 2 3"},
		"few: by rank, vectors":              {"1 5 0.1, 2 4 0.9, 3 3 0.2", 0.25, "2 3 1"},
		"no spread in words: by rank":        {"1 0 0.1, 2 0 0.2, 3 0 0.3, 4 0 0.4, 5 0 0.5, 6 0 0.6, 7 0 0.7, 8 0 0.8, 9 5 0.1", 0.75, "9 8 7"},
		"no spread anywhere: by id":          {"3 2 0.5, 1 2 0.5, 2 2 0.5", 0.75, "1 2 3"},
		"no vectors at all: by words":        {"1 2 -, 2 9 -, 3 5 -, 4 1 -, 5 7 -, 6 3 -, 7 4 -, 8 6 -", 0.5, "2 5 8 3"},
		"not embedded keeps its words' rank": {crowd + ", 1 9 -, 2 2.5 0.31", 0.75, "1"},
	} {
		t.Run(name, func(t *testing.T) {
			var hits []core.HybridHit
			for _, one := range strings.Split(row.hits, ",") {
				if strings.TrimSpace(one) != "" {
					hits = append(hits, hit(t, one))
				}
			}
			got := Mix(hits, row.share)
			if len(got) != len(hits) {
				t.Fatalf("%d of %d hits", len(got), len(hits))
			}
			first := ""
			for _, h := range got[:min(len(got), len(strings.Fields(row.want)))] {
				first += fmt.Sprint(h.Passage, " ")
			}
			if strings.TrimSpace(first) != row.want {
				t.Errorf("got %s, want %s", first, row.want)
			}
			for i, h := range got {
				if h.Score < 0 || h.Score > 1 || h.Coverage != 0.25 || i > 0 && h.Score > got[i-1].Score {
					t.Errorf("hit %d: %+v", i, h)
				}
			}
		})
	}
}

// A passage without a vector stands between two of the same words, of which one
// has a good vector and one a bad one.
func TestWhatIsNotEmbeddedIsTreatedFairly(t *testing.T) {
	var hits []core.HybridHit
	for i := range 20 {
		hits = append(hits, hit(t, fmt.Sprintf("%d %d %f", 100+i, 1+i, 0.2+0.02*float64(i))))
	}
	hits = append(hits, hit(t, "1 15 0.95"), hit(t, "2 15 -"), hit(t, "3 15 0.2"))
	var order []core.PassageID
	for _, h := range Mix(hits, DefaultKeywordShare) {
		if h.Passage < 100 {
			order = append(order, h.Passage)
		}
	}
	if !slices.Equal(order, []core.PassageID{1, 2, 3}) {
		t.Errorf("order %v", order)
	}
}

// How deep a search goes does not change the order of its best.
func TestDepthKeepsTheOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var all []core.HybridHit
	for i := range 900 {
		h := core.HybridHit{Hit: core.Hit{Passage: core.PassageID(i + 1)}, Embedded: true}
		h.Keyword, h.Vector = max(0, r.ExpFloat64()*8-4), 0.4+0.1*r.NormFloat64()
		all = append(all, h)
	}
	best := func(n int) []core.HybridHit { // n by words and n by vector, as an index gives them
		in := map[core.PassageID]core.HybridHit{}
		for _, score := range []func(core.HybridHit) float64{
			func(h core.HybridHit) float64 { return h.Keyword }, func(h core.HybridHit) float64 { return h.Vector },
		} {
			sorted := slices.Clone(all)
			slices.SortFunc(sorted, func(a, b core.HybridHit) int { return cmp.Compare(score(b), score(a)) })
			for _, h := range sorted[:n] {
				in[h.Passage] = h
			}
		}
		return slices.SortedFunc(maps.Values(in), func(a, b core.HybridHit) int { return cmp.Compare(a.Passage, b.Passage) })
	}
	shallow, deep := Mix(best(leaders), DefaultKeywordShare), Mix(best(5*leaders), DefaultKeywordShare)
	if !slices.Equal(shallow[:20], deep[:20]) {
		t.Errorf("got %+v, deep %+v", shallow[:20], deep[:20])
	}
}

func TestNormal(t *testing.T) {
	all := []float64{1, 2, 3, 4, 5, 6, 7, 8, 1000}
	got := normal(all, all)
	if got[8] < 7 || got[8] > 10 || got[4] != 0 || got[0] >= 0 || math.Abs(got[5]+got[3]) > 1e-12 {
		t.Errorf("got %v", got)
	}
	if got := normal([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 1000}, all); got[5] != 0 || got[0] >= got[1] {
		t.Errorf("what does not lead has no say in the middle: %v", got)
	}
	if got := normal([]float64{5, 5, 9}, []float64{5, 5, 9}); !slices.Equal(got, []float64{-0.75, -0.75, 1.5}) {
		t.Errorf("few: %v", got)
	}
}
