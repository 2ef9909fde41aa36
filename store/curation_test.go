package store

import (
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// What a curator hid stays hidden whatever the source sends, also when it goes and
// comes again; taken back, the source's own word counts.
func TestHiddenDocumentsStayHidden(t *testing.T) {
	s := handbook(t)
	put(t, s, page("a", []core.Principal{core.Public}, "one"), page("b", []core.Principal{core.Public}, "two"))
	hidden := func(id string) bool {
		t.Helper()
		got, err := s.Document(t.Context(), "handbook/"+id)
		check(t, err)
		seen, err := s.Visible(t.Context(), core.Filter{}, []core.PassageID{around1(t, s, id)})
		check(t, err)
		if (len(seen) == 0) != got.Hidden {
			t.Errorf("%s: hidden is %v, and %d passages are seen", id, got.Hidden, len(seen))
		}
		return got.Hidden
	}
	by := core.HiddenDocument{Document: "handbook/a", Account: "slack:T1/U1", At: at(2026, 3)}
	check(t, s.HideDocument(t.Context(), by))
	if !hidden("a") || hidden("b") {
		t.Fatal("not hidden, or the wrong one")
	}
	put(t, s, page("a", []core.Principal{core.Public}, "one, changed"))
	if !hidden("a") {
		t.Error("a sync brought it back")
	}
	check(t, s.Commit(t.Context(), core.Batch{Source: "handbook", Removed: []string{"a"}}))
	put(t, s, page("a", []core.Principal{core.Public}, "again"))
	if !hidden("a") {
		t.Error("it went, came again and is seen")
	}
	list, err := s.HiddenDocuments(t.Context())
	check(t, err)
	diff(t, []core.HiddenDocument{by}, list)
	check(t, s.ShowDocument(t.Context(), "handbook/a"))
	if hidden("a") {
		t.Error("still hidden")
	}
	own := page("b", []core.Principal{core.Public}, "two")
	own.Document.Hidden = true
	put(t, s, own)
	check(t, s.HideDocument(t.Context(), core.HiddenDocument{Document: "handbook/b"}))
	check(t, s.ShowDocument(t.Context(), "handbook/b"))
	if !hidden("b") {
		t.Error("its source hides it")
	}
	wantKind(t, s.HideDocument(t.Context(), core.HiddenDocument{Document: "handbook/nope"}), core.KindNotFound)
	wantKind(t, s.ShowDocument(t.Context(), "handbook/a"), core.KindNotFound)
}

// around1 is the first passage of a document.
func around1(t *testing.T, s *Store, id string) core.PassageID {
	t.Helper()
	got, err := s.Around(t.Context(), core.Filter{Bypass: true, IncludeHidden: true}, []core.Window{{Document: "handbook/" + id}})
	check(t, err)
	if len(got[0]) == 0 {
		t.Fatalf("%s has no passages", id)
	}
	return got[0][0].Passage.ID
}

func TestDocumentVotes(t *testing.T) {
	s := handbook(t)
	v := core.DocumentVote{Document: "handbook/a", Account: "slack:T1/U1", Up: true, TurnID: "t1", At: at(2026, 3)}
	check(t, s.PutDocumentVote(t.Context(), v))
	v.Up, v.TurnID, v.At = false, "t2", at(2026, 4)
	check(t, s.PutDocumentVote(t.Context(), v))
	got, err := s.DocumentVotes(t.Context(), "handbook/a")
	check(t, err)
	diff(t, []core.DocumentVote{v}, got)
}
