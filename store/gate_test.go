package store

import (
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// gated is a ledger with documents of every kind of access; each has one passage.
func gated(t *testing.T) (*Store, map[string]core.PassageID) {
	s := handbook(t)
	check(t, s.PutSource(t.Context(), core.Source{Name: "wiki", Connector: "web", Origin: core.FromCommand}))
	host := page("host", nil, "host")
	host.HostAccess = true
	hidden := page("hidden", []core.Principal{core.Public}, "hidden")
	hidden.Document.Hidden = true
	ana := page("ana", []core.Principal{core.User("Ana@example.com")}, "ana")
	ana.Document.Folders = []string{"hr", "hr/pay"}
	put(t, s, page("pub", []core.Principal{core.Public}, "pub"), ana,
		page("nobody", nil, "nobody"), host, hidden)
	other := page("pub", []core.Principal{core.Public}, "other")
	other.Document.Source, other.Document.ID = "wiki", "wiki/pub"
	check(t, s.Commit(t.Context(), core.Batch{Source: "wiki", Content: []core.Entry{other}}))
	ids := map[string]core.PassageID{}
	for id := core.PassageID(1); id <= 6; id++ {
		found, err := s.Visible(t.Context(), core.Filter{Bypass: true, IncludeHidden: true}, []core.PassageID{id})
		check(t, err)
		ids[found[0].Passage.Text] = id
	}
	return s, ids
}

func at(year int, month time.Month) time.Time { return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC) }

func TestVisible(t *testing.T) {
	s, ids := gated(t)
	ana := core.User("ana@example.com")
	for _, c := range []struct {
		name   string
		filter core.Filter
		want   []string
	}{
		{"nobody in particular", core.Filter{}, []string{"pub", "other"}},
		{"empty principals are public", core.Filter{Principals: []core.Principal{}}, []string{"pub", "other"}},
		{"ana", core.Filter{Principals: []core.Principal{ana}}, []string{"ana", "pub", "other"}},
		{"member", core.Filter{Principals: []core.Principal{core.Workspace}}, []string{"host", "pub", "other"}},
		{"hidden", core.Filter{IncludeHidden: true}, []string{"hidden", "pub", "other"}},
		{"bypass lifts access only", core.Filter{Bypass: true}, []string{"host", "ana", "nobody", "pub", "other"}},
		{"one source", core.Filter{Sources: []string{"wiki"}}, []string{"other"}},
		{"no source", core.Filter{Sources: []string{}}, nil},
		{"one document", core.Filter{Documents: []string{"handbook/pub"}}, []string{"pub"}},
		{"no document", core.Filter{Documents: []string{}}, nil},
		{"a folder", core.Filter{Bypass: true, Folders: []string{"handbook/hr"}}, []string{"ana"}},
		{"a folder inside", core.Filter{Bypass: true, Folders: []string{"handbook/hr/pay"}}, []string{"ana"}},
		{"the same folder elsewhere", core.Filter{Bypass: true, Folders: []string{"wiki/hr"}}, nil},
		{"a tag", core.Filter{Tags: []string{"SPACE=hr"}, Sources: []string{"wiki"}}, []string{"other"}},
		{"another tag", core.Filter{Tags: []string{"space=it"}}, nil},
		{"changed since", core.Filter{Updated: core.Range{From: at(2026, 3)}, Now: at(2026, 4)}, []string{"pub", "other"}},
		{"changed before", core.Filter{Updated: core.Range{To: at(2026, 3)}}, nil},
		{"a place's collection", core.Filter{Within: []core.Collection{{Sources: []string{"wiki"}}}}, []string{"other"}},
		{"a granted folder", core.Filter{Granted: []core.Collection{{Folders: []string{"handbook/hr"}}}}, []string{"ana", "pub", "other"}},
		{"all readers", core.Filter{Readers: [][]core.Principal{{ana}, {ana, core.Workspace}}}, []string{"ana", "pub", "other"}},
		{"not all readers", core.Filter{Readers: [][]core.Principal{{ana}, {core.Workspace}}}, []string{"pub", "other"}},
		{"bypass inside no source", core.Filter{Bypass: true, Sources: []string{}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			order := []core.PassageID{ids["host"], ids["hidden"], 999, ids["ana"], ids["nobody"], ids["pub"], ids["other"]}
			found, err := s.Visible(t.Context(), c.filter, order)
			check(t, err)
			var got []string
			for _, r := range found {
				got = append(got, r.Passage.Text)
			}
			diff(t, c.want, got)
		})
	}
}

func TestGateSeesTheNewestState(t *testing.T) {
	s, ids := gated(t)
	ask := func(principals ...core.Principal) int {
		found, err := s.Visible(t.Context(), core.Filter{Principals: principals}, []core.PassageID{ids["pub"], ids["host"]})
		check(t, err)
		return len(found)
	}
	if ask(core.Workspace) != 2 {
		t.Fatal("both were to be seen")
	}
	narrow := page("pub", nil, "pub")
	check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Facts: []core.Entry{narrow}}))
	if ask(core.Workspace) != 1 {
		t.Fatal("lost access is still granted")
	}
	check(t, s.PutSource(t.Context(), handbookSource()))
	if ask(core.Workspace) != 0 {
		t.Fatal("the source's lost access is still granted")
	}
	check(t, s.PutSource(t.Context(), handbookSource(core.Public)))
	if ask() != 1 {
		t.Fatal("the source's new access is not granted")
	}
	check(t, s.RemoveSource(t.Context(), "handbook"))
	if found := around(t, s, "host"); len(found) != 0 || ask() != 0 {
		t.Fatal("a removed source is still served")
	}
}

// textsIn is the texts of each window. It fails if more than one transaction was needed.
func textsIn(t *testing.T, s *Store, principals []core.Principal, windows ...core.Window) []string {
	t.Helper()
	transactions := 0
	s.Asking = func() func() { transactions++; return func() {} }
	defer func() { s.Asking = nil }()
	found, err := s.Around(t.Context(), core.Filter{Principals: principals}, windows)
	check(t, err)
	if want := min(1, len(windows)); transactions != want || len(found) != len(windows) {
		t.Fatalf("%d windows: %d transactions, %d lists", len(windows), transactions, len(found))
	}
	out := []string{}
	for i, list := range found {
		texts := ""
		for _, r := range list {
			if w := windows[i].Document; r.Document.ID != w || r.Passage.Document != w {
				t.Fatalf("%+v in a window of %s", r, w)
			}
			texts += r.Passage.Text
		}
		out = append(out, texts)
	}
	return out
}

// Windows are read in their order and in one transaction, whatever lies in them; each
// document is decided on by itself.
func TestAround(t *testing.T) {
	s := handbook(t)
	member, ana := []core.Principal{core.Workspace}, []core.Principal{core.User("ana@example.com")}
	put(t, s, page("b", []core.Principal{core.Public}, "v", "w", "x", "y", "z"),
		page("a", member, "0", "1", "2", "3", "4"), page("c", ana, "C"))
	window := func(name string, from, to int) core.Window {
		return core.Window{Document: "handbook/" + name, From: from, To: to}
	}
	all := []core.Window{window("a", 0, 9), window("b", 0, 9), window("c", 0, 9)}
	for _, row := range []struct {
		name    string
		who     []core.Principal
		windows []core.Window
		want    []string
	}{
		{"none", member, nil, []string{}},
		{"one", member, []core.Window{window("a", 1, 3)}, []string{"123"}},
		{"from before the first", member, []core.Window{window("a", -5, 1)}, []string{"01"}},
		{"from after to", member, []core.Window{window("a", 3, 2)}, []string{""}},
		{"beyond the last", member, []core.Window{window("a", 5, 1<<31)}, []string{""}},
		{"no such document", member, []core.Window{window("x", 0, 9), window("a", 0, 0), {Document: "' OR 1=1 --"}}, []string{"", "0", ""}},
		{"each by its own readers", member, all, []string{"01234", "vwxyz", ""}},
		{"another reader", ana, all, []string{"", "vwxyz", "C"}},
		{"nobody in particular", nil, all, []string{"", "vwxyz", ""}},
		{"in the order of the windows", member, []core.Window{window("a", 4, 4), window("b", 1, 2), window("a", 0, 1)}, []string{"4", "wx", "01"}},
		{"windows that overlap", member, []core.Window{window("a", 0, 2), window("a", 1, 3), window("a", 1, 3)}, []string{"012", "123", "123"}},
	} {
		t.Run(row.name, func(t *testing.T) { diff(t, row.want, textsIn(t, s, row.who, row.windows...)) })
	}
	var many []core.Window
	var want []string
	for i := range 1000 {
		many = append(many, window("a", i%5, i%5), window("c", 0, 9), window("b", i%5, i%5))
		want = append(want, "01234"[i%5:i%5+1], "", "vwxyz"[i%5:i%5+1])
	}
	diff(t, want, textsIn(t, s, member, many...))
	// What is closed since it was found is missing, the others stay.
	check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Facts: []core.Entry{page("a", ana)}}))
	diff(t, []string{"", "vwxyz", ""}, textsIn(t, s, member, all...))
	check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Removed: []string{"b"}}))
	diff(t, []string{"01234", "", "C"}, textsIn(t, s, ana, all...))
}

// What Visible gives is in the order of the ids, as often as they are there.
func TestVisibleKeepsTheOrder(t *testing.T) {
	s, ids := gated(t)
	found, err := s.Visible(t.Context(), core.Filter{}, []core.PassageID{ids["other"], ids["pub"], 999, ids["ana"], ids["other"]})
	check(t, err)
	var got []string
	for _, r := range found {
		got = append(got, r.Passage.Text)
	}
	diff(t, []string{"other", "pub", "other"}, got)
	if found, err := s.Visible(t.Context(), core.Filter{}, nil); len(found) != 0 || err != nil {
		t.Errorf("of no ids: %v, %v", found, err)
	}
}

func TestDocumentKeepsItsFields(t *testing.T) {
	s := handbook(t)
	e := page("dir/a.md", []core.Principal{core.Public, "user:B@example.com"}, "text")
	e.Document.Files = []core.FileRef{{Ref: "r", Name: "n", MediaType: "m", Size: 7}}
	e.Document.Folders, e.Document.Discretion = []string{"dir", "dir/dir"}, core.NumberOnly
	put(t, s, e)
	src := handbookSource(core.Workspace)
	src.Discretion = core.NumberOnly
	check(t, s.PutSource(t.Context(), src))
	got, err := s.Document(t.Context(), "handbook/dir/a.md")
	check(t, err)
	want := e.Document
	want.Access = core.NewAccess(core.Public, core.User("b@example.com"))
	diff(t, want, got)
	found := around(t, s, "dir/a.md")
	diff(t, want, found[0].Document)
	diff(t, core.Passage{ID: found[0].Passage.ID, Document: "handbook/dir/a.md", Heading: "H", Page: 1, Text: "text"}, found[0].Passage)
	_, err = s.Document(t.Context(), "handbook/b")
	wantKind(t, err, core.KindNotFound)
}

func TestPassageNumbersAreNeverReused(t *testing.T) {
	s := handbook(t)
	last := core.PassageID(0)
	for range 3 {
		put(t, s, page("a", []core.Principal{core.Public}, "text"))
		id := around(t, s, "a")[0].Passage.ID
		if id <= last {
			t.Fatalf("number %d after %d", id, last)
		}
		last = id
		check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Removed: []string{"a"}}))
	}
}
