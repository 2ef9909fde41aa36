package typesense_test

import (
	"context"
	"crypto/rand"
	"os"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/indextest"
	"github.com/footnote-bot/footnote/store/typesense"
	"github.com/footnote-bot/footnote/store/typesense/typesensetest"
)

// The address and the key of a real server to run the suite on.
const (
	realURL = "FOOTNOTE_TEST_TYPESENSE_URL"
	realKey = "FOOTNOTE_TEST_TYPESENSE_KEY"
)

// node is where a test's index lives.
type node struct{ url, key, name string }

func nodeFor(t *testing.T) node {
	t.Helper()
	if url := os.Getenv(realURL); url != "" {
		return node{url, os.Getenv(realKey), "footnote_test_" + strings.ToLower(rand.Text())}
	}
	return node{typesensetest.New(t).URL, typesensetest.Key, "footnote_test"}
}

func (n node) open(t *testing.T, noted string, renew bool) (*typesense.Index, typesense.Prepared) {
	t.Helper()
	x, err := typesense.New(typesense.Options{URLs: []string{n.url}, APIKey: n.key, Name: n.name})
	if err != nil {
		t.Fatal(err)
	}
	p, err := x.Prepare(t.Context(), noted, renew)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Clear(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x, p
}

// TestIndex holds the whole contract of an index against Typesense.
func TestIndex(t *testing.T) {
	if url := os.Getenv(realURL); url != "" {
		t.Logf("on the Typesense server at %s", url)
	} else {
		t.Logf("no real Typesense server was used: %s is not set, so the server is one of our own, which holds every request and response against Typesense's OpenAPI document", realURL)
	}
	f := fixture{}
	indextest.Run(t, func(t *testing.T) core.Index { return f.open(t) },
		func(t *testing.T, x core.Index) core.Index { return f.reopen(t, x.(*typesense.Index)) })
}

// TestVectorIndex holds what vectors add to it.
func TestVectorIndex(t *testing.T) {
	if testing.Short() {
		t.Skip("some thousand searches over HTTP, each held against the OpenAPI document: the full run does that")
	}
	f := fixture{}
	indextest.RunVectors(t, func(t *testing.T) core.VectorIndex { return f.open(t) },
		func(t *testing.T, x core.VectorIndex) core.VectorIndex { return f.reopen(t, x.(*typesense.Index)) })
}

// fixture remembers where the indexes of a test live.
type fixture map[*typesense.Index]lodging

type lodging struct {
	node
	collection string
}

func (f fixture) open(t *testing.T) *typesense.Index {
	n := nodeFor(t)
	x, p := n.open(t, "", false)
	f[x] = lodging{n, p.Collection}
	return x
}

func (f fixture) reopen(t *testing.T, x *typesense.Index) *typesense.Index {
	old := f[x]
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	again, p := old.node.open(t, old.collection, false)
	if p.Empty || p.Collection != old.collection {
		t.Errorf("opened again: %+v, want %s with what it held", p, old.collection)
	}
	f[again] = old
	return again
}
