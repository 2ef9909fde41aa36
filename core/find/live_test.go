package find_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
)

// systems are sources that answer live searches, over the documents of a shelf.
type systems struct {
	answer map[string]func(context.Context) ([]core.Result, error)
	stored []string // ids of documents in the ledger
	mu     sync.Mutex
	asked  []string // source: text
}

func (s *systems) LiveSources(context.Context) []string {
	return []string{"crm", "tracker", "wiki"}
}

func (s *systems) SearchLive(ctx context.Context, source, text string, viewer core.Viewer, _ int, _ core.Range) ([]core.Result, error) {
	s.mu.Lock()
	s.asked = append(s.asked, source+": "+text+" for "+viewer.Email)
	s.mu.Unlock()
	if answer := s.answer[source]; answer != nil {
		return answer(ctx)
	}
	return nil, nil
}

func (s *systems) Stored(_ context.Context, ids []string) (map[string]bool, error) {
	out := map[string]bool{}
	for _, id := range ids {
		out[id] = slices.Contains(s.stored, id)
	}
	return out, nil
}

func gives(hits ...core.Result) func(context.Context) ([]core.Result, error) {
	return func(context.Context) ([]core.Result, error) { return hits, nil }
}

func hit(source, id, text string, access ...core.Principal) core.Result {
	return core.Result{
		Document: core.Document{ID: core.DocumentID(source, id), Source: source, ExternalID: id, Title: id, Access: access},
		Passage:  core.Passage{Document: core.DocumentID(source, id), Text: text},
	}
}

var ann = core.Viewer{Email: "ann@x.org", Principals: []core.Principal{core.User("ann@x.org")}}

// liveWorld is a ledger of wiki/p (passages 1, 2) and wiki/q (3), which nobody
// may read, and the query "q" that finds 1.
func liveWorld(s *systems) (*find.Finder, *shelf) {
	sh := newShelf("")
	add := func(id core.PassageID, doc, text string) {
		sh.results[id] = core.Result{
			Document: core.Document{ID: "wiki/" + doc, Source: "wiki", ExternalID: doc},
			Passage:  core.Passage{ID: id, Document: "wiki/" + doc, Ordinal: int(id), Text: text},
		}
	}
	add(1, "p", "the lift is on the left side of the hall")
	add(2, "p", "the stairs are behind the grey door")
	sh.rankings["q"] = []core.PassageID{1}
	s.stored = []string{"wiki/p", "wiki/q"}
	return find.New(find.Options{Index: sh, Gate: sh, Live: s, LivePatience: 200 * time.Millisecond}), sh
}

type missed struct{ sources []string }

func (m *missed) note(source string) { m.sources = append(m.sources, source) }

func searchFor(t *testing.T, f *find.Finder, m *missed, edit func(*find.Query)) []core.Result {
	t.Helper()
	q := find.Query{Queries: []string{"q", "other words"}, Filter: core.Filter{Principals: ann.Principals}, Viewer: &ann, Live: true, Missed: m.note}
	if edit != nil {
		edit(&q)
	}
	out, err := f.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func shown(results []core.Result) (out []string) {
	for _, r := range results {
		out = append(out, r.Document.ID+": "+r.Passage.Text)
	}
	return out
}

func TestLiveHits(t *testing.T) {
	mine, others := core.User("ann@x.org"), core.User("bob@x.org")
	for name, test := range map[string]struct {
		hits []core.Result // of tracker
		want []string      // besides the index's
	}{
		"a document that is not stored is for its readers": {[]core.Result{hit("tracker", "7", "broken lift", mine)}, []string{"tracker/7: broken lift"}},
		"not for others":                              {[]core.Result{hit("tracker", "7", "broken lift", others)}, nil},
		"nor where nobody is named":                   {[]core.Result{hit("tracker", "7", "broken lift")}, nil},
		"public is anybody's":                         {[]core.Result{hit("tracker", "7", "broken lift", core.Public)}, []string{"tracker/7: broken lift"}},
		"a document of another source is not its own": {[]core.Result{hit("wiki", "p", "made up", mine), hit("crm", "x", "made up", mine)}, nil},
		"nor is one whose id says so":                 {[]core.Result{{Document: core.Document{ID: "wiki/p", Source: "tracker", ExternalID: "p", Access: core.Access{mine}}, Passage: core.Passage{Text: "made up"}}}, nil},
		"a hit without text shows nothing":            {[]core.Result{hit("tracker", "7", " ", mine)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := &systems{answer: map[string]func(context.Context) ([]core.Result, error){"tracker": gives(test.hits...)}}
			f, _ := liveWorld(s)
			defer f.Close()
			var m missed
			got := searchFor(t, f, &m, nil)
			want := append(append([]string{}, test.want...), "wiki/p: the lift is on the left side of the hall")
			slices.Sort(want)
			found := shown(got)
			slices.Sort(found)
			if d := cmp.Diff(want, found); d != "" || len(m.sources) > 0 {
				t.Fatalf("missed %v (-want +got)\n%s", m.sources, d)
			}
			for _, r := range got {
				if r.Document.Source == "tracker" && (r.Passage.ID != 0 || !slices.Equal(r.Document.Access, core.NewAccess(mine))) {
					t.Fatalf("not the asker's alone: %+v", r)
				}
			}
		})
	}
}

// The ledger's word counts on what it holds, and its passage is the one given.
func TestLiveHitsOfStoredDocuments(t *testing.T) {
	s := &systems{answer: map[string]func(context.Context) ([]core.Result, error){
		"wiki": gives(hit("wiki", "p", "stairs behind a grey door", core.Public), hit("wiki", "p", "grey stairs", core.Public), hit("wiki", "q", "the pay list", core.Public)),
	}}
	f, _ := liveWorld(s)
	defer f.Close()
	got := searchFor(t, f, &missed{}, nil)
	if d := cmp.Diff([]core.PassageID{1, 2}, ids(got)); d != "" {
		t.Fatalf("%v (-want +got)\n%s", shown(got), d)
	}
}

func TestSourcesAreAskedOnceForOnePerson(t *testing.T) {
	all := []string{"crm: q for ann@x.org", "tracker: q for ann@x.org", "wiki: q for ann@x.org"}
	for name, test := range map[string]struct {
		edit func(*find.Query)
		want []string
	}{
		"one known person":                {nil, all},
		"not asked for":                   {func(q *find.Query) { q.Live = false }, nil},
		"several readers":                 {func(q *find.Query) { q.Viewer = nil }, nil},
		"nobody knows who":                {func(q *find.Query) { q.Viewer = &core.Viewer{} }, nil},
		"no words":                        {func(q *find.Query) { q.Queries = []string{" "} }, nil},
		"some sources":                    {func(q *find.Query) { q.Filter.Sources = []string{"tracker"} }, all[1:2]},
		"no sources":                      {func(q *find.Query) { q.Filter.Sources = []string{} }, nil},
		"a place's collection":            {func(q *find.Query) { q.Filter.Within = []core.Collection{{Name: "c", Sources: []string{"crm"}}} }, all[:1]},
		"an asker's collection of tags":   {func(q *find.Query) { q.Filter.Collections = []core.Collection{{Name: "c", Tags: []string{"k=v"}}} }, all},
		"a collection that holds nothing": {func(q *find.Query) { q.Filter.Collections = []core.Collection{{Name: "c"}} }, nil},
		"folders":                         {func(q *find.Query) { q.Filter.Folders = []string{"wiki/hr"} }, all[2:]},
		"single documents":                {func(q *find.Query) { q.Filter.Documents = []string{"crm/1"} }, all[:1]},
	} {
		t.Run(name, func(t *testing.T) {
			s := &systems{}
			f, _ := liveWorld(s)
			searchFor(t, f, &missed{}, test.edit)
			f.Close()
			slices.Sort(s.asked)
			if d := cmp.Diff(test.want, s.asked); d != "" {
				t.Fatal(d)
			}
		})
	}
}

// What narrows a search narrows live hits one by one.
func TestLiveHitsAreNarrowed(t *testing.T) {
	in, out := hit("crm", "in", "in the scope", core.Public), hit("crm", "out", "outside", core.Public)
	in.Document.Meta = map[string]string{"team": "hr"}
	s := &systems{answer: map[string]func(context.Context) ([]core.Result, error){"crm": gives(in, out)}}
	f, _ := liveWorld(s)
	defer f.Close()
	got := searchFor(t, f, &missed{}, func(q *find.Query) {
		q.Filter.Within = []core.Collection{{Name: "hr", Tags: []string{"team=hr"}}}
	})
	if text := strings.Join(shown(got), "\n"); !strings.Contains(text, "crm/in") || strings.Contains(text, "crm/out") {
		t.Fatal(text)
	}
}

// A source that is late, fails or breaks costs its own results and a note.
func TestSourcesThatDoNotAnswer(t *testing.T) {
	s := &systems{answer: map[string]func(context.Context) ([]core.Result, error){
		"crm": func(ctx context.Context) ([]core.Result, error) {
			<-ctx.Done()
			time.Sleep(50 * time.Millisecond) // and does not listen at once
			return []core.Result{hit("crm", "late", "too late", core.Public)}, nil
		},
		"tracker": func(context.Context) ([]core.Result, error) { return nil, errors.New("no") },
		"wiki":    func(context.Context) ([]core.Result, error) { panic("no luck") },
	}}
	f, _ := liveWorld(s)
	var m missed
	got := searchFor(t, f, &m, nil)
	f.Close()
	if d := cmp.Diff([]core.PassageID{1}, ids(got)); d != "" {
		t.Fatal(d)
	}
	if d := cmp.Diff([]string{"crm", "tracker", "wiki"}, m.sources); d != "" {
		t.Fatal(d)
	}
}

// A source with a censor is asked about its own live hits, too.
func TestLiveHitsAreCensored(t *testing.T) {
	s := &systems{answer: map[string]func(context.Context) ([]core.Result, error){"crm": gives(hit("crm", "1", "one", core.Public), hit("crm", "2", "two", core.Public))}}
	sh := newShelf("")
	second := censor(func(_ context.Context, _ core.Viewer, passages []core.Result) ([]core.Verdict, error) {
		out := make([]core.Verdict, len(passages))
		for i, p := range passages {
			out[i].Keep = p.Document.ExternalID == "2"
		}
		return out, nil
	})
	f := find.New(find.Options{Index: sh, Gate: sh, Live: s, Censors: censors{"crm": second}})
	defer f.Close()
	if d := cmp.Diff([]string{"crm/2: two"}, shown(searchFor(t, f, &missed{}, nil))); d != "" {
		t.Fatal(d)
	}
	found, err := f.Admit(t.Context(), find.Query{Viewer: &ann}, "crm", []core.Result{hit("crm", "1", "one", core.Public), hit("crm", "2", "two", core.Public)})
	if err != nil || !slices.Equal(shown(found), []string{"crm/2: two"}) || found[0].Passage.ID != 0 {
		t.Fatalf("%+v, %v", found, err)
	}
}
