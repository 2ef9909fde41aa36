//lint:file-ignore ST1005 these are the words of the server that is played

package typesensetest

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var vectorQuery = regexp.MustCompile(`^(\w+):\(\[([0-9.,\-]*)\], k:(\d+), flat_search_cutoff:(\d+)\)$`)

func (c *collection) nearest(all []match, query string) ([]match, error) {
	parts := vectorQuery.FindStringSubmatch(query)
	if parts == nil {
		return nil, errors.New("Malformed vector query string.")
	}
	f, ok := c.field(parts[1])
	if !ok || f.NumDim == 0 {
		return nil, fmt.Errorf("Field `%s` does not have a vector query index.", parts[1])
	}
	var wanted []float64
	for text := range strings.SplitSeq(parts[2], ",") {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, errors.New("Malformed vector query string: one of the vector values is not a float.")
		}
		wanted = append(wanted, n)
	}
	if len(wanted) != f.NumDim {
		return nil, fmt.Errorf("Query field `%s` must have %d dimensions.", f.Name, f.NumDim)
	}
	k, err := strconv.Atoi(parts[3])
	if err != nil {
		return nil, err
	}
	var out []match
	for _, m := range all {
		if v, ok := vectorOf(m.values[f.Name]); ok {
			d := 1 - cosine(wanted, v)
			m.distance = &d
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b match) int { return cmp.Compare(*a.distance, *b.distance) })
	return out[:min(len(out), k)], nil
}

func cosine(a, b []float64) float64 {
	dot, x, y := 0.0, 0.0, 0.0
	for i := range a {
		dot, x, y = dot+a[i]*b[i], x+a[i]*a[i], y+b[i]*b[i]
	}
	return dot / math.Sqrt(x*y)
}
