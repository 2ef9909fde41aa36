package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

// walk changes a ledger at random by its own methods. Its documents lie on both sides of
// a border of pages.
type walk struct {
	t    *testing.T
	s    *Store
	r    *rand.Rand
	pass int64 // of wiki, which tells who may read what; 0 before the first
}

var walkers = []core.Principal{core.Public, core.Workspace, core.User("ann@example.com"), core.User("bo@example.com"), core.Group("wiki", "hr")}

func newWalk(t *testing.T, seed uint64) *walk {
	s := open(t, t.TempDir())
	w := &walk{t: t, s: s, r: rand.New(rand.NewPCG(seed, 7))}
	check(t, s.PutSource(t.Context(), handbookSource(core.Workspace)))
	check(t, s.PutSource(t.Context(), w.wiki()))
	put(t, s, page("first", walkers[:1]))
	check(t, statement(t.Context(), s, `DELETE FROM passages; DELETE FROM access; UPDATE documents SET n = (1 << 10) - 5`))
	return w
}

func (w *walk) id() string { return fmt.Sprint("d", w.r.IntN(12)) }

func (w *walk) some(of string) (out []string) {
	for range w.r.IntN(3) {
		out = append(out, fmt.Sprint(of, w.r.IntN(3)))
	}
	return out
}

func (w *walk) readers() core.Access {
	var out []core.Principal
	for _, p := range walkers {
		if w.r.IntN(3) == 0 {
			out = append(out, p)
		}
	}
	return core.NewAccess(out...)
}

func (w *walk) wiki() core.Source {
	return core.Source{Name: "wiki", Connector: "push", Access: w.readers(), Every: time.Hour, Origin: core.FromConfig}
}

func (w *walk) entry() core.Entry {
	e := page(w.id(), w.readers(), "text")
	d := &e.Document
	d.Source, d.ID = "wiki", "wiki/"+d.ExternalID
	d.Title, d.Kind, d.Hidden, d.Folders = fmt.Sprint("Title ", w.r.IntN(3)), w.id(), w.r.IntN(4) == 0, w.some("f")
	d.Created, d.Meta = time.UnixMicro(w.r.Int64N(2)*12345).UTC(), map[string]string{w.id(): `a "b"`}
	if e.HostAccess = w.r.IntN(3) == 0; w.r.IntN(2) == 0 {
		d.Meta, d.Created = nil, time.Time{}
	}
	e.Facts[0] = byte(w.r.IntN(256))
	return e
}

func (w *walk) commit(b core.Batch) error {
	b.Source = "wiki"
	return w.s.Commit(w.t.Context(), b)
}

func (w *walk) account(b core.AccessBatch) error {
	b.Source, b.Pass = "wiki", w.pass
	_, err := w.s.CommitAccess(w.t.Context(), b)
	return err
}

// steps are the methods that write documents or who may read them, and some that only
// seem to.
func (w *walk) steps() map[string]func() error {
	ctx, s := w.t.Context(), w.s
	return map[string]func() error{
		"content": func() error { return w.commit(core.Batch{Content: []core.Entry{w.entry()}}) },
		"more":    func() error { return w.commit(core.Batch{Content: []core.Entry{w.entry(), w.entry(), w.entry()}}) },
		"facts":   func() error { return w.commit(core.Batch{Facts: []core.Entry{w.entry()}}) },
		"removed": func() error { return w.commit(core.Batch{Removed: []string{w.id()}}) },
		"closed":  func() error { return w.commit(core.Batch{Closed: w.some("f"), Unsettled: w.some("f")}) },
		"failure": func() error {
			return w.commit(core.Batch{Failures: []core.FailedRead{{Failure: core.Failure{ExternalID: w.id(), Kind: core.KindInvalid}, Untold: true}}})
		},
		"source":      func() error { return s.PutSource(ctx, w.wiki()) },
		"gone source": func() error { w.pass = 0; return s.RemoveSource(ctx, "wiki") },
		"hide": func() error {
			return s.HideDocument(ctx, core.HiddenDocument{Document: "wiki/" + w.id(), At: time.UnixMicro(1)})
		},
		"show": func() error { return s.ShowDocument(ctx, "wiki/"+w.id()) },
		"pass": func() error {
			state, err := s.BeginAccess(ctx, "wiki", w.r.IntN(2) == 0)
			w.pass = state.Pass
			return err
		},
		"readers": func() error {
			return w.account(core.AccessBatch{Readers: []core.Readers{{ExternalID: w.id(), Access: w.readers(), HostAccess: w.r.IntN(4) == 0}}})
		},
		"folders": func() error {
			return w.account(core.AccessBatch{Folders: []core.FolderReaders{{Folder: fmt.Sprint("f", w.r.IntN(3)), Access: w.readers()}}, FoldersWhole: w.r.IntN(3) == 0})
		},
		"groups": func() error {
			return w.account(core.AccessBatch{Groups: []core.GroupMembers{{Source: "wiki", Name: "hr"}}, Gone: []string{"old"}})
		},
		"whole": func() error {
			return w.account(core.AccessBatch{Whole: &core.AccessWhole{AllDocuments: w.r.IntN(2) == 0, AllGroups: true}})
		},
		"confirm":   func() error { return s.Confirm(ctx, backlog(w.t, s)) },
		"unconfirm": func() error { return s.Unconfirm(ctx) },
		"renew":     func() error { return s.RenewFacts(ctx) },
	}
}

// Whatever the ledger's methods do to it, in any order, a start reads from pages what
// the rows tell. All pages are there before each step.
func TestFactPagesThroughAllMethods(t *testing.T) {
	done, all := map[string]int{}, 0
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWalk(t, seed)
			steps := w.steps()
			all = len(steps)
			names := slices.Sorted(maps.Keys(steps))
			for range 250 {
				for n := range int64(3) {
					check(t, w.s.makePage(t.Context(), n))
				}
				name := names[w.r.IntN(len(names))]
				if name == "gone source" && w.r.IntN(3) > 0 {
					name = "more"
				}
				switch err := steps[name](); core.KindOf(err) {
				case "":
					done[name]++
				case core.KindNotFound, core.KindConflict:
					check(t, w.s.PutSource(t.Context(), w.wiki()))
				default:
					t.Fatalf("%s: %v", name, err)
				}
				if d := cmp.Diff(rowsOf(t, w.s), factsIn(t, w.s)); d != "" {
					t.Fatalf("after %s (-want +got)\n%s", name, d)
				}
			}
			w.copied()
		})
	}
	if len(done) != all {
		t.Errorf("only these steps went well: %v", done)
	}
}

// copied looks at what a backup has.
func (w *walk) copied() {
	dir := w.t.TempDir()
	check(w.t, w.s.makePage(w.t.Context(), 0))
	check(w.t, w.s.CopyTo(w.t.Context(), filepath.Join(dir, FileName)))
	there := openAsIs(w.t, dir)
	diff(w.t, pagesIn(w.t, w.s), pagesIn(w.t, there))
	diff(w.t, rowsOf(w.t, w.s), factsIn(w.t, there))
	check(w.t, there.RemoveSource(w.t.Context(), "wiki"))
	diff(w.t, rowsOf(w.t, there), factsIn(w.t, there))
}

// A page outlives the program that packed it: whoever changes what is packed of a row, or
// how, has to raise pageForm, or starts would go on with what was packed before.
func TestFactPagesAreOfOneForm(t *testing.T) {
	packed := packFacts(append(rowsOf(t, manyFacts(t, 2)), sampleFacts()...))
	sum := binary.BigEndian.Uint32(packed[len(packed)-crc32.Size:])
	if form := packed[0]; form != 1 || sum != 0x10ba2843 {
		t.Errorf("form %d has the checksum %#x: if that is meant, raise pageForm and write both here", form, sum)
	}
}
