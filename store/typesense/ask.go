package typesense

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/typesense/typesense-go/v2/typesense"
	"github.com/typesense/typesense-go/v2/typesense/api"

	"github.com/footnote-bot/footnote/core"
)

// What a server takes in one request, as it is set up by default.
const (
	mostSearches = 50      // of one multi_search
	mostHits     = 250     // of one page
	mostBody     = 4 << 20 // bytes that we send at once; no limit of Typesense
	mostFacets   = 10000   // values of one facet
)

// question is one search of a multi_search.
type question struct {
	filter  string
	limit   int // hits of a page; 0 only counts
	page    int // from 1; 0 is 1
	sort    string
	fields  string // what to bring of each record
	group   string // brings the best record of each value of a field
	facet   string // counts the values of a field
	nearest string // a vector_query
}

// reply is what Typesense found. The client's own type has no place for the error
// of one search among several.
type reply struct {
	Code   int    `json:"code"`
	Error  string `json:"error"`
	Found  *int   `json:"found"`
	Hits   []hit  `json:"hits"`
	Groups []struct {
		Hits []hit `json:"hits"`
	} `json:"grouped_hits"`
	Facets []struct {
		Counts []struct {
			Value string `json:"value"`
		} `json:"counts"`
	} `json:"facet_counts"`
}

type hit struct {
	Document found    `json:"document"`
	Distance *float64 `json:"vector_distance"`
}

// found is the part of a record that was asked for.
type found struct {
	ID       string   `json:"id"`
	Passage  int64    `json:"passage"`
	Doc      string   `json:"doc"`
	Document string   `json:"document"`
	Windows  []string `json:"windows"`
	Source   string   `json:"source"`
	Access   []string `json:"access"`
	ACL      string   `json:"acl"`
	Folders  []string `json:"folders"`
	Tags     []string `json:"tags"`
	Shape    string   `json:"shape"`
	Sum      string   `json:"sum"`
	Judged   string   `json:"judged"`
	Origin   string   `json:"origin"`
	Kind     string   `json:"kind"`
	Title    string   `json:"title"`
	Labels   []string `json:"labels"`
	Created  int64    `json:"created"`
	Updated  int64    `json:"updated"`

	raw json.RawMessage // where the sum was asked for, with whatever else was
}

// UnmarshalJSON keeps what has no field of its own.
func (f *found) UnmarshalJSON(b []byte) error {
	type plain found
	if err := json.Unmarshal(b, (*plain)(f)); err != nil {
		return err
	}
	if f.Sum != "" {
		f.raw = slices.Clone(b)
	}
	return nil
}

func (q question) parameters(collection string) api.MultiSearchCollectionParameters {
	text := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	p := api.MultiSearchCollectionParameters{
		Collection: collection, FilterBy: text(q.filter), PerPage: &q.limit, SortBy: text(q.sort), IncludeFields: text(q.fields),
		GroupBy: text(q.group), FacetBy: text(q.facet), VectorQuery: text(q.nearest),
	}
	if q.page > 1 {
		p.Page = &q.page
	}
	if q.group != "" {
		one := 1
		p.GroupLimit = &one
	}
	if q.facet != "" {
		most := mostFacets
		p.MaxFacetValues = &most
	}
	return p
}

// ask sends questions in as few requests as the server takes. What it says of each
// comes back in their order; the first one that failed is the error.
func (x *Index) ask(ctx context.Context, collection string, questions []question) ([]reply, error) {
	out := make([]reply, 0, len(questions))
	for len(questions) > 0 {
		n, size := 0, 0
		for n < len(questions) && n < mostSearches && (n == 0 || size+len(questions[n].filter) < mostBody) {
			size += len(questions[n].filter) + len(questions[n].nearest)
			n++
		}
		part, err := x.askOnce(ctx, collection, questions[:n])
		if err != nil {
			return nil, err
		}
		out, questions = append(out, part...), questions[n:]
	}
	return out, nil
}

func (x *Index) askOnce(ctx context.Context, collection string, questions []question) ([]reply, error) {
	asked := ctx
	ctx, cancel := x.limited(ctx, 1)
	defer cancel()
	body := api.MultiSearchSearchesParameter{}
	for _, q := range questions {
		body.Searches = append(body.Searches, q.parameters(collection))
	}
	everything := "*"
	resp, err := x.client.MultiSearch.PerformWithContentType(ctx, &api.MultiSearchParams{Q: &everything}, body, "application/json")
	if err != nil {
		return nil, x.failure(asked, err)
	}
	if resp.StatusCode() != http.StatusOK {
		return nil, x.failure(asked, &typesense.HTTPError{Status: resp.StatusCode(), Body: resp.Body})
	}
	var answer struct {
		Results []reply `json:"results"`
	}
	if err := json.Unmarshal(resp.Body, &answer); err != nil || len(answer.Results) != len(questions) {
		return nil, core.Wrap(core.KindUnavailable, err, "Typesense at "+x.where+" answered a search with something else. Is index.url the address of Typesense itself?")
	}
	for _, r := range answer.Results {
		if r.Error != "" || r.Found == nil {
			said, _ := json.Marshal(map[string]string{"message": r.Error}) //nolint:errcheck // strings always are
			return nil, x.failure(asked, &typesense.HTTPError{Status: r.Code, Body: said})
		}
	}
	return answer.Results, nil
}

// askAll brings every record that passes a filter, a page at a time in the order of
// their passages, until each returns false.
func (x *Index) askAll(ctx context.Context, collection, filter, fields string, each func([]hit) bool) error {
	for after := int64(0); ; {
		page := question{filter: join(filter, "passage:>"+decimal(after)), limit: mostHits, sort: "passage:asc", fields: fields}
		replies, err := x.ask(ctx, collection, []question{page})
		if err != nil {
			return err
		}
		hits := replies[0].Hits
		if len(hits) > 0 && !each(hits) || len(hits) < mostHits {
			return nil
		}
		after = hits[len(hits)-1].Document.Passage
	}
}
