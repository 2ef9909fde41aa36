package find

import (
	"cmp"
	"math"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// DefaultKeywordShare is how much words count beside vectors until a team's own
// questions say otherwise. A vector model of unknown quality must not outvote them.
const DefaultKeywordShare = 0.75

const (
	leaders    = 60     // the best by each half, which make the scale for all
	farZ       = 3.0    // what is farther from the middle counts by the logarithm of the rest
	mostZ      = 6.0    // at the ends of the scores that Mix returns
	leastForZ  = 8      // candidates from which the middle and the spread say something
	toSigma    = 1.4826 // makes the median distance of a normal distribution its standard deviation
	rankSpread = 1.5    // how far the first and the last lie from the middle where only ranks count
)

// Mix ranks the candidates of one query by words and by vector together. Both
// scores are made comparable (how many spreads a score lies above the middle of the
// leading candidates) and summed, words with the share given. The scores returned
// lie in 0..1; equal ones are ordered by passage id.
//
// The scores by words are taken as they are, not by their logarithm as one often
// reads: what leads by far has most of a question's rare words, and its lead is what
// says how sure the words are. So a poor vector cannot outvote words that found
// something, and where they found little and all of it alike, as for a paraphrase or
// a question in another language, the vector decides. docs/embeddings.md has the figures.
//
// A passage that has no vector yet gets the one that its words let expect, judged by
// the candidates that have both. Counting it as average would push what was
// changed last behind everything else until it is embedded, and counting its words
// alone would lift it over passages of the same words whose vectors are mediocre.
func Mix(hits []core.HybridHit, keywordShare float64) []core.Hit {
	words, vectors := scaled(hits)
	slope := agreement(hits, words, vectors)
	out := make([]core.Hit, len(hits))
	mixed := make(map[core.PassageID]float64, len(hits))
	next := 0
	for i, h := range hits {
		byVector := slope * words[i]
		if h.Embedded {
			byVector = vectors[next]
			next++
		}
		sum := keywordShare*words[i] + (1-keywordShare)*byVector
		mixed[h.Passage], out[i] = sum, h.Hit
		out[i].Score = min(1, max(0, (sum+mostZ)/(2*mostZ)))
	}
	slices.SortFunc(out, func(a, b core.Hit) int {
		return cmp.Or(cmp.Compare(mixed[b.Passage], mixed[a.Passage]), cmp.Compare(a.Passage, b.Passage))
	})
	return out
}

// scaled are the scores of all candidates by words, and of those that have one by
// vector, in the order of the candidates.
//
// Only the leaders make the scale: how deep a search goes must not change the order
// of its best, and the tail of a deep one would make every leader far.
func scaled(hits []core.HybridHit) (words, vectors []float64) {
	for _, h := range hits {
		words = append(words, max(0, h.Keyword))
		if h.Embedded {
			vectors = append(vectors, h.Vector)
		}
	}
	leastWords, leastVector := leastLeader(words), leastLeader(vectors)
	var leadWords, leadVectors []float64
	for i, h := range hits {
		byWords := words[i] > 0 && words[i] >= leastWords
		if !byWords && (!h.Embedded || h.Vector < leastVector) {
			continue
		}
		leadWords = append(leadWords, words[i])
		if h.Embedded {
			leadVectors = append(leadVectors, h.Vector)
		}
	}
	return normal(words, leadWords), normal(vectors, leadVectors)
}

// leastLeader is the lowest score that still leads.
func leastLeader(scores []float64) float64 {
	if len(scores) < leaders {
		return math.Inf(-1)
	}
	return slices.Sorted(slices.Values(scores))[len(scores)-leaders]
}

// agreement is how much of a passage's lead by words its vector confirms, 0 to 1,
// over the candidates that have a vector: the slope of the line through them.
func agreement(hits []core.HybridHit, words, vectors []float64) float64 {
	product, square, next := 0.0, 0.0, 0
	for i, h := range hits {
		if !h.Embedded {
			continue
		}
		product += words[i] * vectors[next]
		square += words[i] * words[i]
		next++
	}
	if next < leastForZ || square == 0 {
		return 0
	}
	return min(1, max(0, product/square))
}

// normal puts scores on one scale: how many spreads each lies above the middle of
// the leading ones. Middle and spread are medians, so that one far score moves
// neither. Where they say nothing only the order counts.
//
// A far score must not decide alone, so that what lies beyond farZ counts by its
// logarithm. That costs nothing: on the test sets it is within 0.002 nDCG of no bound
// with a poor model, and up to 0.01 better with a good one. Cutting off at farZ would
// make the best by words equal, which are often several and all of them far: 0.02.
func normal(scores, leading []float64) []float64 {
	if len(leading) < leastForZ {
		return byRank(scores)
	}
	middle := median(leading)
	distances := make([]float64, len(leading))
	for i, s := range leading {
		distances[i] = math.Abs(s - middle)
	}
	spread := toSigma * median(distances)
	if spread == 0 {
		return byRank(scores)
	}
	out := make([]float64, len(scores))
	for i, s := range scores {
		out[i] = near((s - middle) / spread)
	}
	return out
}

func near(z float64) float64 {
	if far := math.Abs(z) - farZ; far > 0 {
		return math.Copysign(farZ+math.Log1p(far), z)
	}
	return z
}

// byRank spreads scores evenly in their order; equal ones share their place.
func byRank(scores []float64) []float64 {
	out := make([]float64, len(scores))
	if len(scores) < 2 {
		return out
	}
	sorted := slices.Sorted(slices.Values(scores))
	for i, s := range scores {
		first, _ := slices.BinarySearch(sorted, s)
		behind := first
		for behind < len(sorted) && sorted[behind] == s {
			behind++
		}
		place := float64(first+behind-1) / 2 / float64(len(scores)-1) // 0 the lowest, 1 the highest
		out[i] = rankSpread * (2*place - 1)
	}
	return out
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}
