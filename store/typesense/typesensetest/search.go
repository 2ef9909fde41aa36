//lint:file-ignore ST1005 these are the words of the server that is played

package typesensetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// parameters are those of one search that the server knows.
type parameters struct {
	Collection string `json:"collection"`
	Filter     string `json:"filter_by"`
	PerPage    *int   `json:"per_page"`
	Page       int    `json:"page"`
	Sort       string `json:"sort_by"`
	Fields     string `json:"include_fields"`
	Group      string `json:"group_by"`
	GroupLimit int    `json:"group_limit"`
	Facet      string `json:"facet_by"`
	MaxFacets  int    `json:"max_facet_values"`
	Vector     string `json:"vector_query"`
}

func (s *Server) multiSearch(r *http.Request, body []byte) (int, any) {
	var in struct {
		Searches []json.RawMessage `json:"searches"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return bad(err.Error())
	}
	if len(in.Searches) > mostSearches {
		return bad("Number of multi searches exceeds `limit_multi_searches` parameter.")
	}
	if q := r.URL.Query().Get("q"); q != "*" {
		s.t.Errorf("the loopback server searches by filters and vectors only, not by the text %q", q)
	}
	results := []any{}
	for _, text := range in.Searches {
		var p parameters
		d := json.NewDecoder(strings.NewReader(string(text)))
		d.DisallowUnknownFields()
		if err := d.Decode(&p); err != nil {
			s.t.Errorf("the loopback server does not know this search: %v", err)
		}
		results = append(results, s.one(p))
	}
	return http.StatusOK, map[string]any{"results": results}
}

// failed is what stands in place of the result of one search among several.
type failed struct {
	Code  int    `json:"code"`
	Error string `json:"error"`
}

func (s *Server) one(p parameters) any {
	c := s.find(p.Collection)
	if c == nil {
		return failed{http.StatusNotFound, "Not found."}
	}
	perPage := 10
	if p.PerPage != nil {
		perPage = *p.PerPage
	}
	if perPage > mostPage {
		return failed{http.StatusUnprocessableEntity, "Only upto 250 hits can be fetched per page."}
	}
	pass, err := c.filter(p.Filter)
	if err != nil {
		return failed{http.StatusBadRequest, err.Error()}
	}
	all, err := c.ranked(pass, p)
	if err != nil {
		return failed{http.StatusBadRequest, err.Error()}
	}
	out := map[string]any{"found": len(all), "out_of": len(c.records), "page": max(p.Page, 1), "search_time_ms": 0, "hits": []any{}}
	if p.Facet != "" {
		f, ok := c.field(p.Facet)
		if !ok || !f.Facet {
			return failed{http.StatusNotFound, "Could not find a facet field named `" + p.Facet + "` in the schema."}
		}
		out["facet_counts"] = []any{map[string]any{"field_name": p.Facet, "counts": counts(all, p.Facet, p.MaxFacets)}}
	}
	if p.Group == "" {
		hits := []any{}
		for _, m := range page(all, p.Page, perPage) {
			hits = append(hits, m.hit(p.Fields))
		}
		out["hits"] = hits
		return out
	}
	if f, ok := c.field(p.Group); !ok || !f.Facet {
		return failed{http.StatusNotFound, "Group by field `" + p.Group + "` should be a facet field."}
	}
	groups := grouped(all, p)
	out["found"], out["grouped_hits"] = len(groups), page(groups, p.Page, perPage)
	return out
}

func page[T any](all []T, number, size int) []T {
	from := min(len(all), (max(number, 1)-1)*size)
	return all[from:min(len(all), from+size)]
}

// match is a record that passed.
type match struct {
	record
	distance *float64
}

func (m match) hit(fields string) map[string]any {
	document := maps.Clone(m.values)
	if fields != "" {
		document = map[string]any{}
		for name := range strings.SplitSeq(fields, ",") {
			if v, ok := m.values[name]; ok {
				document[name] = v
			}
		}
	}
	out := map[string]any{"document": document, "highlights": []any{}}
	if m.distance != nil {
		out["vector_distance"] = *m.distance
	}
	return out
}

// ranked lists what passes: by distance, by a number, or the newest first.
func (c *collection) ranked(passes pass, p parameters) ([]match, error) {
	var all []match
	for _, d := range c.records {
		if passes(d.values) {
			all = append(all, match{record: d})
		}
	}
	slices.SortFunc(all, func(a, b match) int { return b.serial - a.serial })
	sort := p.Sort
	if p.Vector != "" {
		var err error
		if all, err = c.nearest(all, p.Vector); err != nil {
			return nil, err
		}
		byDistance := func(a, b match) int { return cmp.Compare(*a.distance, *b.distance) }
		rest, ok := strings.CutPrefix(sort, "_vector_distance:asc,")
		if !ok || rest != "passage:asc" {
			slices.SortStableFunc(all, byDistance)
			return all, nil
		}
		defer func() { slices.SortStableFunc(all, byDistance) }()
		sort = rest
	}
	if sort == "" {
		return all, nil
	}
	name, order, _ := strings.Cut(sort, ":")
	if f, ok := c.field(name); !ok || f.Type != "int64" || order != "asc" {
		return nil, fmt.Errorf("Could not find a field named `%s` in the schema for sorting.", name)
	}
	number := func(m match) int64 {
		n, _ := m.values[name].(json.Number)
		x, _ := n.Int64()
		return x
	}
	slices.SortStableFunc(all, func(a, b match) int { return cmp.Compare(number(a), number(b)) })
	return all, nil
}

// grouped keeps the first records of each value, groups in the order of these.
func grouped(all []match, p parameters) []map[string]any {
	at := map[string]int{}
	out := []map[string]any{}
	for _, m := range all {
		value, _ := m.values[p.Group].(string)
		i, known := at[value]
		if !known {
			i = len(out)
			at[value] = i
			out = append(out, map[string]any{"group_key": []any{value}, "found": 0, "hits": []any{}})
		}
		out[i]["found"] = out[i]["found"].(int) + 1
		if hits := out[i]["hits"].([]any); len(hits) < p.GroupLimit {
			out[i]["hits"] = append(hits, m.hit(p.Fields))
		}
	}
	return out
}

func counts(all []match, name string, most int) []any {
	by := map[string]int{}
	for _, m := range all {
		value, _ := m.values[name].(string)
		by[value]++
	}
	out := []any{}
	for _, value := range slices.Sorted(maps.Keys(by)) {
		if len(out) < max(most, 10) {
			out = append(out, map[string]any{"value": value, "highlighted": value, "count": by[value]})
		}
	}
	return out
}
