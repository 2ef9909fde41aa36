package find_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
)

// censors are the censors by source.
type censors map[string]censor

func (c censors) CensorOf(source string) (core.Censor, bool) {
	found, ok := c[source]
	return found, ok
}

type censor func(context.Context, core.Viewer, []core.Result) ([]core.Verdict, error)

func (c censor) Censor(ctx context.Context, v core.Viewer, passages []core.Result) ([]core.Verdict, error) {
	return c(ctx, v, passages)
}

// keeps lets through the passages with the ids.
func keeps(ids ...core.PassageID) censor {
	return func(_ context.Context, _ core.Viewer, passages []core.Result) ([]core.Verdict, error) {
		out := make([]core.Verdict, len(passages))
		for i, p := range passages {
			out[i].Keep = slices.Contains(ids, p.Passage.ID)
		}
		return out, nil
	}
}

// crm makes a shelf whose documents c and d are of the source crm, and all
// others of the wiki, with one query that finds 1 to 6 in that order.
func crm() *shelf {
	s := newShelf("a1 c2 b3 d4 c5 e6")
	for id, r := range s.results {
		r.Document.Source = "wiki"
		if strings.ContainsAny(r.Document.ID, "cd") {
			r.Document.Source = "crm"
		}
		s.results[id] = r
	}
	s.rankings["q"] = []core.PassageID{1, 2, 3, 4, 5, 6}
	return s
}

func TestCensor(t *testing.T) {
	ann := &core.Viewer{Email: "ann@example.com"}
	none := []core.PassageID{1, 3, 6}
	for _, row := range []struct {
		name    string
		viewer  *core.Viewer
		censors censors
		want    []core.PassageID
		three   bool // answers three passages only
	}{
		{"no censors", nil, nil, []core.PassageID{1, 2, 3, 4, 5, 6}, false},
		{"of another source", nil, censors{"tracker": keeps()}, []core.PassageID{1, 2, 3, 4, 5, 6}, false},
		{"keeps all", ann, censors{"crm": keeps(2, 4, 5)}, []core.PassageID{1, 2, 3, 4, 5, 6}, false},
		{"keeps some", ann, censors{"crm": keeps(4)}, []core.PassageID{1, 3, 4, 6}, false},
		{"keeps none", ann, censors{"crm": keeps()}, none, false},
		{"two censors", ann, censors{"crm": keeps(5), "wiki": keeps(6, 1)}, []core.PassageID{1, 5, 6}, false},
		{"other readers", nil, censors{"crm": keeps(2, 4, 5)}, none, false},
		{"a viewer without address", &core.Viewer{Principals: []core.Principal{core.Workspace}}, censors{"crm": keeps(2, 4, 5)}, none, false},
		{"a bypass does not lift it", &core.Viewer{Bypass: true}, censors{"crm": keeps(2, 4, 5)}, none, false},
		{"an error", ann, censors{"crm": func(context.Context, core.Viewer, []core.Result) ([]core.Verdict, error) {
			return []core.Verdict{{Keep: true}, {Keep: true}, {Keep: true}}, errors.New("down")
		}}, none, false},
		{"one fails, the other does not", ann, censors{"wiki": keeps(3), "crm": func(context.Context, core.Viewer, []core.Result) ([]core.Verdict, error) {
			return nil, errors.New("down")
		}}, []core.PassageID{3}, false},
		{"a panic", ann, censors{"crm": func(context.Context, core.Viewer, []core.Result) ([]core.Verdict, error) { panic("broken") }}, none, false},
		{"too short", ann, censors{"crm": func(_ context.Context, _ core.Viewer, p []core.Result) ([]core.Verdict, error) {
			return slices.Repeat([]core.Verdict{{Keep: true}}, len(p)-1), nil
		}}, none, false},
		{"too long", ann, censors{"crm": func(_ context.Context, _ core.Viewer, p []core.Result) ([]core.Verdict, error) {
			return slices.Repeat([]core.Verdict{{Keep: true}}, len(p)+1), nil
		}}, none, false},
		{"nothing said", ann, censors{"crm": func(context.Context, core.Viewer, []core.Result) ([]core.Verdict, error) { return nil, nil }}, none, false},
		{"it sorts what it was given", ann, censors{"crm": func(_ context.Context, _ core.Viewer, p []core.Result) ([]core.Verdict, error) {
			slices.Reverse(p)
			return []core.Verdict{{Keep: true}, {}, {}}, nil
		}}, []core.PassageID{1, 2, 3, 6}, true},
		{"a reason beside a no", ann, censors{"crm": func(_ context.Context, _ core.Viewer, p []core.Result) ([]core.Verdict, error) {
			return slices.Repeat([]core.Verdict{{Text: "shown all the same?"}}, len(p)), nil
		}}, none, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := crm()
			o := find.Options{Index: s, Gate: s, Censors: row.censors}
			if row.censors == nil {
				o.Censors = nil
			}
			f := find.New(o)
			defer f.Close()
			got, err := f.Search(t.Context(), find.Query{Queries: []string{"q"}, Viewer: row.viewer})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, ids(got)); diff != "" {
				t.Errorf("passages differ (-want +got):\n%s", diff)
			}
			for _, id := range []core.PassageID{1, 2, 3, 4, 5, 6} {
				r := s.results[id]
				around, err := f.Expand(t.Context(), find.Query{Viewer: row.viewer}, []core.Result{r}, 0, 0)
				if err != nil {
					t.Fatal(err)
				}
				if !row.three && (len(around[0]) == 1) != slices.Contains(row.want, id) {
					t.Errorf("passage %d of %s: %d results around it", id, r.Document.ID, len(around))
				}
			}
		})
	}
}

func TestCensorRedacts(t *testing.T) {
	s := crm()
	var asked []core.PassageID
	f := find.New(find.Options{Index: s, Gate: s, Censors: censors{"crm": func(_ context.Context, v core.Viewer, p []core.Result) ([]core.Verdict, error) {
		out := make([]core.Verdict, len(p))
		for i := range p {
			asked = append(asked, p[i].Passage.ID)
			out[i] = core.Verdict{Keep: true, Text: "for " + v.Email + " only"}
			if p[i].Passage.ID == 4 {
				out[i].Text = ""
			}
		}
		return out, nil
	}}})
	defer f.Close()
	q := find.Query{Queries: []string{"q"}, Viewer: &core.Viewer{Email: "ann@example.com"}, Limit: 6}
	got, err := f.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[core.PassageID]string{}
	for _, r := range got {
		texts[r.Passage.ID] = r.Passage.Text
	}
	// 5 says the same as 2 after the redaction, so one of them is left out.
	want := map[core.PassageID]string{
		1: "text of passage 1", 2: "for ann@example.com only", 3: "text of passage 3",
		4: "text of passage 4", 6: "text of passage 6",
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("texts differ (-want +got):\n%s", diff)
	}
	// Each passage is asked about once.
	if diff := cmp.Diff([]core.PassageID{2, 4, 5}, asked); diff != "" {
		t.Errorf("asked passages differ (-want +got):\n%s", diff)
	}
	asked = nil
	around, err := f.Around(t.Context(), q, []core.Window{{Document: "c", To: 9}, {Document: "c", From: 2, To: 2}})
	if err != nil || len(around[0]) != 2 || len(around[1]) != 1 || around[1][0].Passage.Text != "for ann@example.com only" {
		t.Errorf("around = %+v, %v, want two redacted passages and the first of them again", around, err)
	}
	if diff := cmp.Diff([]core.PassageID{2, 5}, asked); diff != "" {
		t.Errorf("what lies in two windows is not asked about once (-want +got):\n%s", diff)
	}
}

// A slow source is left out when its time is up, once for the whole search, and
// does not keep the others waiting.
func TestCensorIsLate(t *testing.T) {
	s := crm()
	var calls atomic.Int32
	var stubborn = make(chan struct{})
	var log bytes.Buffer
	f := find.New(find.Options{Index: s, Gate: s, Patience: 30 * time.Millisecond, Log: slog.New(slog.NewTextHandler(&log, nil)), Censors: censors{
		"crm": func(context.Context, core.Viewer, []core.Result) ([]core.Verdict, error) {
			calls.Add(1)
			<-stubborn // whatever its context says
			return []core.Verdict{{Keep: true}, {Keep: true}, {Keep: true}}, nil
		},
		"wiki": keeps(1, 6),
	}})
	got, err := f.Search(t.Context(), find.Query{Queries: []string{"q"}, Viewer: &core.Viewer{Email: "ann@example.com"}, Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]core.PassageID{1, 6}, ids(got)); diff != "" {
		t.Errorf("passages differ (-want +got):\n%s", diff)
	}
	if calls.Load() != 1 {
		t.Errorf("%d calls of the slow censor, want one", calls.Load())
	}
	if text := log.String(); !strings.Contains(text, "source=crm") || strings.Contains(text, "text of passage") {
		t.Errorf("log = %q", text)
	}
	close(stubborn)
	f.Close()
}

// A source that is always a little slow has its time once, however often a
// search has to ask it.
func TestCensorIsSlow(t *testing.T) {
	var names []string
	var ranking []core.PassageID
	for i := 1; i <= 60; i++ {
		names = append(names, fmt.Sprintf("%c%d", 'a'+i%20, i))
		ranking = append(ranking, core.PassageID(i))
	}
	s := newShelf(strings.Join(names, " "))
	s.rankings["q"] = ranking
	var calls atomic.Int32
	f := find.New(find.Options{Index: s, Gate: s, Patience: 50 * time.Millisecond, Censors: censors{
		"": func(ctx context.Context, _ core.Viewer, p []core.Result) ([]core.Verdict, error) {
			calls.Add(1)
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
			}
			return make([]core.Verdict, len(p)), ctx.Err()
		},
	}})
	defer f.Close()
	got, err := f.Search(t.Context(), find.Query{Queries: []string{"q"}, Viewer: &core.Viewer{Email: "ann@example.com"}, Limit: 1})
	if err != nil || len(got) != 0 {
		t.Errorf("got %v, %v, want nothing", ids(got), err)
	}
	if n := calls.Load(); n > 3 {
		t.Errorf("asked %d times of 20 ms, want 50 ms in all", n)
	}
}

func TestOnlyReader(t *testing.T) {
	ann := core.Viewer{Email: "ann@example.com"}
	if got := find.OnlyReader(core.Audience{AskerOnly: true}, ann); got == nil || got.Email != ann.Email {
		t.Errorf("got %v where ann is alone", got)
	}
	if got := find.OnlyReader(core.Audience{}, ann); got != nil {
		t.Errorf("got %v where others read", got)
	}
}

func TestCensorCancelled(t *testing.T) {
	s := crm()
	ctx, cancel := context.WithCancel(t.Context())
	f := find.New(find.Options{Index: s, Gate: s, Censors: censors{"crm": func(ctx context.Context, _ core.Viewer, _ []core.Result) ([]core.Verdict, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}}})
	defer f.Close()
	_, err := f.Search(ctx, find.Query{Queries: []string{"q"}, Viewer: &core.Viewer{Email: "ann@example.com"}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want cancelled", err)
	}
}

// A source that fails to say what may be shown is asked once more at most while a
// result is read around, not for each section.
func TestCensorFailsOnceWhileReading(t *testing.T) {
	var asked atomic.Int32
	failing := censor(func(ctx context.Context, v core.Viewer, passages []core.Result) ([]core.Verdict, error) {
		if asked.Add(1) > 1 {
			return nil, errors.New("out of order")
		}
		return keeps(2, 4, 5)(ctx, v, passages)
	})
	s := crm()
	s.rankings["q"] = []core.PassageID{2, 4, 5, 1, 3, 6}
	for id, r := range s.results { // the first three are read on, for they have pages
		r.Passage.Page = int(id)
		s.results[id] = r
	}
	f := find.New(find.Options{Index: s, Gate: s, Censors: censors{"crm": failing}, Patience: time.Minute})
	defer f.Close()
	p := find.NewPlanner(find.PlannerOptions{Passages: f}).Begin(find.Turn{Message: "q"})
	found, err := p.Search(t.Context(), find.Asked{Queries: []string{"q"}, Query: find.Query{Viewer: &core.Viewer{Email: "ann@example.com"}}})
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(found.Results, func(r core.Result) bool { return r.Document.Source == "crm" && len(r.Section) > 1 }) {
		t.Error("more is shown than the source let through")
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("the source was asked %d times, want 2: in the search, and once while reading", n)
	}
}
