package core

import (
	"math/rand/v2"
	"testing"
	"time"
)

// What a question asks for lets nothing through that its filter would not, and
// nothing that it did not ask for.
func TestNarrowOnlyNarrows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	some := func(from ...string) []string {
		if r.IntN(3) == 0 {
			return nil
		}
		out := []string{}
		for _, s := range from {
			if r.IntN(2) == 0 {
				out = append(out, s)
			}
		}
		return out
	}
	moment := func() time.Time {
		if r.IntN(3) == 0 {
			return time.Time{}
		}
		return time.Unix(int64(1_700_000_000+r.IntN(5)*86400), 0)
	}
	channels := func() []Collection {
		if r.IntN(3) == 0 {
			return nil
		}
		return []Collection{{Sources: []string{"a"}, Folders: []string{"a/C1"}}, {Tags: []string{"channel=c2"}}}
	}
	passed := 0
	for range 20000 {
		f := Filter{Principals: []Principal{"user:x"}, Sources: some("a", "b"), Documents: some("a/1", "a/2"),
			Asked: channels(), Updated: Range{moment(), moment()}, Now: time.Unix(1_700_400_000, 0)}
		n := Narrow{Sources: some("a", "b"), Documents: some("a/1", "a/2"), Channels: channels(), Updated: Range{moment(), moment()}}
		d := Facts{Document: "a/1", Source: "a", Access: NewAccess("user:x"), Updated: moment()}
		if r.IntN(2) == 0 {
			d.Folders = []string{"a/C1"}
		}
		if r.IntN(8) == 0 {
			d.Access = NewAccess("user:y")
		}
		alone := n.Of(Filter{Bypass: true, Now: f.Now}).Allows(d)
		got, want := n.Of(f).Allows(d), f.Allows(d) && alone
		if got && !want || want && !got && f.Updated.On() == n.Updated.On() && !f.Updated.On() {
			t.Fatalf("%+v\nin %+v\nfor %+v: %v, want %v", n, f, d, got, want)
		}
		if got {
			passed++
		}
		if !n.On() && alone != true {
			t.Fatalf("%+v narrows and says that it does not", n)
		}
	}
	if passed < 100 {
		t.Errorf("only %d passed: the test shows nothing", passed)
	}
}
