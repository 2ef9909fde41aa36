package indextest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// testRandomFilters compares index and definition over random facts and filters,
// between random changes.
func testRandomFilters(t *testing.T, x core.Index) {
	r := random{rand.New(rand.NewPCG(7, 2026))}
	l := newLibrary(x)
	for round := range 12 {
		var changed []core.Facts
		for range 25 {
			changed = append(changed, r.facts(fmt.Sprintf("s/%d", r.IntN(70))))
		}
		switch round % 3 {
		case 0:
			l.put(t, changed...)
		case 1:
			l.set(t, changed...)
		case 2:
			l.delete(t, changed[0].Document, changed[1].Document, changed[2].Document)
			l.put(t, changed[3:6]...)
		}
		for range 60 {
			l.check(t, r.filter())
		}
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
}

type random struct{ *rand.Rand }

// some is a random part of a list; nil and empty both occur.
func some[T any](r random, list ...T) []T {
	if r.IntN(6) == 0 {
		return nil
	}
	out := []T{}
	for _, i := range r.Perm(len(list))[:r.IntN(min(4, len(list)+1))] {
		out = append(out, list[i])
	}
	return out
}

func (r random) time() time.Time {
	if r.IntN(4) == 0 {
		return time.Time{}
	}
	return now.AddDate(0, 0, -r.IntN(300)).Add(time.Duration(r.IntN(3)) * 400 * time.Millisecond)
}

func (r random) principals() []core.Principal {
	return some(r, core.Public, core.Workspace, ann, bob, eng, hr, core.Group("drive", "eng"))
}

func (r random) folders() []string { return some(r, "s/1", "s/2", "t/1", "s/ü") }

func (r random) tags() []string {
	return some(r, "team=core", "Team=Core", "TEAM=ops", "kind=faq", "kind=a=b", "Größe=Ö", "plain", "team=")
}

func (r random) facts(id string) core.Facts {
	return core.Facts{
		Document: id, Source: []string{"wiki", "drive", "mail"}[r.IntN(3)], Access: core.NewAccess(r.principals()...), Hidden: r.IntN(6) == 0,
		Folders: r.folders(), Tags: r.tags(), Created: r.time(), Updated: r.time(),
		Title: []string{"", "The A_B", "axb", "Größe"}[r.IntN(4)], Kind: []string{"", "Page", "ticket"}[r.IntN(3)],
	}
}

func (r random) collections() []core.Collection {
	var all []core.Collection
	for range 4 {
		c := core.Collection{}
		if r.IntN(3) == 0 {
			c.Sources = some(r, "wiki", "drive", "nowhere")
		}
		if r.IntN(3) == 0 {
			c.Folders = r.folders()
		}
		if r.IntN(3) == 0 {
			c.Tags = r.tags()
		}
		all = append(all, c)
	}
	return some(r, all...)
}

// filter has few clauses each time, so that something passes.
func (r random) filter() core.Filter {
	f := core.Filter{Principals: r.principals(), Bypass: r.IntN(4) == 0, IncludeHidden: r.IntN(4) == 0, Now: now}
	for range r.IntN(4) {
		switch r.IntN(14) {
		case 0:
			f.Readers = r.readers()
		case 1:
			f.Granted = r.collections()
		case 2:
			f.Sources = some(r, "wiki", "drive", "mail", "nowhere")
		case 3:
			f.Documents = some(r, "s/1", "s/2", "s/3", "s/nowhere")
		case 4:
			f.Tags = r.tags()
		case 5:
			f.Tags, f.TagMode = r.tags(), core.TagPerKey
		case 6:
			f.Updated = core.Range{From: r.time(), To: r.time()}
		case 7:
			f.Created = core.Range{From: r.time(), To: r.time()}
		case 8:
			f.Within = r.collections()
		case 9:
			f.Collections = r.collections()
		case 10:
			f.Attached, f.Folders = some(r, "s/4", "s/5", "s/6"), r.folders()
		case 11:
			f.Asked = r.collections()
		case 12:
			f.Under = r.under()
		case 13:
			w := r.where(3)
			f.Where = &w
		}
	}
	return f
}

func (r random) readers() [][]core.Principal {
	out := make([][]core.Principal, r.IntN(4))
	for i := range out {
		out[i] = append(r.principals(), r.principals()...)
	}
	return out
}
