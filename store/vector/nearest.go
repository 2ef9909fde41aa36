package vector

import "slices"

// near is a row and how far its code is from the query.
type near struct {
	row  uint32
	away int
}

// nearest keeps the rows with the nearest codes. Distances are small whole
// numbers, so that the bound is found by counting.
type nearest struct {
	keep  int
	bound int // what is further away is out
	found []near
	count []int // of found, by distance
}

func newNearest(keep, farthest int) *nearest {
	return &nearest{keep: keep, bound: farthest, found: make([]near, 0, 2*keep), count: make([]int, farthest+1)}
}

func (n *nearest) offer(row uint32, away int) {
	if away > n.bound {
		return
	}
	n.found = append(n.found, near{row, away})
	n.count[away]++
	if len(n.found) == 2*n.keep {
		n.prune()
	}
}

// prune cuts to the number of rows to keep; of equally near ones those that came
// first stay, and later ones cannot enter any more.
func (n *nearest) prune() {
	if len(n.found) <= n.keep {
		return
	}
	sum, last := 0, 0
	for sum+n.count[last] < n.keep {
		sum += n.count[last]
		last++
	}
	room := n.keep - sum // for rows at the last distance
	n.found = slices.DeleteFunc(n.found, func(f near) bool {
		switch {
		case f.away < last:
			return false
		case f.away == last && room > 0:
			room--
			return false
		}
		n.count[f.away]--
		return true
	})
	n.bound = last - 1
}

// rows are the kept ones, in order.
func (n *nearest) rows() []uint32 {
	n.prune()
	out := make([]uint32, len(n.found))
	for i, f := range n.found {
		out[i] = f.row
	}
	slices.Sort(out)
	return out
}
