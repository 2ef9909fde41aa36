package indextest

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// now is when the tests of filters take place.
var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

var (
	ann = core.User("ann@example.com")
	bob = core.User("bob@example.com")
	eng = core.Group("wiki", "eng")
	hr  = core.Group("wiki", "hr")
)

// testFilters compares the index with core.Filter.Allows over all combinations
// of a few facts and filters, and for each clause over its edges.
func testFilters(t *testing.T, x core.Index) {
	l := newLibrary(x)
	var all []core.Facts
	for _, source := range []string{"wiki", "drive"} {
		for _, access := range []core.Access{nil, core.NewAccess(core.Public), core.NewAccess(core.Workspace), core.NewAccess(ann), core.NewAccess(eng, ann)} {
			for _, hidden := range []bool{false, true} {
				d := core.Facts{Document: fmt.Sprintf("%s/%d", source, len(all)), Source: source, Access: access, Hidden: hidden}
				if len(all)%2 == 1 {
					d.Folders = []string{"wiki/top", fmt.Sprintf("wiki/%d", len(all)%5)}
				}
				if len(all)%3 > 0 {
					d.Tags = []string{core.TagOf("team", "Core"), core.TagOf("kind", fmt.Sprint(len(all)%4))}
				}
				if len(all)%4 > 0 {
					d.Updated = now.AddDate(0, -len(all), 0)
					d.Created = d.Updated.AddDate(0, -1, 0)
				}
				all = append(all, d)
			}
		}
	}
	l.put(t, all...)
	for _, principals := range [][]core.Principal{nil, {}, {core.Workspace}, {eng}, {ann, core.Workspace}, {"user:nobody@example.com"}} {
		for _, bypass := range []bool{false, true} {
			for _, sources := range [][]string{nil, {}, {"wiki"}, {"unknown"}} {
				l.check(t, core.Filter{Principals: principals, Bypass: bypass, Sources: sources})
				l.check(t, core.Filter{Principals: principals, Bypass: bypass, Sources: sources, IncludeHidden: true})
			}
		}
	}
	for _, f := range clauses() {
		f.Now = now
		l.check(t, f)
		f.Bypass = true
		l.check(t, f)
		f.IncludeHidden = true
		l.check(t, f)
	}
}

// clauses has each clause at its edges.
func clauses() []core.Filter {
	inWiki, inTop := core.Collection{Sources: []string{"wiki"}}, core.Collection{Folders: []string{"wiki/top"}, Tags: []string{"TEAM=core"}}
	unknown := core.Collection{Name: "unknown"}
	day := func(months int) time.Time { return now.AddDate(0, months, 0) }
	return []core.Filter{
		{Documents: []string{}},
		{Documents: []string{"wiki/2", "drive/12", "wiki/none"}},
		{Documents: []string{"wiki/2", "drive/12"}, Sources: []string{"drive"}},
		{Readers: [][]core.Principal{}},
		{Readers: [][]core.Principal{nil}},
		{Readers: [][]core.Principal{{ann}}},
		{Readers: [][]core.Principal{{ann}, {ann, core.Workspace}, {ann}}},
		{Readers: [][]core.Principal{{ann}, {eng}}},
		{Readers: [][]core.Principal{{eng}, {ann}, {bob}}},
		{Readers: [][]core.Principal{{core.Workspace}, nil}},
		{Readers: manyReaders(64, ann)},
		{Readers: manyReaders(65, ann)},
		{Readers: append([][]core.Principal{{bob}}, manyReaders(70, ann)...)},
		{Readers: append(manyReaders(199, ann), []core.Principal{eng})},
		{Readers: append(manyReaders(199, ann), []core.Principal{hr})},
		{Readers: [][]core.Principal{{ann}}, Principals: []core.Principal{core.Workspace}, Granted: []core.Collection{inTop}},
		{Granted: []core.Collection{}},
		{Granted: []core.Collection{inWiki}},
		{Granted: []core.Collection{unknown, {Sources: []string{"nowhere"}}}},
		{Granted: []core.Collection{inTop, unknown}, Within: []core.Collection{inWiki}},
		{Within: []core.Collection{}},
		{Within: []core.Collection{unknown}},
		{Within: []core.Collection{inTop, {Sources: []string{"drive"}, Tags: []string{"kind=1", "kind=2"}}}},
		{Collections: []core.Collection{}},
		{Collections: []core.Collection{inTop}},
		{Collections: []core.Collection{}, Attached: []string{"drive/12", "nowhere/1"}},
		{Collections: []core.Collection{inTop}, Attached: []string{"wiki/2"}, Folders: []string{"wiki/3"}},
		{Attached: []string{}},
		{Folders: []string{}},
		{Folders: []string{"wiki/top"}},
		{Folders: []string{"wiki/to", "top"}},
		{Tags: []string{}},
		{Tags: []string{"Team=CORE"}},
		{Tags: []string{"team=", "core", "team"}},
		{Tags: []string{"team=core", "kind=1"}},
		{Tags: []string{"team=core", "kind=1", "kind=2"}, TagMode: core.TagPerKey},
		{Tags: []string{"team=core", "colour=red"}, TagMode: core.TagPerKey},
		{Tags: []string{}, TagMode: core.TagPerKey},
		{Updated: core.Range{From: day(-2)}},
		{Updated: core.Range{From: day(-12)}},
		{Updated: core.Range{To: day(-5)}},
		{Updated: core.Range{From: day(-5), To: day(-5).Add(time.Nanosecond)}},
		{Updated: core.Range{From: day(-5).Add(time.Second), To: day(-6)}},
		{Created: core.Range{From: day(-5)}},
		{Created: core.Range{From: day(-7), To: day(-5)}},
		{Updated: core.Range{From: day(-12)}, Created: core.Range{To: day(-8)}},
		{Under: []core.FolderScope{}},
		{Under: []core.FolderScope{{Folder: "wiki/top"}}},
		{Under: []core.FolderScope{{Folder: "wiki/top", Levels: 1}, {Folder: "wiki/to", Levels: core.AnyDepth}}},
		{Under: []core.FolderScope{{Folder: "wiki/top", Levels: 1 << 40}}},
		{Where: &core.Where{Op: core.WhereAnd}},
		{Where: &core.Where{Op: core.WhereOr}},
		{Where: &core.Where{}},
		{Where: &core.Where{Op: core.WhereExists}},
		{Where: &core.Where{Op: core.WhereExists, Field: core.WhereCreated}, Sources: []string{"wiki"}},
	}
}

func manyReaders(n int, p core.Principal) [][]core.Principal {
	var out [][]core.Principal
	for i := range n {
		out = append(out, []core.Principal{p, core.User(fmt.Sprintf("reader%d@example.com", i))})
	}
	return out
}

// testFactsChange changes one fact after the other and looks for it before and
// after.
func testFactsChange(t *testing.T, x core.Index) {
	l := newLibrary(x)
	start := core.Facts{Document: "s/a", Source: "s", Title: "Old", Kind: "file", Access: core.NewAccess(ann), Folders: []string{"s/f"}, Tags: []string{"k=v"}, Created: now.AddDate(-1, 0, 0), Updated: now}
	// Nothing else holds the same names, so that each is forgotten and comes back.
	other := core.Facts{Document: "o/b", Source: "o", Access: core.NewAccess(hr), Folders: []string{"o/f"}, Tags: []string{"k=o"}}
	l.put(t, start, other)
	who := core.Filter{Principals: []core.Principal{ann}, Now: now}
	changes := map[string]struct {
		change func(*core.Facts)
		by     func(*core.Filter)
	}{
		"access":  {func(d *core.Facts) { d.Access = core.NewAccess(bob) }, func(*core.Filter) {}},
		"nobody":  {func(d *core.Facts) { d.Access = nil }, func(*core.Filter) {}},
		"readers": {func(d *core.Facts) { d.Access = core.NewAccess(eng) }, func(f *core.Filter) { f.Principals, f.Readers = nil, manyReaders(3, ann) }},
		"hidden":  {func(d *core.Facts) { d.Hidden = true }, func(*core.Filter) {}},
		"source":  {func(d *core.Facts) { d.Source = "t" }, func(f *core.Filter) { f.Sources = []string{"s"} }},
		"folders": {func(d *core.Facts) { d.Folders = []string{"s/g"} }, func(f *core.Filter) { f.Folders = []string{"s/f"} }},
		"tags":    {func(d *core.Facts) { d.Tags = nil }, func(f *core.Filter) { f.Tags = []string{"k=v"} }},
		"updated": {func(d *core.Facts) { d.Updated = time.Time{} }, func(f *core.Filter) { f.Updated.From = now.AddDate(0, 0, -1) }},
		"created": {func(d *core.Facts) { d.Created = now }, func(f *core.Filter) { f.Created.To = now.AddDate(0, 0, -1) }},
		"title":   {func(d *core.Facts) { d.Title = "new" }, func(f *core.Filter) { f.Where = has(core.WhereTitle, "old") }},
		"kind":    {func(d *core.Facts) { d.Kind = "page" }, func(f *core.Filter) { f.Where = has(core.WhereKind, "file") }},
		"deeper": {func(d *core.Facts) { d.Folders = []string{"s/f", "s/g"} }, func(f *core.Filter) {
			f.Under = []core.FolderScope{{Folder: "s/f"}}
		}},
		"turned": {func(d *core.Facts) { d.Tags = []string{"k=w"} }, func(f *core.Filter) {
			f.Where = has(core.WhereField{Name: "k", Meta: true}, "v")
		}},
		"granted": {func(d *core.Facts) { d.Tags = nil }, func(f *core.Filter) {
			f.Principals, f.Granted = nil, []core.Collection{{Tags: []string{"k=v"}}}
		}},
	}
	for name, c := range changes {
		t.Run(name, func(t *testing.T) {
			f, changed := who, start
			c.by(&f)
			c.change(&changed)
			if !f.Allows(start) || f.Allows(changed) {
				t.Fatal("the filter does not tell the two apart")
			}
			l.set(t, start)
			l.check(t, f)
			l.set(t, changed)
			l.check(t, f)
			l.set(t, start)
			l.check(t, f)
		})
	}
}
