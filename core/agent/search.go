package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/prompts"
)

// maxQueries is how many searches one call may ask for.
const maxQueries = 3

// searchName is the tool that can be forced.
const searchName = "internal_search"

// Searcher finds passages, best first. What it returns may be read by holders
// of the filter's principals. *find.Finder implements it.
type Searcher interface {
	Search(ctx context.Context, q Query) ([]core.Result, error)
}

// Query is one search on behalf of an audience.
type Query = find.Query

// query is a search for what the audience may read. Who asks is told only where
// they are the only reader: elsewhere nothing may depend on it.
func query(q core.Question, queries []string, filter core.Filter, limit int) Query {
	out := Query{Queries: queries, Filter: filter, Limit: limit}
	if q.Audience.AskerOnly {
		out.Viewer = &q.Viewer
	}
	return out
}

// searchTool is internal_search.
type searchTool struct {
	searcher Searcher
	limit    int
}

func (s searchTool) Spec() Spec {
	schema, err := json.Marshal(map[string]any{
		"type": "object",
		"properties": map[string]any{
			"queries": map[string]any{
				"type": "array", "items": map[string]any{"type": "string"},
				"minItems": 1, "maxItems": maxQueries, "description": prompts.SearchQueries(),
			},
		},
		"required":             []string{"queries"},
		"additionalProperties": false,
	})
	if err != nil {
		panic("agent: the schema of internal_search: " + err.Error())
	}
	return Spec{
		Tool:    model.Tool{Name: searchName, Description: prompts.SearchTool(), Schema: schema},
		Guide:   prompts.SearchGuide(),
		Example: `{"queries": ["opening hours of the office"]}`,
		Cites:   true,
		Merge:   "queries",
	}
}

func (s searchTool) Run(ctx context.Context, call Call) (Result, error) {
	queries, err := readQueries(call.Arguments)
	if err != nil {
		return Result{}, err
	}
	note := ""
	calls := max(call.Merged, 1)
	if most := maxQueries * calls; len(queries) > most {
		note = fmt.Sprintf("Only the first %d queries were run.", most)
		queries = queries[:most]
	}
	ran := func(text string) { call.Emit(core.QueryRun{Text: text}) }
	// Several calls ask for more, but not for as much as each alone.
	limit := s.limit + (calls-1)*s.limit/2
	q := query(call.Question, queries, call.Filter, limit)
	var missed []string
	q.Live, q.Missed = q.Viewer != nil, func(source string) { missed = append(missed, source) }
	out, err := s.search(ctx, call, q, ran)
	if err != nil {
		return Result{}, err
	}
	out.Note = joined(note, out.Note)
	if len(missed) > 0 {
		out.Note = joined(out.Note, prompts.Missed(missed))
	}
	return out, nil
}

// search plans the search where there is somebody to do it, else it asks what the
// model asked.
func (s searchTool) search(ctx context.Context, call Call, q Query, ran func(string)) (Result, error) {
	if call.Planning != nil {
		found, err := call.Planning.Search(ctx, find.Asked{Queries: q.Queries, Query: q, Room: call.Room, Ran: ran})
		if len(found.Results) == 0 && found.Note != "" {
			found.Note = joined(prompts.NothingFound(), found.Note)
		}
		return Result{Documents: found.Results, Note: found.Note, Search: &found.Trace}, err
	}
	for _, text := range q.Queries {
		ran(text)
	}
	found, err := s.searcher.Search(ctx, q)
	return Result{Documents: found}, err
}

// readQueries takes a list of texts, or one text where the model forgot the
// list. Errors are of kind invalid.
func readQueries(arguments json.RawMessage) ([]string, error) {
	var in struct {
		Queries json.RawMessage `json:"queries"`
	}
	if err := json.Unmarshal(arguments, &in); err != nil || in.Queries == nil {
		return nil, core.Errorf(core.KindInvalid, `the field "queries" is missing`)
	}
	var list []string
	if json.Unmarshal(in.Queries, &list) != nil {
		var one string
		if json.Unmarshal(in.Queries, &one) != nil {
			return nil, core.Errorf(core.KindInvalid, `"queries" must be a list of texts`)
		}
		list = []string{one}
	}
	var out []string
	for _, q := range list {
		if q = strings.TrimSpace(q); q != "" {
			out = append(out, q)
		}
	}
	if len(out) == 0 {
		return nil, core.Errorf(core.KindInvalid, `"queries" holds no text to search for`)
	}
	return out, nil
}
