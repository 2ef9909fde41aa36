package githubtest

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// page answers with one page of a list, and the Link header.
func page[T any](c *call, list []T, shape func(T) any) {
	q := c.r.URL.Query()
	size, err := strconv.Atoi(cmp.Or(q.Get("per_page"), "30"))
	if err != nil || size < 1 {
		size = 30
	}
	size = min(size, 100)
	n, err := strconv.Atoi(cmp.Or(q.Get("page"), "1"))
	if err != nil || n < 1 {
		n = 1
	}
	last := max(1, (len(list)+size-1)/size)
	var links []string
	link := func(rel string, n int) {
		u := *c.r.URL
		u.Scheme, u.Host = "http", c.r.Host
		v := u.Query()
		v.Set("page", strconv.Itoa(n))
		u.RawQuery = v.Encode()
		links = append(links, fmt.Sprintf("<%s>; rel=%q", u.String(), rel))
	}
	if n > 1 {
		link("prev", n-1)
		link("first", 1)
	}
	if n < last {
		link("next", n+1)
		link("last", last)
	}
	if len(links) > 0 {
		c.Header().Set("Link", strings.Join(links, ", "))
	}
	from := min((n-1)*size, len(list))
	out := []any{}
	for _, one := range list[from:min(from+size, len(list))] {
		out = append(out, shape(one))
	}
	c.json(out)
}
