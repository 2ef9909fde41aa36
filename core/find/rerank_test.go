package find_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/core/model"
)

// judge is a reranker that says what it was told to say.
type judge struct {
	says  []model.Relevance
	err   error
	slow  bool // answers when its time is up
	asked int
	texts []string
	query string
}

func (j *judge) Rerank(ctx context.Context, query string, texts []string) ([]model.Relevance, error) {
	j.asked++
	j.query, j.texts = query, texts
	if j.slow {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return j.says, j.err
}

func reranked(t *testing.T, j *judge, s *shelf, q find.Query) []core.PassageID {
	t.Helper()
	q.Queries = []string{"q"}
	got, err := find.New(find.Options{Index: s, Gate: s, Reranker: j, RerankPatience: 20 * time.Millisecond}).Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(got); i++ {
		if got[i].Score > got[i-1].Score {
			t.Errorf("scores rise: %v", got)
		}
	}
	return ids(got)
}

func threeOf() *shelf {
	s := newShelf("a1 b2 c3 d4")
	s.rankings["q"] = []core.PassageID{1, 2, 3, 4}
	return s
}

func TestRerankOrder(t *testing.T) {
	for name, row := range map[string]struct {
		judge judge
		want  []core.PassageID
		note  string
	}{
		"its order":                     {judge{says: []model.Relevance{{Index: 3, Score: 9}, {Index: 1, Score: 5}, {Index: 0, Score: 1}, {Index: 2, Score: -3}}}, []core.PassageID{4, 2, 1, 3}, ""},
		"what it passes over is behind": {judge{says: []model.Relevance{{Index: 2, Score: 0.1}}}, []core.PassageID{3, 1, 2, 4}, ""},
		"out of range":                  {judge{says: []model.Relevance{{Index: 7, Score: 1}, {Index: -1, Score: 2}}}, []core.PassageID{1, 2, 3, 4}, ""},
		"equal relevance":               {judge{says: []model.Relevance{{Index: 1, Score: 1}, {Index: 0, Score: 1}}}, []core.PassageID{1, 2, 3, 4}, ""},
		"an error":                      {judge{err: core.Errorf(core.KindAuth, "the key secret-key is wrong")}, []core.PassageID{1, 2, 3, 4}, "the reranker did not answer: auth"},
		"too slow":                      {judge{slow: true}, []core.PassageID{1, 2, 3, 4}, "the reranker did not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			note := ""
			got := reranked(t, &row.judge, threeOf(), find.Query{Unranked: func(reason string) { note = reason }})
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("passages (-want +got):\n%s", diff)
			}
			if !strings.HasPrefix(note, row.note) || row.note == "" && note != "" || row.judge.asked != 1 {
				t.Errorf("noted %q after %d calls, want %q after one", note, row.judge.asked, row.note)
			}
		})
	}
}

// A reranker reads what the gate let out, and titles only where they may be said.
func TestRerankReadsWhatMayBeShown(t *testing.T) {
	s := threeOf()
	for id, title := range map[core.PassageID]string{1: "Open", 2: "Secret"} {
		r := s.results[id]
		r.Document.Title, r.Passage.Heading = title, "Part"
		s.results[id] = r
	}
	s.denied[3] = true
	j := &judge{says: []model.Relevance{{Index: 0, Score: 1}}}
	reranked(t, j, s, find.Query{Named: func(d core.Document) bool { return d.Title == "Open" }})
	want := []string{"Open › Part\n\ntext of passage 1", "text of passage 2", "text of passage 4"}
	if diff := cmp.Diff(want, j.texts); diff != "" || j.query != "q" {
		t.Errorf("asked %q with (-want +got):\n%s", j.query, diff)
	}
}

func TestRerankRests(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	s, j := threeOf(), &judge{err: errors.New("down")}
	f := find.New(find.Options{Index: s, Gate: s, Reranker: j, Now: func() time.Time { return now }})
	search := func() (note string) {
		if _, err := f.Search(t.Context(), find.Query{Queries: []string{"q"}, Unranked: func(reason string) { note = reason }}); err != nil {
			t.Fatal(err)
		}
		return note
	}
	for range 3 {
		search()
	}
	if note := search(); j.asked != 3 || !strings.Contains(note, "left alone") {
		t.Errorf("asked %d times, noted %q", j.asked, note)
	}
	now, j.err, j.says = now.Add(6*time.Minute), nil, []model.Relevance{{Index: 1, Score: 1}}
	if note := search(); j.asked != 4 || note != "" {
		t.Errorf("after the rest asked %d times, noted %q", j.asked, note)
	}
}

// A search that goes deeper, because too little came through, asks once.
func TestRerankOnce(t *testing.T) {
	s := newShelf("a1")
	for i := range 400 {
		id := core.PassageID(i + 2)
		s.results[id] = core.Result{Document: core.Document{ID: "b"}, Passage: core.Passage{ID: id, Document: "b", Text: strings.Repeat("same ", 20)}}
		s.rankings["q"] = append(s.rankings["q"], id)
	}
	j := &judge{says: []model.Relevance{{Index: 0, Score: 1}}}
	reranked(t, j, s, find.Query{Limit: 10})
	if j.asked != 1 || len(j.texts) != 40 {
		t.Errorf("asked %d times, the last time with %d texts; want once with 40", j.asked, len(j.texts))
	}
}
