package find

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

// brief writes a section as its document with its ordinals, the center marked.
func brief(s *section) string {
	var parts []string
	for _, p := range s.passages {
		mark := ""
		if p.Ordinal == s.center.Passage.Ordinal {
			mark = "*"
		}
		parts = append(parts, fmt.Sprint(p.Ordinal, mark))
	}
	return s.center.Document.ID + " " + strings.Join(parts, " ")
}

func briefs(sections []*section) []string {
	out := []string{}
	for _, s := range sections {
		out = append(out, brief(s))
	}
	return out
}

// found makes results of words like "w/a:3", best first.
func found(names string) []core.Result {
	var out []core.Result
	for i, name := range strings.Fields(names) {
		document, ordinal, _ := strings.Cut(name, ":")
		var n int
		fmt.Sscan(ordinal, &n)
		out = append(out, passage(core.PassageID(i+1), document, n))
	}
	return out
}

func TestSectionsOf(t *testing.T) {
	for _, row := range []struct {
		found string
		want  []string
	}{
		{"", []string{}},
		{"w/a:3 w/b:3 w/a:7", []string{"w/a 3*", "w/b 3*", "w/a 7*"}},
		{"w/a:3 w/b:1 w/a:4", []string{"w/a 3* 4", "w/b 1*"}},
		{"w/b:1 w/a:4 w/a:3", []string{"w/b 1*", "w/a 3 4*"}},
		{"w/a:3 w/b:1 w/a:5 w/a:4", []string{"w/a 3* 4 5", "w/b 1*"}},
		{"w/a:5 w/b:1 w/a:3 w/a:4", []string{"w/a 3 4 5*", "w/b 1*"}},
		{"w/a:9 w/a:1 w/a:3 w/a:7 w/a:2 w/a:8", []string{"w/a 7 8 9*", "w/a 1* 2 3"}},
	} {
		t.Run(row.found, func(t *testing.T) {
			if diff := cmp.Diff(row.want, briefs(sectionsOf(found(row.found)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What a source found beside the ledger has no place in a document.
func TestSectionsOfLiveHits(t *testing.T) {
	hits := found("w/a:0 w/a:0 w/a:1")
	hits[0].Passage.ID, hits[1].Passage.ID = 0, 0
	hits[1].Passage.Text = "other"
	if got := briefs(sectionsOf(hits)); len(got) != 3 {
		t.Errorf("%q", got)
	}
}

func TestSectionText(t *testing.T) {
	s := sectionsOf(found("w/a:3 w/a:4 w/a:2"))[0]
	r := s.result()
	if r.Text() != "Text 2 of w/a.\n\nText 3 of w/a.\n\nText 4 of w/a." || r.Passage.Ordinal != 3 || r.Passage.Text != "Text 3 of w/a." {
		t.Errorf("%q, center %+v", r.Text(), r.Passage)
	}
	r.Section = slices.Delete(r.Section, 1, 2)
	if r.Text() != "Text 2 of w/a.\n\n…\n\nText 4 of w/a." {
		t.Errorf("with a gap: %q", r.Text())
	}
	if alone := sectionsOf(found("w/a:3"))[0].result(); alone.Section != nil || alone.Text() != "Text 3 of w/a." {
		t.Errorf("alone: %+v", alone)
	}
}

func TestBalance(t *testing.T) {
	for _, row := range []struct {
		found string
		limit int
		want  []string
	}{
		{"a/1:0 a/2:0 a/3:0 a/4:0 a/5:0 b/1:0 c/1:0", 5, []string{"a/1 0*", "a/2 0*", "a/3 0*", "b/1 0*", "c/1 0*", "a/4 0*", "a/5 0*"}},
		{"a/1:0 a/2:0 a/3:0 a/4:0 a/5:0 b/1:0", 5, []string{"a/1 0*", "a/2 0*", "a/3 0*", "b/1 0*", "a/4 0*", "a/5 0*"}},
		{"a/1:0 a/2:0 a/3:0 a/4:0", 3, []string{"a/1 0*", "a/2 0*", "a/3 0*", "a/4 0*"}},
		{"a/1:0 b/1:0 a/2:0", 10, []string{"a/1 0*", "b/1 0*", "a/2 0*"}},
		{"a/1:0 b/1:0", 1, []string{"a/1 0*", "b/1 0*"}},
	} {
		if diff := cmp.Diff(row.want, briefs(balance(sectionsOf(found(row.found)), row.limit))); diff != "" {
			t.Errorf("%s of %d: %s", row.found, row.limit, diff)
		}
	}
}

// row of a reading: what the ledger holds, what was found of it and how far it is
// to be read. A passage takes as many tokens as its text has bytes.
type reading struct {
	name    string
	ledger  string // "w/a:0-9" is ten passages
	found   string
	extents []extent
	sizes   map[string]int // of passages; 100 for all others
	denied  []string
	room    int
	limit   int
	paged   int // passages on a page; 0 for documents without pages
	recheck bool
	want    []string
	left    map[string]string // why a section, by its center, is left out
}

func TestRead(t *testing.T) {
	for _, row := range []reading{
		{name: "all fit", ledger: "w/a:0-9 w/b:0-9", found: "w/a:3 w/b:5", room: 1000, want: []string{"w/a 3*", "w/b 5*"}},
		{name: "neighbours", ledger: "w/a:0-9 w/b:0-9", found: "w/a:3 w/b:0", extents: []extent{neighbours, neighbours}, room: 10000,
			want: []string{"w/a 1 2 3* 4 5", "w/b 0* 1 2"}},
		{name: "the document", ledger: "w/a:0-5", found: "w/a:4", extents: []extent{whole}, room: 10000, want: []string{"w/a 0 1 2 3 4* 5"}},
		{name: "as much of the document as fits, around the center", ledger: "w/a:0-9", found: "w/a:4", extents: []extent{whole}, room: 75 + 450,
			want: []string{"w/a 3 4* 5 6"}},
		{name: "sections come before what stands around them", ledger: "w/a:0-9 w/b:0-9", found: "w/a:3 w/b:5", extents: []extent{whole}, room: 2*175 + 100,
			want: []string{"w/a 3* 4", "w/b 5*"}},
		{name: "skip what does not fit, do not stop", ledger: "w/a:0-9 w/b:0-9 w/c:0-9", found: "w/a:3 w/b:5 w/c:1", sizes: map[string]int{"w/b:5": 5000}, room: 400,
			want: []string{"w/a 3*", "w/c 1*"}, left: map[string]string{"w/b 5*": "no room"}},
		{name: "the center of a section where all of it is too much", ledger: "w/a:0-9", found: "w/a:3 w/a:4 w/a:5", room: 200, want: []string{"w/a 3*"}},
		{name: "the best one whatever its size", ledger: "w/a:0-9 w/b:0-1", found: "w/a:3 w/b:1", sizes: map[string]int{"w/a:3": 5000}, room: 200,
			want: []string{"w/a 3*"}, left: map[string]string{"w/b 1*": "no room"}},
		{name: "one side does not fit, the other does", ledger: "w/a:0-9", found: "w/a:3", extents: []extent{neighbours}, sizes: map[string]int{"w/a:4": 5000}, room: 1000,
			want: []string{"w/a 1 2 3*"}},
		{name: "sections that meet become one", ledger: "w/a:0-9 w/b:0-9", found: "w/a:3 w/b:1 w/a:6", extents: []extent{neighbours, alone, neighbours}, room: 10000,
			want: []string{"w/a 1 2 3* 4 5 6 7 8", "w/b 1*"}, left: map[string]string{"w/a 6*": "read with a better one"}},
		{name: "no more than the limit", ledger: "w/a:0-9 w/b:0-9", found: "w/a:3 w/b:5", room: 1000, limit: 1,
			want: []string{"w/a 3*"}, left: map[string]string{"w/b 5*": "enough others"}},
		{name: "closed while the model chose", ledger: "w/a:0-9 w/b:0-9", found: "w/a:3 w/b:5", denied: []string{"w/a:3"}, room: 1000, recheck: true,
			want: []string{"w/b 5*"}, left: map[string]string{"w/a 3*": "may no longer be read"}},
		{name: "closed before its neighbours were read", ledger: "w/a:0-9 w/b:0-9", found: "w/a:3 w/b:5", denied: []string{"w/a:3"}, extents: []extent{whole}, room: 1000,
			want: []string{"w/b 5*"}, left: map[string]string{"w/a 3*": "may no longer be read"}},
		{name: "a neighbour that is closed ends its side", ledger: "w/a:0-9", found: "w/a:3", denied: []string{"w/a:2"}, extents: []extent{neighbours}, room: 1000,
			want: []string{"w/a 3* 4 5"}},
		{name: "pages are read on to the next ones", ledger: "w/a:0-9 w/b:0-9", found: "w/a:4", paged: 1, room: 1000, want: []string{"w/a 3 4* 5"}},
		{name: "and no farther", ledger: "w/a:0-9", found: "w/a:4", paged: 2, room: 1000, want: []string{"w/a 2 3 4* 5 6"}},
		{name: "never without the hit", ledger: "w/a:4", found: "w/a:4", paged: 1, room: 1, want: []string{"w/a 4*"}},
		{name: "nothing found", ledger: "w/a:0-9", found: "", paged: 1, room: 1000, want: []string{}},
	} {
		t.Run(row.name, row.run)
	}
}

func (row reading) run(t *testing.T) {
	l, byName := row.library()
	var results []core.Result
	for _, name := range strings.Fields(row.found) {
		results = append(results, byName[name])
	}
	sections := sectionsOf(results)
	for i, e := range row.extents {
		sections[i].extent = e
	}
	names := map[*section]string{}
	for _, s := range sections {
		names[s] = brief(s)
	}
	if row.limit == 0 {
		row.limit = 10
	}
	r := &reader{passages: l, count: func(s string) int { return len(s) }, room: row.room, recheck: row.recheck}
	got, why, err := r.read(t.Context(), sections, row.limit)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(row.want, briefs(got)); diff != "" {
		t.Errorf("sections differ (-want +got):\n%s", diff)
	}
	if len(l.looks) > 2 || len(l.looks) > 1 && !row.recheck {
		t.Errorf("the ledger is read %d times", len(l.looks))
	}
	left := map[string]string{}
	for s, reason := range why {
		left[names[s]] = reason
	}
	if len(left)+len(row.left) > 0 {
		if diff := cmp.Diff(row.left, left); diff != "" {
			t.Errorf("left out (-want +got):\n%s", diff)
		}
	}
}

// library is the ledger of the row, with its passages by name.
func (row reading) library() (*library, map[string]core.Result) {
	l, byName := &library{denied: map[core.PassageID]bool{}}, map[string]core.Result{}
	for _, span := range strings.Fields(row.ledger) {
		document, ordinals, _ := strings.Cut(span, ":")
		var from, to int
		if n, _ := fmt.Sscanf(ordinals, "%d-%d", &from, &to); n == 1 {
			to = from
		}
		for n := from; n <= to; n++ {
			name := fmt.Sprintf("%s:%d", document, n)
			p := passage(core.PassageID(len(l.results)+1), document, n)
			size, ok := row.sizes[name]
			if !ok {
				size = 100
			}
			p.Passage.Text = strings.Repeat("x", size)
			if row.paged > 0 {
				p.Passage.Page = 1 + n/row.paged
			}
			l.results, byName[name] = append(l.results, p), p
			l.denied[p.Passage.ID] = slices.Contains(row.denied, name)
		}
	}
	return l, byName
}

func TestReadFails(t *testing.T) {
	_, _, err := (&reader{passages: &broken{}, count: func(string) int { return 1 }, room: 100, recheck: true}).read(t.Context(), sectionsOf(found("w/a:1")), 5)
	if err == nil {
		t.Error("an error of the ledger is lost")
	}
}

// broken is a ledger that cannot be read.
type broken struct{ library }

func (broken) Around(context.Context, Query, []core.Window) ([][]core.Result, error) {
	return nil, context.Canceled
}
