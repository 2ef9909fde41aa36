package eval

import (
	"math"
	"slices"
	"time"
)

// NDCG is the discounted gain of the first k documents of a ranking, relative to
// the best possible one: gain = score, discount log2(rank + 1). Without a
// relevant document it is 0.
func NDCG(ranking []string, relevant map[string]int, k int) float64 {
	gains := make([]int, 0, len(relevant))
	for _, g := range relevant {
		gains = append(gains, g)
	}
	slices.SortFunc(gains, func(a, b int) int { return b - a })
	ideal := 0.0
	for i, g := range gains[:min(k, len(gains))] {
		ideal += float64(g) / math.Log2(float64(i+2))
	}
	if ideal == 0 {
		return 0
	}
	got := 0.0
	for i, id := range ranking[:min(k, len(ranking))] {
		got += float64(relevant[id]) / math.Log2(float64(i+2))
	}
	return got / ideal
}

// Recall is the share of the relevant documents among the first k of a ranking.
func Recall(ranking []string, relevant map[string]int, k int) float64 {
	if len(relevant) == 0 {
		return 0
	}
	found := 0
	for _, id := range ranking[:min(k, len(ranking))] {
		if relevant[id] > 0 {
			found++
		}
	}
	return float64(found) / float64(len(relevant))
}

// MRR is one over the rank of the first relevant document, 0 if there is none
// among the first k.
func MRR(ranking []string, relevant map[string]int, k int) float64 {
	for i, id := range ranking[:min(k, len(ranking))] {
		if relevant[id] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// Percentile is the smallest value that at least p percent of the values do not
// exceed; 0 without values.
func Percentile(values []time.Duration, p float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}
