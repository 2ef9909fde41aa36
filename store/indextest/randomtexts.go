package indextest

import (
	"math"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// document makes up a document of one to three passages.
func (s *shelf) document(r random, id string) core.IndexedDocument {
	d := core.IndexedDocument{Facts: r.facts(id), Language: "en"}
	for n := range 1 + r.IntN(3) {
		s.last++
		d.Passages = append(d.Passages, core.Passage{ID: s.last, Document: id, Ordinal: n, Text: r.words()})
	}
	return d
}

func (r random) words() string {
	all := strings.Fields("walrus narwhal penguin herring iceberg harbour lantern whistle anchor compass")
	var out []string
	for range 1 + r.IntN(6) {
		out = append(out, all[r.IntN(len(all))])
	}
	return strings.Join(out, " ")
}

func (r random) vector(set core.VectorSet) []float32 {
	v := make([]float32, set.Dimensions)
	scale := math.Pow(10, float64(r.IntN(7)-3))
	for i := range v {
		v[i] = float32(scale * (r.NormFloat64() + 0.5))
	}
	return v
}
