package access

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

func TestWhy(t *testing.T) {
	faq := core.Collection{Name: "faq", Sources: []string{"wiki"}}
	other := core.Collection{Name: "other", Sources: []string{"other"}}
	hr, eng := core.Principal("group:hr/all"), core.Principal("group:eng/all")
	ann, bob := core.User("ann@example.com"), core.User("bob@example.com")
	doc := func(access ...core.Principal) core.Facts {
		return core.Facts{Document: "wiki/a", Source: "wiki", Access: core.NewAccess(access...)}
	}
	hidden := func(d core.Facts) core.Facts { d.Hidden = true; return d }
	held := func(p ...core.Principal) core.Filter { return core.Filter{Principals: p} }
	with := func(f core.Filter, change func(*core.Filter)) core.Filter { change(&f); return f }
	together := core.Filter{Readers: [][]core.Principal{{ann, hr}, {bob}}}
	rows := []struct {
		name     string
		filter   core.Filter
		doc      core.Facts
		want     Reason
		sentence string
	}{
		{"anyone", core.Filter{}, doc(core.Public, hr), Reason{Found: true, Clause: ByPublic}, "Found: anyone may read it."},
		{"a principal", held(ann, hr), doc(hr, eng), Reason{Found: true, Clause: ByPrincipal, Name: "group:hr/all"}, "Found: group:hr/all may read it."},
		{"a grant", with(held(ann), func(f *core.Filter) { f.Granted = []core.Collection{other, faq} }), doc(hr),
			Reason{Found: true, Clause: ByGrant, Name: "faq"}, `Found: the collection "faq", granted to the place, holds it.`},
		{"a grant of what nobody has access to", core.Filter{Granted: []core.Collection{faq}}, doc(),
			Reason{Found: true, Clause: ByGrant, Name: "faq"}, `Found: the collection "faq", granted to the place, holds it.`},
		{"every reader", together, doc(hr, bob), Reason{Found: true, Clause: ByIntersection}, "Found: every reader of the place may read it."},
		{"the bypass", core.Filter{Bypass: true}, doc(hr), Reason{Found: true, Clause: ByBypass},
			"Found: access is lifted by the bypass, which is audited. Without it the document would not be found."},
		{"the bypass where it is not needed", with(held(hr), func(f *core.Filter) { f.Bypass = true }), doc(hr),
			Reason{Found: true, Clause: ByPrincipal, Name: "group:hr/all"}, "Found: group:hr/all may read it."},
		{"the bypass lifts even nobody", core.Filter{Bypass: true}, doc(), Reason{Found: true, Clause: ByBypass},
			"Found: access is lifted by the bypass, which is audited. Without it the document would not be found."},
		{"nobody", held(ann, core.Workspace), doc(), Reason{Clause: NoAccess},
			"Not found: nobody has access to it. Set access for its source, or let the connector state it."},
		{"one other principal", held(ann), doc(hr), Reason{Clause: NotHeld, Needs: core.Access{hr}}, "Not found: it needs group:hr/all."},
		{"one of several", held(ann), doc(hr, eng), Reason{Clause: NotHeld, Needs: core.Access{eng, hr}},
			"Not found: it needs one of group:eng/all, group:hr/all."},
		{"not every reader", together, doc(hr), Reason{Clause: NotHeldByAll, Needs: core.Access{hr}},
			"Not found: it needs group:hr/all, and not every reader of the place may read it."},
		{"hidden", held(hr), hidden(doc(hr)), Reason{Clause: Hidden, Hidden: true},
			"Not found: it is hidden from search, though its access would allow it."},
		{"hidden and not allowed", held(ann), hidden(doc(hr)), Reason{Clause: NotHeld, Needs: core.Access{hr}, Hidden: true},
			"Not found: it needs group:hr/all. It is also hidden."},
		{"hidden, with the bypass", core.Filter{Bypass: true}, hidden(doc(hr)), Reason{Clause: Hidden, Hidden: true},
			"Not found: it is hidden from search, though its access would allow it."},
		{"hidden ones searched", with(held(hr), func(f *core.Filter) { f.IncludeHidden = true }), hidden(doc(hr)),
			Reason{Found: true, Clause: ByPrincipal, Name: "group:hr/all", Hidden: true}, "Found: group:hr/all may read it. It is also hidden."},
		{"outside of the place's collections", with(held(hr), func(f *core.Filter) { f.Within = []core.Collection{other} }), doc(hr),
			Reason{Clause: NotSearched, Name: "the place's collections"},
			"Not found: its access would allow it, but it lies outside of the place's collections."},
		{"no sources searched", with(held(hr), func(f *core.Filter) { f.Sources = []string{} }), doc(hr),
			Reason{Clause: NotSearched, Name: "the sources asked for"},
			"Not found: its access would allow it, but it lies outside of the sources asked for."},
		{"outside of the folders", with(held(hr), func(f *core.Filter) { f.Folders = []string{"wiki/x"} }), doc(hr),
			Reason{Clause: NotSearched, Name: "the collections, folders and attached documents asked for"},
			"Not found: its access would allow it, but it lies outside of the collections, folders and attached documents asked for."},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := Why(row.filter, row.doc)
			if diff := cmp.Diff(row.want, got); diff != "" || got.Sentence() != row.sentence {
				t.Errorf("%s\n got %q\nwant %q", diff, got.Sentence(), row.sentence)
			}
		})
	}
}

// The reason never says otherwise than the filter.
func TestWhyIsWhatTheFilterSays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		f, d := randomAudience(r).Filter(), randomFacts(r)
		f.IncludeHidden = r.IntN(3) == 0
		if r.IntN(3) == 0 {
			f.Sources = pick(r, "wiki", "hr", "eng")
		}
		if r.IntN(4) == 0 {
			f.Updated.From = time.Unix(int64(r.IntN(100)), 0)
			d.Updated = time.Unix(int64(r.IntN(100)), 0)
		}
		if r.IntN(4) == 0 {
			f.Attached = pick(r, "wiki/1", "hr/1")
		}
		why := Why(f, d)
		if why.Found != f.Allows(d) {
			t.Fatalf("%+v says found %v, the filter %v\n%+v\n%+v", why, why.Found, f.Allows(d), f, d)
		}
		if text := why.Sentence(); text == "" || text == (Reason{}).Sentence() {
			t.Fatalf("%+v has no sentence", why)
		}
	}
}
