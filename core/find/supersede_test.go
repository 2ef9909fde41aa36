package find_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
)

type open []string // documents that may be read

func (o open) Readable(_ context.Context, _ core.Filter, documents []string) (map[string]bool, error) {
	out := map[string]bool{}
	for _, id := range documents {
		for _, may := range o {
			out[id] = out[id] || id == may
		}
	}
	return out, nil
}

// Passages 1 to 4 are found in this order, of documents s/a to s/d.
func TestSuperseded(t *testing.T) {
	for name, row := range map[string]struct {
		next map[string]string
		open open
		want []core.PassageID
	}{
		"nobody says so":                      {nil, open{"s/b"}, []core.PassageID{1, 2, 3, 4}},
		"behind its successor":                {map[string]string{"a": "d"}, open{"s/d"}, []core.PassageID{2, 3, 4, 1}},
		"successor closed":                    {map[string]string{"a": "d"}, open{}, []core.PassageID{1, 2, 3, 4}},
		"successor not found but readable":    {map[string]string{"a": "z"}, open{"s/z"}, []core.PassageID{2, 1, 3, 4}},
		"already behind":                      {map[string]string{"d": "a"}, open{"s/a"}, []core.PassageID{1, 2, 3, 4}},
		"by itself":                           {map[string]string{"a": "a"}, open{"s/a"}, []core.PassageID{1, 2, 3, 4}},
		"one another":                         {map[string]string{"a": "b", "b": "a"}, open{"s/a", "s/b"}, []core.PassageID{1, 2, 3, 4}},
		"another source has no say over this": {map[string]string{"a": "t/b"}, open{"t/b", "s/b"}, []core.PassageID{1, 2, 3, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			s := versions(row.next)
			got, err := find.New(find.Options{Index: s, Gate: s, Successors: row.open}).Search(t.Context(), find.Query{Queries: []string{"q"}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, ids(got)); diff != "" {
				t.Errorf("passages (-want +got):\n%s", diff)
			}
		})
	}
}

// Of two versions with nearly the same text the successor stays, whichever was found
// first and whichever was changed last.
func TestSupersededByNearlyTheSame(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for name, row := range map[string]struct {
		next map[string]string
		last core.PassageID // changed last
		want core.PassageID
	}{
		"the old one was changed last":  {map[string]string{"a": "b"}, 1, 2},
		"the successor is the newer":    {map[string]string{"a": "b"}, 2, 2},
		"the old one is found second":   {map[string]string{"b": "a"}, 2, 1},
		"no version of one another":     {nil, 2, 2},
		"each the successor of another": {map[string]string{"a": "b", "b": "a"}, 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := versions(row.next)
			for id, r := range s.results {
				r.Document.Updated = now
				if id == row.last {
					r.Document.Updated = now.Add(time.Hour)
				}
				if id < 3 {
					r.Passage.Text = "the same words"
				}
				s.results[id] = r
			}
			f := find.New(find.Options{Index: s, Gate: s, Successors: open{"s/a", "s/b"}, Now: func() time.Time { return now }})
			got, err := f.Search(t.Context(), find.Query{Queries: []string{"q"}})
			if err != nil || len(got) != 3 {
				t.Fatalf("%d results, %v", len(got), err)
			}
			if found := ids(got); !slices.Contains(found, row.want) {
				t.Errorf("found %v, want %d among them", found, row.want)
			}
		})
	}
}

func versions(next map[string]string) *shelf {
	s := newShelf("a1 b2 c3 d4")
	s.rankings["q"] = []core.PassageID{1, 2, 3, 4}
	for id, r := range s.results {
		name := r.Document.ID
		r.Document = core.Document{ID: "s/" + name, Source: "s", ExternalID: name}
		if to := next[name]; to != "" {
			r.Document.Meta = map[string]string{core.MetaSupersededBy: to}
		}
		r.Passage.Document = r.Document.ID
		s.results[id] = r
	}
	return s
}

// Where a source decides at reading time, a successor that it did not let through
// must not show in the order.
func TestSupersededByWhatACensorHides(t *testing.T) {
	s := versions(map[string]string{"a": "d"})
	keep := func(hide string) find.Censors {
		return censors{"s": func(_ context.Context, _ core.Viewer, p []core.Result) ([]core.Verdict, error) {
			out := make([]core.Verdict, len(p))
			for i, r := range p {
				out[i].Keep = r.Document.ID != hide
			}
			return out, nil
		}}
	}
	for hide, want := range map[string][]core.PassageID{"s/d": {1, 2, 3}, "s/c": {2, 4, 1}} {
		f := find.New(find.Options{Index: s, Gate: s, Successors: open{"s/d"}, Censors: keep(hide)})
		got, err := f.Search(t.Context(), find.Query{Queries: []string{"q"}, Viewer: &core.Viewer{Email: "ann@example.com"}})
		f.Close()
		if diff := cmp.Diff(want, ids(got)); diff != "" || err != nil {
			t.Errorf("%s hidden: %v, passages (-want +got):\n%s", hide, err, diff)
		}
	}
}

func TestMinScore(t *testing.T) {
	s := versions(nil) // all cover a half
	for least, want := range map[float64]int{0: 4, 0.5: 4, 0.51: 0} {
		got, err := find.New(find.Options{Index: s, Gate: s, MinScore: least}).Search(t.Context(), find.Query{Queries: []string{"q"}})
		if err != nil || len(got) != want {
			t.Errorf("at least %v: %d results, %v, want %d", least, len(got), err, want)
		}
	}
}

// A condition and a folder find no document of which title and metadata may not be said.
func TestConditionsTellNothing(t *testing.T) {
	s := versions(nil)
	f := find.New(find.Options{Index: s, Gate: s})
	for what, filter := range map[string]core.Filter{
		"a condition": {Where: &core.Where{Op: core.WhereAnd}},
		"a folder":    {Under: []core.FolderScope{{Folder: "s/f", Levels: core.AnyDepth}}},
	} {
		for want, named := range map[string]func(core.Document) bool{
			"": nil, "b d": func(d core.Document) bool { return strings.Contains("s/b s/d", d.ID) },
		} {
			got, err := f.Search(t.Context(), find.Query{Queries: []string{"q"}, Filter: filter, Named: named})
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, r := range got {
				found = append(found, r.Document.ExternalID)
			}
			if strings.Join(found, " ") != want {
				t.Errorf("%s: found %q, want %q", what, found, want)
			}
		}
	}
}

func TestWhy(t *testing.T) {
	s := versions(map[string]string{"a": "d"})
	s.rankings["r"] = []core.PassageID{4}
	var told []find.Reason
	var order []core.PassageID
	got, err := find.New(find.Options{Index: s, Gate: s, Successors: open{"s/d"}}).Search(t.Context(), find.Query{
		Queries: []string{"q", "r", "the passages 4"}, Limit: 3,
		Why: func(r core.Result, why find.Reason) { told, order = append(told, why), append(order, r.Passage.ID) },
	})
	if err != nil || !cmp.Equal(ids(got), order) {
		t.Fatalf("told of %v, found %v, %v", order, ids(got), err)
	}
	first := told[0]
	want := []find.ReasonQuery{{Text: "q", Rank: 4, Score: 1}, {Text: "r", Rank: 1, Score: 1}}
	if diff := cmp.Diff(want, first.Queries); diff != "" || order[0] != 4 {
		t.Errorf("queries of passage %d (-want +got):\n%s", order[0], diff)
	}
	if diff := cmp.Diff([]string{"passage", "4"}, first.Words); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	if f := first.Factors; f.Recency != 1 || f.Votes != 1 || f.Name != 1 || f.Superseded != 1 || first.Before != got[0].Score {
		t.Errorf("factors %+v, before %v, score %v", f, first.Before, got[0].Score)
	}
}
