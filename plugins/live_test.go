package plugins_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugins"
)

var ann = core.Viewer{Email: "ann@example.com", Name: "Ann"}

func grants(t *testing.T, c *plugins.Connection, since core.Cursor) ([]core.AccessChange, error) {
	t.Helper()
	var out []core.AccessChange
	err := c.Grants(t.Context(), since, func(change core.AccessChange) error {
		out = append(out, change)
		return nil
	})
	return out, err
}

func TestGrants(t *testing.T) {
	c := open(t, "live", "")
	for since, want := range map[string][]core.AccessChange{
		"": {
			core.GroupMembers{Source: "s", Name: "Staff", Users: []string{"ann@example.com"}, Groups: []core.Principal{"group:s/admins"}},
			core.Readers{ExternalID: "1", Access: core.Access{"group:s/staff"}},
			core.Checkpoint{Cursor: core.Cursor("g1")},
			core.AccessWhole{AllGroups: true, AllDocuments: true},
		},
		"x": {
			core.GroupMembers{Source: "s", Name: "Staff", Users: []string{"ann@example.com"}, Groups: []core.Principal{"group:s/admins"}},
			core.Readers{ExternalID: "1", Access: core.Access{"group:s/staff"}},
			core.GroupRemoval{Name: "Old"},
			core.Checkpoint{Cursor: core.Cursor("g1")},
			core.AccessWhole{},
		},
	} {
		got, err := grants(t, c.Connection, core.Cursor(since))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("since %q: %s", since, diff)
		}
	}
}

func TestGrantsThatBreakOff(t *testing.T) {
	got, err := grants(t, open(t, "live", `{"mode": "short"}`).Connection, nil)
	if core.KindOf(err) != core.KindUnavailable || len(got) != 2 {
		t.Errorf("%v %v", got, err)
	}
	// A reader that means nothing is nobody, and no end is no end.
	got, err = grants(t, open(t, "liar", "").Connection, nil)
	if err == nil || !strings.Contains(err.Error(), "broke off") || len(got) != 1 || len(got[0].(core.Readers).Access) != 0 {
		t.Errorf("%v %v", got, err)
	}
}

func TestLiveSearch(t *testing.T) {
	host := newHost(t, plugins.Options{})
	src := core.Source{Name: "s", Connector: "live", Access: core.Access{core.Workspace}, Discretion: core.NumberOnly}
	c, err := host.Open(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	got, err := c.Search(t.Context(), "leave", ann, 3, core.Range{From: time.Unix(1000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 { // three were asked for, one of them has no id
		t.Fatalf("%d hits: %+v", len(got), got)
	}
	want := core.Result{
		Document: core.Document{
			ID: "s/0", Source: "s", ExternalID: "0", Title: "leave for ann@example.com", URL: "https://wiki.example/1",
			MediaType: "text/markdown", Access: core.Access{"user:ann@example.com"}, Discretion: core.NumberOnly,
		},
		Passage: core.Passage{Document: "s/0", Text: "from 1000"}, Score: 5,
	}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(core.Access{core.Workspace}, got[1].Document.Access); diff != "" {
		t.Errorf("access of the source's settings: %s", diff)
	}
}

func TestLiveCallsThatFail(t *testing.T) {
	for mode, row := range map[string]struct {
		kind core.Kind
		text string
	}{
		"panic":   {core.KindUnavailable, "no luck in Search"},
		"refused": {core.KindAuth, "key •••• was refused"},
		"slow":    {core.KindTimeout, "searching live took too long"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			o := plugins.Options{}
			if mode == "slow" { // for an hour
				o.SearchTimeout = 200 * time.Millisecond
			}
			c, err := newHost(t, o).Open(t.Context(), source("live", `{"mode": "`+mode+`", "key": "hunter2222"}`))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			start := time.Now()
			_, err = c.Search(t.Context(), "x", ann, 5, core.Range{})
			if core.KindOf(err) != row.kind || !strings.Contains(err.Error(), row.text) || time.Since(start) > patience {
				t.Errorf("%s after %v: %v", core.KindOf(err), time.Since(start), err)
			}
			if _, err := c.Tools(t.Context()); err != nil {
				t.Errorf("the process did not go on: %v", err)
			}
		})
	}
}

func TestTools(t *testing.T) {
	c := open(t, "live", `{"key": "hunter2222"}`)
	tools, err := c.Tools(t.Context())
	if err != nil || len(tools) != 2 || tools[0].Changes || !tools[1].Changes ||
		!strings.Contains(string(tools[0].Schema), `"required":["key"]`) || tools[0].Help == "" {
		t.Fatalf("%+v %v", tools, err)
	}
	got, err := c.Call(t.Context(), "issue", []byte(`{"key":"A-1"}`), ann)
	if err != nil || string(got.JSON) != `{"depth":2,"key":"A-1","who":"ann@example.com"}` || len(got.Documents) != 1 || got.Documents[0].ID != "s/A-1" {
		t.Errorf("%s %+v %v", got.JSON, got, err)
	}
	for args, want := range map[string]string{
		`{}`:                       "key: a value is required",
		`{"key":"A","dpeth":1}`:    "dpeth: there is no such field; did you mean depth?",
		`{"key":"A","depth":"xx"}`: "depth: want a whole number",
		`nonsense`:                 "not one JSON object",
		`{"key":"gone"}`:           "there is no such issue",
	} {
		if got, err = c.Call(t.Context(), "issue", []byte(args), ann); err != nil || !strings.Contains(got.Problem, want) {
			t.Errorf("%s: %+v %v", args, got, err)
		}
	}
	if got, err = c.Call(t.Context(), "close", []byte(`{"key":"A"}`), ann); err != nil || got.Text != "closed A" {
		t.Errorf("%+v %v", got, err)
	}
	if got, err = c.Call(t.Context(), "other", nil, ann); err != nil || !strings.Contains(got.Problem, `no tool "other"`) {
		t.Errorf("%+v %v", got, err)
	}
	if got, err = c.Call(t.Context(), "issue", []byte(`{"key":"leak"}`), ann); err != nil || strings.Contains(got.Text, "hunter2222") {
		t.Errorf("%+v %v", got, err)
	}
	if _, err = c.Call(t.Context(), "issue", []byte(`{"key":"denied"}`), ann); core.KindOf(err) != core.KindDenied {
		t.Errorf("%v", err)
	}
	if _, err = c.Call(t.Context(), "issue", []byte(`{"key":"panic"}`), ann); core.KindOf(err) != core.KindUnavailable || !strings.Contains(err.Error(), "no luck in a tool") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err = c.Call(ctx, "issue", []byte(`{"key":"slow"}`), ann); core.KindOf(err) != core.KindTimeout {
		t.Errorf("%v", err)
	}
}

func TestToolsThatAreWrong(t *testing.T) {
	if _, err := open(t, "live", `{"mode": "short"}`).Tools(t.Context()); err == nil || !strings.Contains(err.Error(), `tool "issue": there are two of this name`) {
		t.Error(err)
	}
	liar := open(t, "liar", "")
	if _, err := liar.Tools(t.Context()); core.KindOf(err) != core.KindInvalid || !strings.Contains(err.Error(), "rm -rf") {
		t.Error(err)
	}
	if _, err := liar.Call(t.Context(), "x", nil, ann); core.KindOf(err) != core.KindInvalid {
		t.Error(err)
	}
}

func passagesOf(texts ...string) []core.Result {
	var out []core.Result
	for _, text := range texts {
		out = append(out, core.Result{Document: core.Document{ExternalID: text}, Passage: core.Passage{Text: text}})
	}
	return out
}

func TestCensor(t *testing.T) {
	c := open(t, "live", "")
	var censor core.Censor = c
	got, err := censor.Censor(t.Context(), ann, passagesOf("open", "secret", "salary"))
	want := []core.Verdict{{Keep: true}, {}, {Keep: true, Text: "[removed]"}}
	if err != nil || !cmp.Equal(want, got) {
		t.Errorf("%+v %v", got, err)
	}
	if got, err = c.Censor(t.Context(), core.Viewer{}, passagesOf("open")); err != nil || got[0].Keep {
		t.Errorf("nobody: %+v %v", got, err)
	}
	if _, err = open(t, "liar", "").Censor(t.Context(), ann, passagesOf("a", "b")); core.KindOf(err) != core.KindInvalid {
		t.Errorf("verdicts in another order: %v", err)
	}
}

func TestCensorThatFails(t *testing.T) {
	for mode, limit := range map[string]time.Duration{"slow": 200 * time.Millisecond, "panic": patience, "short": patience} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c, err := newHost(t, plugins.Options{CensorTimeout: limit}).Open(t.Context(), source("live", `{"mode": "`+mode+`"}`))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			start := time.Now()
			got, err := c.Censor(t.Context(), ann, passagesOf("a", "b"))
			if err == nil || len(got) > 0 || time.Since(start) > patience {
				t.Errorf("after %v: %+v %v", time.Since(start), got, err)
			}
		})
	}
}

func TestDescriptionOfAllParts(t *testing.T) {
	got := open(t, "live", "").About()
	if !cmp.Equal(got.Features, []string{"grants", "search", "tools", "censor"}) || !cmp.Equal(got.Limits, []plugins.RateLimit{{Name: "api", PerSecond: 5, Burst: 10}}) ||
		got.Auth.Kind != plugins.AuthOAuth2 || got.Auth.TokenURL != "https://login.example/token" || got.Auth.AuthorizeParams["access_type"] != "offline" {
		t.Errorf("%+v", got)
	}
}
