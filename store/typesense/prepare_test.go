package typesense_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/indextest"
	"github.com/footnote-bot/footnote/store/typesense"
	"github.com/footnote-bot/footnote/store/typesense/typesensetest"
)

// collections leaves out the notes beside them.
func collections(s *typesensetest.Server) []string {
	return slices.DeleteFunc(s.Collections(), func(name string) bool { return strings.HasSuffix(name, "_state") })
}

func TestPrepareRefusesWhatIsNotItsOwn(t *testing.T) {
	for name, collection := range map[string]string{
		"of a later version": alias + "_v99_abc",
		"of somebody else":   "products",
	} {
		t.Run(name, func(t *testing.T) {
			s := typesensetest.New(t)
			s.Add(alias, collection)
			x := opened(t, s, typesense.Options{})
			if _, err := x.Prepare(t.Context(), "", false); core.KindOf(err) != core.KindConfig || !strings.Contains(err.Error(), collection) {
				t.Errorf("Prepare: %v, want a config error that names %s", err, collection)
			}
			if got := collections(s); !slices.Equal(got, []string{collection}) {
				t.Errorf("collections %v, want %s alone", got, collection)
			}
		})
	}
}

// TestOlderSchema fills a new collection beside the old one and then switches.
func TestOlderSchema(t *testing.T) {
	s := typesensetest.New(t)
	old := alias + "_v0_abc"
	older := strings.Replace(old, "_v0_", "_v1_", 1)
	s.Add(alias, older)
	s.Lose(older) // what the alias leads to is gone
	x := opened(t, s, typesense.Options{})
	p := prepare(t, x, older, false)
	if !p.Empty || p.Collection == older {
		t.Fatalf("prepared %+v, want a new collection", p)
	}
	put(t, x, indextest.Document("s/a", 1, "walrus"))
	if err := x.Switch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.Alias(alias); got != p.Collection {
		t.Errorf("the alias leads to %s, want %s", got, p.Collection)
	}
}

// TestRenew answers from the old collection until the new one is full. What is
// closed or removed meanwhile is so in both.
func TestRenew(t *testing.T) {
	s := typesensetest.New(t)
	x := opened(t, s, typesense.Options{})
	first := prepare(t, x, "", false)
	if !first.Empty || s.Alias(alias) != first.Collection {
		t.Fatalf("prepared %+v, the alias leads to %q", first, s.Alias(alias))
	}
	set := core.VectorSet{Model: "m", Dimensions: 2}
	docs := []core.IndexedDocument{indextest.Document("s/a", 1, "walrus"), indextest.Document("s/b", 2, "walrus"), indextest.Document("s/c", 3, "walrus")}
	put(t, x, docs...)
	if err := x.UseVectors(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	second := prepare(t, x, first.Collection, true)
	if !second.Empty || second.Collection == first.Collection {
		t.Fatalf("renewed to %+v, want another one than %s", second, first.Collection)
	}
	if got := find(t, x, "walrus"); len(got) != 3 {
		t.Errorf("while it is filled %v is found, want what the old one holds", got)
	}
	closed := docs[0].Facts
	closed.Access = nil
	if err := x.SetFacts(t.Context(), []core.Facts{closed}); err != nil {
		t.Fatal(err)
	}
	if err := x.Delete(t.Context(), []string{"s/b"}); err != nil {
		t.Fatal(err)
	}
	if got := find(t, x, "walrus"); !slices.Equal(got, []core.PassageID{3}) {
		t.Errorf("%v is found after one was closed and one removed, want passage 3", got)
	}
	again := opened(t, s, typesense.Options{}) // as after a crash
	if p := prepare(t, again, second.Collection, false); p.Collection != second.Collection {
		t.Errorf("opened again it fills %s, want to go on with %s", p.Collection, second.Collection)
	}
	docs[0].Facts = closed
	put(t, again, docs[0], docs[2])
	if got := s.Alias(alias); got != first.Collection {
		t.Errorf("before the switch the alias leads to %s", got)
	}
	if err := again.Switch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := collections(s); !slices.Equal(got, []string{second.Collection}) || s.Alias(alias) != second.Collection {
		t.Errorf("collections %v, alias %s; want %s alone", got, s.Alias(alias), second.Collection)
	}
	if got := find(t, again, "walrus"); !slices.Equal(got, []core.PassageID{3}) {
		t.Errorf("after the switch %v is found, want passage 3", got)
	}
	// Searches by vector go on, for what has vectors again.
	if hits, err := again.Hybrid(t.Context(), core.HybridQuery{Vector: []float32{1, 0}}); err != nil || len(hits) != 0 {
		t.Errorf("Hybrid: %v, %v, want nothing yet", hits, err)
	}
	if docs, passages, err := again.Count(t.Context()); err != nil || docs != 2 || passages != 2 {
		t.Errorf("Count: %d, %d, %v", docs, passages, err)
	}
}
