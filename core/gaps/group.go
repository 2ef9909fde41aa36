package gaps

import (
	"cmp"
	"math"
	"slices"
)

// Group is questions that share rare words.
type Group struct {
	Terms     []string   // that most of them share, the rarest first, at most 4; those of the one question where it is alone
	Questions []Question // newest first; at least one
	Reasons   map[Reason]int
}

const (
	// alike is the share of the weight of both questions' words that a question and
	// the first of a group have to have in common.
	alike      = 0.4
	mostLabels = 4
	// mostGrouped bounds the work: it grows with the pairs that share a word.
	mostGrouped = 2000
)

// Groups puts questions together that share rare words, the largest groups first.
// Of more than 2,000 questions only the newest count. The result depends on nothing
// but the questions.
func Groups(questions []Question) []Group {
	all := slices.Clone(questions)
	slices.SortStableFunc(all, func(a, b Question) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.TurnID, b.TurnID))
	})
	all = all[:min(len(all), mostGrouped)]
	b := newBag(all)
	var leaders []int
	members := map[int][]int{}
	holding := map[string][]int{} // leaders by word
	for i := range all {
		to := b.leader(i, holding)
		if to < 0 {
			to = i
			leaders = append(leaders, i)
			for _, w := range b.terms[i] {
				holding[w] = append(holding[w], i)
			}
		}
		members[to] = append(members[to], i)
	}
	var out []Group
	for _, l := range leaders {
		out = append(out, b.group(all, members[l]))
	}
	slices.SortStableFunc(out, func(a, b Group) int { return cmp.Compare(len(b.Questions), len(a.Questions)) })
	return out
}

// bag is the words of all questions with their weights.
type bag struct {
	terms  [][]string
	weight map[string]float64
	total  []float64
}

// newBag gives each word its rarity among the questions. A word that more than half
// of a larger number of questions hold tells them not apart and weighs nothing.
func newBag(all []Question) *bag {
	b := &bag{weight: map[string]float64{}}
	df := map[string]int{}
	for _, q := range all {
		terms := Terms(q.Text)
		b.terms = append(b.terms, terms)
		for _, w := range terms {
			df[w]++
		}
	}
	for w, n := range df {
		if len(all) >= 8 && 2*n > len(all) {
			continue
		}
		b.weight[w] = math.Log(1 + float64(len(all))/float64(n))
	}
	for _, terms := range b.terms {
		sum := 0.0
		for _, w := range terms {
			sum += b.weight[w]
		}
		b.total = append(b.total, sum)
	}
	return b
}

// leader is the first question of the group that question i joins, -1 for none: the
// one with which it shares most, of equal ones the newest.
func (b *bag) leader(i int, holding map[string][]int) int {
	shared := map[int]float64{}
	for _, w := range b.terms[i] {
		for _, l := range holding[w] {
			shared[l] += b.weight[w]
		}
	}
	best, most := -1, 0.0
	for l, weight := range shared {
		// Of both together: a question of one word would join whatever holds it.
		likeness := 2 * weight / (b.total[i] + b.total[l])
		if likeness < alike || weight == 0 {
			continue
		}
		if likeness > most || likeness == most && l < best {
			best, most = l, likeness
		}
	}
	return best
}

func (b *bag) group(all []Question, members []int) Group {
	g := Group{Reasons: map[Reason]int{}}
	held := map[string]int{}
	for _, i := range members {
		g.Questions = append(g.Questions, all[i])
		for _, r := range Reasons(all[i]) {
			g.Reasons[r]++
		}
		for _, w := range b.terms[i] {
			held[w]++
		}
	}
	for w, n := range held {
		if 2*n > len(members) && b.weight[w] > 0 {
			g.Terms = append(g.Terms, w)
		}
	}
	slices.SortFunc(g.Terms, func(x, y string) int {
		return cmp.Or(cmp.Compare(held[y], held[x]), cmp.Compare(b.weight[y], b.weight[x]), cmp.Compare(x, y))
	})
	g.Terms = g.Terms[:min(len(g.Terms), mostLabels)]
	return g
}
