package cli

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

const readingPrices = "prices: [{model: small, input: 10000, output: 10000}]\nmembers: {domains: [example.com]}\n"

// readingUsed is what footnote usage says that reading documents used.
func readingUsed(u *user) (out []usageView) {
	u.t.Helper()
	for line := range strings.Lines(u.must("usage", "--json")) {
		var v usageView
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			u.t.Fatal(err)
		}
		if v.By == "reading" {
			out = append(out, v)
		}
	}
	return out
}

func TestUsageTellsReadingApart(t *testing.T) {
	t.Parallel()
	u, server := withContexts(t, saysKestrel)
	u.env["FOOTNOTE_VISION_BASE_URL"], u.env["FOOTNOTE_VISION_NAME"] = server.URL, "seeing"
	u.write(map[string]string{"footnote.yaml": readingPrices, "plan.png": "\x89PNG\r\n\x1a\nnot much of a picture"})
	u.must("sync")
	calls := len(server.Requests())
	u.must("source", "add", "push", "--name", "wiki", "--access", "public")
	u.must("push", "wiki", "plan.png")
	if n := len(server.Requests()); n != calls+1 || calls < 2 {
		t.Fatalf("%d calls for contexts, %d for a picture", calls, n-calls)
	}
	want := []usageView{{"reading", "contexts", 0, calls, calls * 110, 0, 0, "small"}, {"reading", "pictures", 0, 1, 110, 0, 1, "seeing"}}
	for range 2 { // reading again costs nothing
		got := readingUsed(u)
		for i := range got {
			if cost := got[i].Cost - 1.1*float64(calls); i == 0 && cost*cost > 1e-9 {
				t.Errorf("cost %v", got[i].Cost)
			}
			got[i].Cost = 0
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
		u.must("sync", "--full")
	}
	for _, by := range []string{"day", "user", "place", "model"} {
		before, after, found := strings.Cut(u.must("usage", "--by", by), "\nreading documents ")
		if !found || strings.Count(before, "\n") != 1 || !strings.Contains(after, "0.00 and 1 call without a price") {
			t.Errorf("by %s:\n%s\n%s", by, before, after)
		}
	}
	u.serving()
	if page := u.login().must("/admin/usage"); !strings.Contains(page, "Of that, reading documents") || !strings.Contains(page, "pictures") || !strings.Contains(page, "seeing") {
		t.Errorf("the page:\n%s", page)
	}
}

// Reading documents counts as money of the team and of its model, which holds contexts
// back, and in no other limit.
func TestQuotasThatReadingCountsIn(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		quota      string
		held       bool // contexts wait
		answeredBy core.Mode
	}{
		{"{who: all, cost_per_month: 2}", true, core.ModeQuotes},
		{"{who: model, name: small, cost_per_month: 2}", true, core.ModeModel},
		{"{who: model, name: scripted, cost_per_month: 2}", false, core.ModeModel},
		{"{who: user, cost_per_month: 2}", false, core.ModeModel},
		{"{who: channel, cost_per_month: 2}", false, core.ModeModel},
		{"{who: all, tokens_per_day: 100}", false, core.ModeModel},
		{"{who: all, questions_per_day: 1}", false, core.ModeModel},
	} {
		t.Run(row.quota, func(t *testing.T) {
			t.Parallel()
			u, server := withContexts(t, saysKestrel)
			chat := modeltest.Start(modeltest.Script{Replies: []modeltest.Reply{{Text: "Red."}}})
			defer chat.Close()
			u.env["FOOTNOTE_RETRIEVAL_CONTEXTS_CONCURRENCY"] = "1"
			u.env["FOOTNOTE_MODEL_BASE_URL"], u.env["FOOTNOTE_MODEL_NAME"] = chat.URL, "scripted"
			u.write(map[string]string{"footnote.yaml": readingPrices + "quotas: [" + row.quota + "]\n"})
			o := u.run("sync")
			if held := strings.Contains(o.err, "is reached; contexts go on after"); o.code != 0 || held != row.held || held != (len(server.Requests()) == 2) {
				t.Errorf("%d calls: %+v", len(server.Requests()), o)
			}
			if out := u.must("usage"); strings.Contains(out, "quota reached") != row.held {
				t.Errorf("usage:\n%s", out)
			}
			if a := u.ask("ask", "Which button is it?", "--as", "ann@example.com"); a.Mode != row.answeredBy {
				t.Errorf("the answer is made of %s", a.Mode)
			}
		})
	}
}

// A picture whose call cannot be counted is described all the same.
func TestAPictureThatIsNotCounted(t *testing.T) {
	t.Parallel()
	server := modeltest.Start(modeltest.Script{Think: saysKestrel})
	t.Cleanup(server.Close)
	u := newUser(t)
	u.env["FOOTNOTE_VISION_BASE_URL"], u.env["FOOTNOTE_VISION_NAME"] = server.URL, "seeing"
	var log bytes.Buffer
	a, err := openApp(t.Context(), mustConfig(t, u), "", slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	d, err := a.describer()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.close(); err != nil {
		t.Fatal(err)
	}
	if text, err := d.Describe(t.Context(), "image/png", []byte("x")); err != nil || !strings.Contains(text, "kestrel") {
		t.Errorf("%q, %v", text, err)
	}
	if !strings.Contains(log.String(), "what a picture used was not counted") {
		t.Errorf("log: %s", log.String())
	}
}
