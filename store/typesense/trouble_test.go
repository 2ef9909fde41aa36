package typesense_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/indextest"
	"github.com/footnote-bot/footnote/store/typesense"
	"github.com/footnote-bot/footnote/store/typesense/typesensetest"
)

const alias = "footnote_test"

// opened is an index on a server of its own.
func opened(t *testing.T, s *typesensetest.Server, o typesense.Options) *typesense.Index {
	t.Helper()
	if o.URLs == nil {
		o.URLs = []string{s.URL}
	}
	o.APIKey, o.Name = typesensetest.Key, alias
	x, err := typesense.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func prepare(t *testing.T, x *typesense.Index, noted string, renew bool) typesense.Prepared {
	t.Helper()
	p, err := x.Prepare(t.Context(), noted, renew)
	if err != nil {
		t.Fatalf("Prepare: %v", err)
	}
	return p
}

func put(t *testing.T, x *typesense.Index, docs ...core.IndexedDocument) {
	t.Helper()
	if err := x.Put(t.Context(), docs); err != nil {
		t.Fatalf("Put: %v", err)
	}
}

func find(t *testing.T, x *typesense.Index, text string) []core.PassageID {
	t.Helper()
	hits, err := x.Keyword(t.Context(), core.KeywordQuery{Text: text})
	if err != nil {
		t.Fatalf("Keyword: %v", err)
	}
	out := []core.PassageID{}
	for _, h := range hits {
		out = append(out, h.Passage)
	}
	return out
}

// well makes a call until it goes well, so often at most.
func well(t *testing.T, tries int, call func() error) {
	t.Helper()
	var err error
	for range tries {
		if err = call(); err == nil {
			return
		}
	}
	t.Fatal(err)
}

// TestTrouble has each way in which a cluster may fail: what kind of error comes of
// it, and that nothing of the key or of documents is in it or in the log.
func TestTrouble(t *testing.T) {
	answer := func(status int, text string) typesensetest.Trouble {
		return func(*http.Request) (int, string) { return status, text }
	}
	writes := func(trouble typesensetest.Trouble) typesensetest.Trouble {
		return func(r *http.Request) (int, string) {
			if r.URL.Path == "/multi_search" || r.Method == http.MethodGet {
				return 0, ""
			}
			return trouble(r)
		}
	}
	slow := func(r *http.Request) (int, string) {
		<-r.Context().Done()
		return http.StatusGatewayTimeout, ""
	}
	for name, row := range map[string]struct {
		trouble       typesensetest.Trouble
		refused       string
		search, write core.Kind
	}{
		"down":                {answer(503, "Not Ready or Lagging"), "", core.KindUnavailable, core.KindUnavailable},
		"slow":                {slow, "", core.KindUnavailable, core.KindUnavailable},
		"read-only":           {writes(answer(422, "Skipping writes.")), "", "", core.KindUnavailable},
		"no room":             {writes(answer(422, "Rejecting write: running out of resource type: OUT_OF_DISK")), "", "", core.KindUnavailable},
		"no room for a line":  {nil, "Rejecting write: running out of resource type: OUT_OF_MEMORY", "", core.KindUnavailable},
		"a line is refused":   {nil, "Field `words` must be a string[].", "", core.KindInternal},
		"too many requests":   {answer(429, "Rate limit exceeded"), "", core.KindBusy, core.KindBusy},
		"the key is refused":  {answer(401, "Forbidden - a valid `x-typesense-api-key` header must be sent."), "", core.KindAuth, core.KindAuth},
		"the collection left": {answer(404, "Not Found"), "", core.KindUnavailable, core.KindUnavailable},
		"no Typesense at all": {answer(200, "hello"), "", core.KindUnavailable, core.KindUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			var logged bytes.Buffer
			s := typesensetest.New(t)
			patience, tries := time.Duration(0), 1
			if name == "slow" { // where the machine stands still for so long, what has to go well is tried again
				patience, tries = 500*time.Millisecond, 100
			}
			x := opened(t, s, typesense.Options{Timeout: patience, Log: slog.New(slog.NewTextHandler(&logged, nil))})
			noted := ""
			prepared := func() error {
				p, err := x.Prepare(t.Context(), noted, false)
				noted = cmp.Or(p.Collection, noted)
				return err
			}
			stored := func(id string, n core.PassageID, text string) func() error {
				return func() error { return x.Put(t.Context(), []core.IndexedDocument{indextest.Document(id, n, text)}) }
			}
			well(t, tries, prepared)
			well(t, tries, stored("s/a", 1, "walrus"))
			s.Disturb(row.trouble)
			s.RefuseLines(row.refused)
			_, searchErr := x.Keyword(t.Context(), core.KeywordQuery{Text: "walrus"})
			if kind := core.KindOf(searchErr); kind != row.search {
				t.Errorf("Keyword: %v (%s), want kind %q", searchErr, kind, row.search)
			}
			writeErr := x.Put(t.Context(), []core.IndexedDocument{indextest.Document("s/b", 2, "narwhal secret")})
			if kind := core.KindOf(writeErr); kind != row.write {
				t.Errorf("Put: %v (%s), want kind %q", writeErr, kind, row.write)
			}
			for _, text := range []string{fmt.Sprint(searchErr), fmt.Sprint(writeErr), logged.String()} {
				if strings.Contains(text, typesensetest.Key) || strings.Contains(text, "narwhal") {
					t.Errorf("tells too much: %s", text)
				}
			}
			s.Disturb(nil)
			s.RefuseLines("")
			if !x.Ready() {
				well(t, tries, prepared)
			}
			well(t, tries, stored("s/b", 2, "narwhal secret"))
			var got []core.Hit
			well(t, tries, func() (err error) {
				got, err = x.Keyword(t.Context(), core.KeywordQuery{Text: "walrus narwhal"})
				return err
			})
			if len(got) != 2 {
				t.Errorf("afterwards %v is found, want both passages", got)
			}
		})
	}
}

// TestNotReady says so for every call until Prepare went well.
func TestNotReady(t *testing.T) {
	s := typesensetest.New(t)
	x := opened(t, s, typesense.Options{})
	s.Disturb(func(*http.Request) (int, string) { return 500, "" })
	if _, err := x.Prepare(t.Context(), "", false); core.KindOf(err) != core.KindUnavailable {
		t.Errorf("Prepare: %v, want kind unavailable", err)
	}
	set := core.VectorSet{Model: "m", Dimensions: 1}
	for name, call := range map[string]func(context.Context) error{
		"Put": func(ctx context.Context) error {
			return x.Put(ctx, []core.IndexedDocument{indextest.Document("s/a", 1, "a")})
		},
		"SetFacts": func(ctx context.Context) error { return x.SetFacts(ctx, []core.Facts{{Document: "s/a"}}) },
		"Delete":   func(ctx context.Context) error { return x.Delete(ctx, []string{"s/a"}) },
		"Keyword":  func(ctx context.Context) error { _, err := x.Keyword(ctx, core.KeywordQuery{Text: "a"}); return err },
		"Hybrid": func(ctx context.Context) error {
			_, err := x.Hybrid(ctx, core.HybridQuery{Vector: []float32{1}})
			return err
		},
		"UseVectors": func(ctx context.Context) error { return x.UseVectors(ctx, set) },
		"Embedded":   func(ctx context.Context) error { _, err := x.Embedded(ctx, set); return err },
		"Count":      func(ctx context.Context) error { _, _, err := x.Count(ctx); return err },
		"Switch":     x.Switch,
		"PutVectors": func(ctx context.Context) error {
			return x.PutVectors(ctx, set, []core.PassageVector{{Passage: 1, Document: "s/a", Vector: []float32{1}}})
		},
	} {
		if err := call(t.Context()); core.KindOf(err) != core.KindUnavailable {
			t.Errorf("%s: %v, want kind unavailable", name, err)
		}
	}
	s.Disturb(nil)
	prepare(t, x, "", false)
	put(t, x, indextest.Document("s/a", 1, "walrus"))
	if got := find(t, x, "walrus"); !slices.Equal(got, []core.PassageID{1}) {
		t.Errorf("found %v, want passage 1", got)
	}
}

// TestNodes asks another node where one fails, with the whole request.
func TestNodes(t *testing.T) {
	s := typesensetest.New(t)
	gone := typesensetest.New(t)
	gone.Disturb(func(*http.Request) (int, string) { return 503, "Not Ready or Lagging" })
	x := opened(t, s, typesense.Options{URLs: []string{gone.URL, s.URL, "http://127.0.0.1:1"}})
	prepare(t, x, "", false)
	for i := range 4 {
		put(t, x, indextest.Document(fmt.Sprintf("s/%d", i), core.PassageID(i+1), "walrus"))
	}
	if got := find(t, x, "walrus"); len(got) != 4 {
		t.Errorf("found %v, want 4 passages", got)
	}
	if n := len(gone.Requests()); n > 2 {
		t.Errorf("the node that failed was asked %d times while others answered", n)
	}
}
