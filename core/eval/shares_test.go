package eval_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/eval"
)

// mixer finds the right document where words count as much as it likes.
type mixer struct {
	used, good float64
	off        bool
}

func (mixer) Index(context.Context, []eval.Document) error { return nil }
func (mixer) Language(string) string                       { return "en" }

func (m mixer) Search(ctx context.Context, q string, f core.Filter, k int) ([]string, error) {
	return m.SearchAt(ctx, m.used, q, f, k)
}

func (m mixer) Mixes() (float64, bool) { return m.used, !m.off }

func (m mixer) SearchAt(_ context.Context, share float64, _ string, _ core.Filter, _ int) ([]string, error) {
	if m.good < 0 || math.Abs(share-m.good) > 0.11 {
		return []string{"wrong", "right"}, nil
	}
	return []string{"right", "wrong"}, nil
}

func TestShares(t *testing.T) {
	set := eval.Set{
		Documents: []eval.Document{{ID: "right", Access: core.NewAccess(core.Public)}, {ID: "wrong", Access: core.NewAccess(core.Public)}},
		Relevant:  map[string]map[string]int{},
	}
	for i := range 1000 {
		id := string(rune('a' + i))
		set.Queries = append(set.Queries, eval.Query{ID: id, Text: id})
		if i%2 == 0 {
			set.Relevant[id] = map[string]int{"right": 1}
		}
	}
	for name, row := range map[string]struct {
		mixer mixer
		want  float64
	}{
		"another is better":            {mixer{used: 0.75, good: 0.4}, 0.5},
		"the one in use is good":       {mixer{used: 0.75, good: 0.75}, 0.75},
		"none is better":               {mixer{used: 0.75, good: -1}, 0.75},
		"one that is none of the list": {mixer{used: 0.33, good: 0.33}, 0.3},
	} {
		r, err := eval.Run(t.Context(), set, row.mixer)
		if err != nil || r.Shares == nil || r.Shares.Proposed != row.want || r.Shares.Queries != 400 || r.Shares.Used != row.mixer.used {
			t.Errorf("%s: %+v, %v", name, r.Shares, err)
		}
	}
	if r, err := eval.Run(t.Context(), set, mixer{off: true}); err != nil || r.Shares != nil {
		t.Errorf("without vectors: %+v, %v", r.Shares, err)
	}
}

type lengthVectors struct{ asked int }

func (l *lengthVectors) Embed(_ context.Context, texts []string) ([][]float32, error) {
	l.asked += len(texts)
	var out [][]float32
	for _, text := range texts {
		out = append(out, []float32{float32(len(text)), -1, 0})
	}
	return out, nil
}

func TestRecordedVectors(t *testing.T) {
	model := &lengthVectors{}
	r := eval.Record("small", model)
	for range 2 {
		if _, err := r.Embed(t.Context(), []string{"a", "bb", "a"}[:2]); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "vectors")
	if err := r.Write(path); err != nil || model.asked != 2 {
		t.Fatalf("%v, asked for %d texts", err, model.asked)
	}
	got, err := eval.ReadRecorded(path)
	if err != nil || got.Model != "small" || got.Dimensions != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	vectors, err := got.Embed(t.Context(), []string{"bb", "a"})
	if err != nil || !slices.Equal(vectors[1], []float32{1, -1, 0}) || math.Abs(float64(vectors[0][1])+0.5) > 0.01 {
		t.Errorf("got %v, %v", vectors, err)
	}
	if _, err := got.Embed(t.Context(), []string{"c"}); core.KindOf(err) != core.KindNotFound {
		t.Errorf("a text that is not there: %v", err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoilt := range map[string][]byte{"cut off": raw[:len(raw)-1], "longer": append(slices.Clone(raw), 0), "empty": nil, "another file": []byte("hello\nworld\n")} {
		if err := os.WriteFile(path, spoilt, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := eval.ReadRecorded(path); core.KindOf(err) != core.KindInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := eval.ReadRecorded(filepath.Join(t.TempDir(), "none")); core.KindOf(err) != core.KindNotFound {
		t.Errorf("no file: %v", err)
	}
}
