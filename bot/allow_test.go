package bot

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestListed(t *testing.T) {
	account := core.Account{Platform: "slack", Team: "T1", ID: "U1", Email: "claimed@example.com"}
	viewer := core.Viewer{Email: "ann@example.com"}
	for _, row := range []struct {
		list   []string
		yes    bool
		groups []string
	}{
		{nil, false, nil},
		{[]string{"Ann@Example.com"}, true, nil},
		{[]string{" ann@example.com "}, true, nil},
		{[]string{"claimed@example.com"}, false, nil}, // the platform says so, nobody trusts it
		{[]string{"U1"}, true, nil},
		{[]string{"<@U1>"}, true, nil},
		{[]string{"slack:T1/U1"}, true, nil},
		{[]string{"slack:T2/U1", ""}, false, []string{"slack:T2/U1"}},
		{[]string{"U2", "@support", "S1"}, false, []string{"U2", "@support", "S1"}},
	} {
		yes, groups := Listed(row.list, account, viewer)
		if yes != row.yes || !slices.Equal(groups, row.groups) {
			t.Errorf("%q: %v, groups %q", row.list, yes, groups)
		}
	}
	if yes, _ := Listed([]string{""}, core.Account{}, core.Viewer{}); yes {
		t.Error("somebody of whom nothing is known is in a list")
	}
}

// crowd is a platform with one group.
type crowd struct{ broken error }

func (crowd) Place(_ context.Context, p core.Place) core.Place { return p }

func (c crowd) InCrowd(_ context.Context, a core.Account, group string) (bool, error) {
	return group == "@support" && a.ID == "U4", c.broken
}

func TestAdmit(t *testing.T) {
	for name, row := range map[string]struct {
		allow  []string
		user   string
		broken error
		want   core.Kind
	}{
		"no list":                       {nil, "U1", nil, ""},
		"an empty list":                 {[]string{}, "U1", nil, core.KindDenied},
		"in it":                         {[]string{"U1"}, "U1", nil, ""},
		"in the group":                  {[]string{"U1", "@support"}, "U4", nil, ""},
		"not in the group":              {[]string{"@support"}, "U1", nil, core.KindDenied},
		"nobody knows":                  {[]string{"@support"}, "U4", errors.New("down"), core.KindUnavailable},
		"in it, whatever else is known": {[]string{"@support", "U1"}, "U1", errors.New("down"), ""},
	} {
		f := &Front{platforms: map[string]Platform{"slack": crowd{row.broken}}}
		in := Incoming{Account: core.Account{Platform: "slack", Team: "T1", ID: row.user}, Place: core.Place{Platform: "slack"}}
		err := f.admit(t.Context(), Settings{Allow: row.allow}, in, core.Viewer{})
		if (err == nil) != (row.want == "") || err != nil && core.KindOf(err) != row.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeptOutlivesAnOutage(t *testing.T) {
	now := time.Unix(1e9, 0)
	k := NewKept[string]()
	k.now = func() time.Time { return now }
	asked, value, broken := 0, "one", error(nil)
	get := func() (string, error) {
		return k.Get(t.Context(), "x", func(context.Context) (string, error) { asked++; return value, broken })
	}
	steps := []struct {
		after time.Duration
		value string
		err   error
		want  string
		asked int
	}{
		{0, "", errors.New("down"), "", 1}, // nothing is known yet
		{0, "one", nil, "one", 2},
		{9 * time.Minute, "two", nil, "one", 2},
		{time.Minute, "", errors.New("down"), "one", 3},
		{30 * time.Second, "two", nil, "one", 3},
		{30 * time.Second, "two", nil, "two", 4},
	}
	for i, s := range steps {
		now, value, broken = now.Add(s.after), s.value, s.err
		got, err := get()
		if got != s.want || asked != s.asked || (err != nil) != (s.want == "") {
			t.Errorf("step %d: %q, %v, asked %d times", i, got, err, asked)
		}
	}
}
