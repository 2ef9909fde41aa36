package config

import "strings"

// Nearest returns the candidate that differs from word by the fewest edits, or
// "" if none is close enough to be what was meant.
func Nearest(word string, candidates []string) string {
	best, distance := "", len([]rune(word))/2+1
	for _, c := range candidates {
		if d := edits(strings.ToLower(word), strings.ToLower(c)); d < distance {
			best, distance = c, d
		}
	}
	return best
}

// edits is the Levenshtein distance with swapped neighbours counted as one.
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			rows[i][j] = cheapest(rows, x, y, i, j)
		}
	}
	return rows[len(x)][len(y)]
}

func cheapest(rows [][]int, x, y []rune, i, j int) int {
	cost := 1
	if x[i-1] == y[j-1] {
		cost = 0
	}
	best := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
	if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
		best = min(best, rows[i-2][j-2]+1)
	}
	return best
}
