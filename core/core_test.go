package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

func TestParsePrincipal(t *testing.T) {
	for text, want := range map[string]core.Principal{
		"public": core.Public, " Workspace ": core.Workspace, "workspace:T1": "workspace:t1",
		"user:Ann@Example.com": core.User("ann@example.com"), "group:Wiki/Admins": core.Group("wiki", "admins"),
		"": "", "everyone": "", "user:": "", "user:ann": "", "group:wiki": "", "group:/x": "", "group:wiki/": "", "workspace:": "", "nobody": "",
	} {
		got, err := core.ParsePrincipal(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("ParsePrincipal(%q) = %q, %v; want %q", text, got, err, want)
		}
		if err != nil && core.KindOf(err) != core.KindInvalid {
			t.Errorf("ParsePrincipal(%q): kind %q", text, core.KindOf(err))
		}
	}
}

func TestParseAccess(t *testing.T) {
	for text, want := range map[string]core.Access{
		"nobody":                     {},
		"user:b@x.y, user:a@x.y":     {"user:a@x.y", "user:b@x.y"},
		"public,PUBLIC":              {core.Public},
		"workspace,group:files/eng ": {"group:files/eng", core.Workspace},
	} {
		if got, err := core.ParseAccess(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("ParseAccess(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	if _, err := core.ParseAccess("public,nobody"); err == nil {
		t.Error("nobody beside somebody is a mistake")
	}
}

// The three null rules of a filter, row by row.
func TestFilterAllows(t *testing.T) {
	ann := []core.Principal{core.Workspace, core.User("ann@x.y")}
	doc := func(access ...core.Principal) core.Facts {
		return core.Facts{Document: "wiki/a", Source: "wiki", Access: core.NewAccess(access...)}
	}
	hidden := doc(core.Public)
	hidden.Hidden = true
	for _, row := range []struct {
		name   string
		filter core.Filter
		doc    core.Facts
		want   bool
	}{
		{"public for nobody in particular", core.Filter{}, doc(core.Public), true},
		{"missing principals are public only", core.Filter{}, doc(core.Workspace), false},
		{"empty principals are public only", core.Filter{Principals: []core.Principal{}}, doc(core.Workspace), false},
		{"a member reads the workspace", core.Filter{Principals: ann}, doc(core.Workspace), true},
		{"somebody else's", core.Filter{Principals: ann}, doc(core.User("bob@x.y")), false},
		{"no access is nobody", core.Filter{Principals: ann}, doc(), false},
		{"the bypass reads nobody's too", core.Filter{Bypass: true}, doc(), true},
		{"hidden", core.Filter{}, hidden, false},
		{"hidden even from the bypass", core.Filter{Bypass: true}, hidden, false},
		{"hidden, asked for", core.Filter{IncludeHidden: true}, hidden, true},
		{"nil sources are off", core.Filter{Sources: nil}, doc(core.Public), true},
		{"empty sources match nothing", core.Filter{Sources: []string{}}, doc(core.Public), false},
		{"empty sources match nothing for the bypass", core.Filter{Sources: []string{}, Bypass: true}, doc(core.Public), false},
		{"its source", core.Filter{Sources: []string{"x", "wiki"}}, doc(core.Public), true},
		{"another source", core.Filter{Sources: []string{"x"}}, doc(core.Public), false},
		{"empty documents match nothing", core.Filter{Documents: []string{}}, doc(core.Public), false},
		{"narrowing never widens", core.Filter{Documents: []string{"wiki/a"}}, doc(core.Workspace), false},
	} {
		if got := row.filter.Allows(row.doc); got != row.want {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}

func TestShowOf(t *testing.T) {
	a := core.Audience{Team: []core.Principal{core.Workspace}, Links: core.LinkPolicy{Public: core.ShowLink, Workspace: core.ShowNumber, Restricted: core.ShowNothing}}
	for _, row := range []struct {
		access core.Access
		want   core.Show
	}{
		{core.NewAccess(core.Public, core.Workspace), core.ShowLink},
		{core.NewAccess(core.Workspace, core.User("a@x.y")), core.ShowNumber},
		{core.NewAccess(core.User("a@x.y")), core.ShowNothing},
		{nil, core.ShowNothing},
	} {
		if got := a.ShowOf(core.Document{Access: row.access}); got != row.want {
			t.Errorf("ShowOf(%v) = %v, want %v", row.access, got, row.want)
		}
	}
	if (core.Audience{}).ShowOf(core.Document{Access: core.NewAccess(core.Public)}) != core.ShowNothing {
		t.Error("an audience that nobody computed must show nothing")
	}
}

func TestKindOf(t *testing.T) {
	cause := errors.New("cause")
	wrapped := core.Errorf(core.KindDisk, "cannot write: %w", cause)
	for _, row := range []struct {
		err  error
		want core.Kind
	}{
		{nil, ""}, {cause, core.KindInternal}, {wrapped, core.KindDisk},
		{fmt.Errorf("more: %w", wrapped), core.KindDisk},
		{core.Wrap(core.KindAuth, wrapped, "refused"), core.KindAuth},
		{context.Canceled, core.KindCancelled}, {fmt.Errorf("x: %w", context.DeadlineExceeded), core.KindTimeout},
	} {
		if got := core.KindOf(row.err); got != row.want {
			t.Errorf("KindOf(%v) = %q, want %q", row.err, got, row.want)
		}
	}
	if !errors.Is(wrapped, cause) || wrapped.Error() != "cannot write: cause" {
		t.Errorf("%v must hold its cause", wrapped)
	}
}

func TestFailedOfHidesOurFaults(t *testing.T) {
	ours := core.FailedOf(errors.New("nil pointer in secret.go"), "r1")
	if ours.Kind != core.KindInternal || ours.RequestID != "r1" || ours.Retryable || ours.Message == "nil pointer in secret.go" {
		t.Errorf("got %+v", ours)
	}
	theirs := core.FailedOf(core.Errorf(core.KindBusy, "Come back later."), "r2")
	if theirs.Message != "Come back later." || !theirs.Retryable {
		t.Errorf("got %+v", theirs)
	}
}

func TestMarshalEvent(t *testing.T) {
	for _, row := range []struct {
		event core.Event
		want  string
	}{
		{core.TextDelta{Delta: "a <b>"}, `{"type":"text","delta":"a <b>"}`},
		{core.QueryRun{Text: "q"}, `{"type":"query","text":"q"}`},
		{core.Done{Answer: core.Answer{Text: "x", Mode: core.ModeQuotes, Citations: []core.Citation{}, TurnID: "t"}},
			`{"type":"done","answer":"x","mode":"quotes","citations":[],"turn_id":"t","took_ms":0}`},
	} {
		got, err := core.MarshalEvent(row.event)
		if err != nil || string(got) != row.want || !json.Valid(got) {
			t.Errorf("got %s, %v; want %s", got, err, row.want)
		}
	}
}
