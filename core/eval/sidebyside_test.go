package eval

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScored(t *testing.T) {
	relevant := map[string]int{"b": 1}
	for _, row := range []struct {
		ranking []string
		want    Scored
	}{
		{nil, Scored{ID: "q", Query: "?"}},
		{[]string{"a"}, Scored{ID: "q", Query: "?", First: "a"}},
		{[]string{"b", "a"}, Scored{ID: "q", Query: "?", NDCG10: 1, Rank: 1, First: "b"}},
		{[]string{"a", "c", "b"}, Scored{ID: "q", Query: "?", NDCG10: 0.5, Rank: 3, First: "a"}},
	} {
		if diff := cmp.Diff(row.want, scored(Query{ID: "q", Text: "?"}, row.ranking, relevant)); diff != "" {
			t.Errorf("%v: %s", row.ranking, diff)
		}
	}
}

func TestBeside(t *testing.T) {
	run := func(gains map[string]float64, ranks map[string]int) (r Report) {
		for _, id := range []string{"a", "b", "c", "d", "e"} {
			if g, ok := gains[id]; ok {
				r.Each = append(r.Each, Scored{ID: id, Query: id + "?", NDCG10: g, Rank: ranks[id]})
			}
		}
		return r
	}
	before := run(map[string]float64{"a": 1, "b": 0.5, "c": 0, "d": 0}, map[string]int{"a": 1, "b": 3, "d": 30})
	now := run(map[string]float64{"a": 1, "b": 1, "c": 0.25, "d": 0, "e": 1}, map[string]int{"a": 1, "b": 1, "c": 8, "d": 12, "e": 1})
	got := Beside(before, now)
	if got.Compared != 4 || got.Better != 2 || got.Worse != 0 || got.Gain != 0.1875 {
		t.Errorf("%+v", got)
	}
	// The gains are 0, 1/2, 1/4 and 0.
	if want := math.Sqrt((0.25+0.0625)/4-0.1875*0.1875) / 2; math.Abs(got.Error-want) > 1e-12 {
		t.Errorf("standard error %g, want %g", got.Error, want)
	}
	var order []string
	for _, d := range got.Differences {
		order = append(order, d.ID)
	}
	if diff := cmp.Diff([]string{"b", "c", "d"}, order); diff != "" {
		t.Error(diff)
	}
	back := Beside(now, before)
	if back.Worse != 2 || back.Better != 0 || back.Gain != -got.Gain || back.Compared != 4 {
		t.Errorf("the other way round: %+v", back)
	}
	if same := Beside(now, now); same.Gain != 0 || same.Error != 0 || len(same.Differences) != 0 {
		t.Errorf("with itself: %+v", same)
	}
	if none := Beside(Report{}, Report{}); none.Compared != 0 || none.Gain != 0 {
		t.Errorf("nothing: %+v", none)
	}
}
