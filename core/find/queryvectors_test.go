package find

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

type lengths struct {
	asked [][]string
	fail  error
	gives []float32 // nil for the length of the text
}

func (l *lengths) Embed(_ context.Context, texts []string) ([][]float32, error) {
	l.asked = append(l.asked, slices.Clone(texts))
	if l.fail != nil {
		return nil, l.fail
	}
	var out [][]float32
	for _, text := range texts {
		if out = append(out, []float32{float32(len(text)), 1}); l.gives != nil {
			out[len(out)-1] = l.gives
		}
	}
	return out, nil
}

func TestQueryVectors(t *testing.T) {
	set := core.VectorSet{Model: "m", Dimensions: 2}
	model := &lengths{}
	v := NewQueryVectors(func() (core.VectorSet, bool) { return set, true },
		func(core.VectorSet) (QueryModel, string, error) { return model, "query: ", nil })
	now := time.Now()
	v.now = func() time.Time { return now }
	queries := func(texts ...string) ([][]float32, error) { return v.Queries(t.Context(), set, texts) }

	if got, err := queries("ab", "abc"); err != nil || got[0][0] != 9 || got[1][0] != 10 {
		t.Fatalf("got %v, %v", got, err)
	}
	// What is known is not asked again.
	if got, err := queries("abc", "abcd"); err != nil || got[0][0] != 10 || !slices.Equal(model.asked[1], []string{"query: abcd"}) {
		t.Fatalf("got %v, %v, asked %q", got, err, model.asked)
	}
	// Another set has vectors of its own, and a wrong length is a fault.
	if _, err := v.Queries(t.Context(), core.VectorSet{Model: "n", Dimensions: 3}, []string{"ab"}); core.KindOf(err) != core.KindUnavailable {
		t.Errorf("wrong length: %v", err)
	}
	now = now.Add(time.Minute)
	// A long query is cut between characters; one that is too long all the same is no fault of the endpoint.
	if _, err := queries(strings.Repeat("é", 30000)); err != nil || len(model.asked[3][0]) != len("query: ")+longestText {
		t.Errorf("a long query: %v", err)
	}
	if _, err := queries(strings.Repeat("é", 1000) + "e"); err != nil || len(model.asked) != 4 {
		t.Errorf("one that differs behind the cut: %v, asked %d times", err, len(model.asked))
	}
	for key := range v.kept {
		if len(key.text) > longestText {
			t.Errorf("a text of %d bytes is kept", len(key.text))
		}
	}
	// What one query is refused for stops no other.
	for _, kind := range []core.Kind{core.KindTooLarge, core.KindInvalid} {
		model.fail = core.Errorf(kind, "not this one")
		_, _ = queries("x")
	}
	// The endpoint fails: it is left alone for a moment, what is known is known.
	model.fail = core.Errorf(core.KindBusy, "busy")
	asked := len(model.asked)
	for range 3 {
		if _, err := queries("y"); core.KindOf(err) != core.KindBusy {
			t.Errorf("got %v", err)
		}
	}
	if _, err := queries("ab"); err != nil || len(model.asked) != asked+1 {
		t.Errorf("asked %d times, %v", len(model.asked)-asked, err)
	}
	now, model.fail = now.Add(afterFault), nil
	if _, err := queries("y"); err != nil {
		t.Errorf("after the rest: %v", err)
	}
	// What has no direction is no vector, and is not kept.
	for range 2 {
		model.gives = []float32{0, 0}
		if _, err := queries("zero"); core.KindOf(err) != core.KindInvalid {
			t.Errorf("a zero vector: %v", err)
		}
		model.gives = []float32{1, float32(math.NaN())}
		if _, err := queries("zero"); core.KindOf(err) != core.KindInvalid {
			t.Errorf("a vector with no number: %v", err)
		}
	}
	model.gives = nil
	// The cache is bounded.
	for i := range 2 * keptVectors {
		_, _ = queries(fmt.Sprint("q", i))
	}
	if len(v.kept) != keptVectors || len(v.order) != keptVectors {
		t.Errorf("%d kept", len(v.kept))
	}
}
