package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model/modeltest"
	"github.com/footnote-bot/footnote/store"
)

// Beyond a quota the answer is quotes, says so, and asks no model, also after a
// restart; others go on, and the owner is told once.
func TestQuotaStopsWithANotice(t *testing.T) {
	t.Parallel()
	said := modeltest.Reply{Text: "Level minus two."}
	u, server := withModel(t, modeltest.Script{Replies: []modeltest.Reply{said, said, said}})
	u.write(map[string]string{"footnote.yaml": `
quotas:
  - {who: user, questions_per_day: 1}
  - {who: model, name: scripted, cost_per_month: 1000}
prices:
  - {model: scripted, input: 1, output: 1}
members: {domains: [example.com]}
`})
	ask := func(who string) (core.Answer, string) {
		r := u.run("ask", "Where do visitors park?", "--as", who, "--json")
		var a core.Answer
		if err := json.Unmarshal([]byte(r.out), &a); err != nil {
			t.Fatalf("%v: %+v", err, r)
		}
		return a, r.out + r.err
	}
	if a, out := ask("ann@example.com"); a.Mode != core.ModeModel {
		t.Fatalf("the first question: %s", out)
	}
	for range 2 {
		if a, out := ask("ann@example.com"); a.Mode != core.ModeQuotes || !strings.Contains(out, "limit for one person") || len(a.Citations) == 0 {
			t.Errorf("beyond the quota: %s", out)
		}
	}
	if a, out := ask("bob@example.com"); a.Mode != core.ModeModel {
		t.Errorf("somebody else: %s", out)
	}
	if n := len(server.Requests()); n != 2 {
		t.Errorf("the model was asked %d times", n)
	}
	var users []usageView
	for _, line := range strings.Split(strings.TrimSpace(u.must("usage", "--by", "user", "--json")), "\n") {
		var v usageView
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		v.Tokens, v.Cost = 0, 0
		users = append(users, v)
	}
	want := []usageView{{"user", "ann@example.com", 3, 1, 0, 0, 0, ""}, {"user", "bob@example.com", 1, 1, 0, 0, 0, ""}}
	if d := cmp.Diff(want, users); d != "" {
		t.Errorf("usage (-want +got):\n%s", d)
	}
	out := u.must("usage", "--by", "model")
	if !strings.Contains(out, "scripted") || !strings.Contains(out, "quota reached: user ann@example.com day") {
		t.Errorf("usage: %s", out)
	}
	if day := u.must("usage"); !strings.Contains(day, time.Now().Format(time.DateOnly)) {
		t.Errorf("by day: %s", day)
	}
	if told := strings.Count(u.must("audit", "--json"), "quota reached"); told != 1 {
		t.Errorf("the owner was told %d times", told)
	}
}

func TestWhatModelsOfATurnCount(t *testing.T) {
	t.Parallel()
	used := []store.ModelUsage{
		{Model: "small-2026-01-01", Calls: 2, PromptTokens: 10, OutputTokens: 5, Cost: 0.5},
		{Model: "other", Calls: 1, Unpriced: 1, PromptTokens: 1},
	}
	half := 0.5
	want := []store.Spent{{Turn: "t", Model: "small", Calls: 2, Tokens: 15, Cost: &half}, {Turn: "t", Model: "other", Calls: 1, Tokens: 1}}
	if d := cmp.Diff(want, spentOf(store.Spent{Turn: "t"}, used, []string{"small", "s"})); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestQuotasThatSayNothing(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"{who: people, questions_per_day: 1}":       "none of user, channel, model, all",
		"{who: user}":                               "limits nothing",
		"{who: user, tokens_per_day: -1}":           "below zero",
		"{who: all, name: x, questions_per_day: 1}": "has no meaning",
		"{who: all, cost_per_month: 1}":             "prices",
		"{who: all, cost_per_day: 1}":               "cost_per_day",
	} {
		u := newUser(t)
		u.write(map[string]string{"footnote.yaml": "quotas: [" + text + "]\n"})
		if r := u.run("usage"); r.code != exitConfig || !strings.Contains(r.err, says) {
			t.Errorf("%s: %+v", text, r)
		}
	}
}

func TestPricesThatSayNothing(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"{input: 1}":                           "names no model",
		"{model: ' ', input: 1}":               "names no model",
		"{model: m, input: -1}":                "below zero",
		"{model: m, output: -1}":               "below zero",
		"{model: m}, {model: m, input: 1}":     "a price before",
		"{model: m, input: cheap}":             "want a number",
		"{model: m, input: 1, price: 2}":       "price",
		"{model: a, input: 1}, {model: a b, }": "",
	} {
		u := newUser(t)
		u.write(map[string]string{"footnote.yaml": "prices: [" + text + "]\n"})
		if r := u.run("usage"); (r.code == exitConfig) != (says != "") || !strings.Contains(r.err, says) {
			t.Errorf("%s: %+v", text, r)
		}
	}
}
