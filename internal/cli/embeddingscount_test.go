package cli

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model/modeltest"
	"github.com/footnote-bot/footnote/store"
)

// embeddingPrices make a token of the model small cost one.
const embeddingPrices = "prices: [{model: small, input: 1000000}]\nmembers: {domains: [example.com]}\n"

// The server counts one token for each text.
func TestUsageOfEmbeddings(t *testing.T) {
	t.Parallel()
	u, server := withEmbeddings(t)
	u.write(map[string]string{"footnote.yaml": embeddingPrices})
	counts := func(after string) {
		t.Helper()
		n := asked(server)
		want := []usageView{{"reading", "embeddings", 0, len(server.Batches()), n, float64(n), 0, "small"}}
		if d := cmp.Diff(want, readingUsed(u)); d != "" {
			t.Errorf("%s (-want +got)\n%s", after, d)
		}
	}
	u.must("sync")
	counts("passages")
	u.must("sync", "--full")
	counts("the same again")
	u.must("search", "Where do visitors park?")
	u.ask("ask", "Where is the car park of visitors?", "--as", "ann@example.com")
	counts("two questions")
	if out := u.must("usage", "--by", "user"); !strings.Contains(out, "ann@example.com  1          0      0       0.00") {
		t.Errorf("the vector of a question is on its asker's account:\n%s", out)
	}
	before := asked(server)
	embeddingsCheck(u)
	if asked(server) == before {
		t.Error("doctor asked nothing")
	}
	counts("doctor")
	u.serving()
	u.must("search", "Who cleans the windows?")
	eventually(t, "a search is counted beside footnote serve", func() bool {
		used := readingUsed(u)
		return len(used) == 1 && used[0].Tokens == asked(server)
	})
	site := u.login()
	if page := site.must("/admin/usage"); !strings.Contains(page, "Of that, reading documents") || !strings.Contains(page, "embeddings") {
		t.Errorf("the page:\n%s", page)
	}
	if page := site.must("/metrics"); !strings.Contains(page, `footnote_model_tokens_total{direction="in",model="small"} 1`) {
		t.Errorf("metrics:\n%s", page)
	}
}

func TestEmbeddingsThatFailAreCounted(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	server := modeltest.Start(modeltest.Script{Embeddings: []modeltest.Reply{{Status: 401}}})
	t.Cleanup(server.Close)
	u.env["FOOTNOTE_EMBEDDINGS_BASE_URL"], u.env["FOOTNOTE_EMBEDDINGS_NAME"] = server.URL, "small"
	if o := u.run("sync"); !strings.Contains(o.err, "wait for their vectors") {
		t.Fatalf("%+v", o)
	}
	want := []usageView{{"reading", "embeddings", 0, 1, 0, 0, 1, "small"}}
	if d := cmp.Diff(want, readingUsed(u)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// Money that is used up holds passages back, and neither searches nor answers of
// another model.
func TestQuotasThatEmbeddingsCountIn(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		quota      string
		held       bool // passages wait
		answeredBy core.Mode
	}{
		{"{who: all, cost_per_month: 2}", true, core.ModeQuotes},
		{"{who: model, cost_per_month: 2}", true, core.ModeModel},
		{"{who: model, name: small, cost_per_month: 2}", true, core.ModeModel},
		{"{who: model, name: scripted, cost_per_month: 2}", false, core.ModeModel},
		{"{who: user, cost_per_month: 2}", false, core.ModeModel},
		{"{who: all, tokens_per_day: 2}", false, core.ModeModel},
		{"{who: all, questions_per_day: 2}", false, core.ModeModel},
	} {
		t.Run(row.quota, func(t *testing.T) {
			t.Parallel()
			u, server := withEmbeddings(t)
			chat := modeltest.Start(modeltest.Script{Replies: []modeltest.Reply{{Text: "Red."}}})
			defer chat.Close()
			u.env["FOOTNOTE_EMBEDDINGS_BATCH"], u.env["FOOTNOTE_EMBEDDINGS_CONCURRENCY"] = "1", "1"
			u.env["FOOTNOTE_MODEL_BASE_URL"], u.env["FOOTNOTE_MODEL_NAME"] = chat.URL, "scripted"
			u.write(map[string]string{"footnote.yaml": embeddingPrices + "quotas: [" + row.quota + "]\n"})
			o := u.run("sync")
			if held := strings.Contains(o.err, "is reached; embeddings go on after"); o.code != 0 || held != row.held || held != (asked(server) == 2) {
				t.Errorf("%d texts: %+v", asked(server), o)
			}
			if out := u.must("source", "show", "docs"); strings.Contains(out, "embeddings go on after") != row.held {
				t.Errorf("source show:\n%s", out)
			}
			if k := embeddingsCheck(u); strings.Contains(k.Detail, "embeddings go on after") != row.held || (k.Outcome == warned) != row.held {
				t.Errorf("doctor: %+v", k)
			}
			if out := u.must("usage"); strings.Contains(out, "quota reached") != row.held {
				t.Errorf("usage:\n%s", out)
			}
			if out := u.must("search", "Where do visitors park?"); !strings.Contains(out, "level minus two") {
				t.Errorf("search:\n%s", out)
			}
			if a := u.ask("ask", "Where do visitors park?", "--as", "ann@example.com"); a.Mode != row.answeredBy {
				t.Errorf("the answer is made of %s", a.Mode)
			}
			// More money, and it goes on.
			u.write(map[string]string{"footnote.yaml": embeddingPrices})
			u.must("sync")
			if k := embeddingsCheck(u); k.Outcome != passed {
				t.Errorf("doctor afterwards: %+v", k)
			}
		})
	}
}

// A limit that is raised by a reload lets a running process go on, however long it
// would still rest.
func TestReloadEndsTheRestOfEmbeddings(t *testing.T) {
	t.Parallel()
	u, _ := withEmbeddings(t)
	u.env["FOOTNOTE_EMBEDDINGS_BATCH"], u.env["FOOTNOTE_EMBEDDINGS_CONCURRENCY"] = "1", "1"
	u.write(map[string]string{"footnote.yaml": embeddingPrices + "quotas: [{who: all, cost_per_month: 2}]\n"})
	u.must("sync")
	u.serving()
	if k := embeddingsCheck(u); k.Outcome != warned || !strings.Contains(k.Fix, "raise the limit") {
		t.Errorf("while it is reached: %+v", k)
	}
	u.write(map[string]string{"footnote.yaml": embeddingPrices + "quotas: [{who: all, cost_per_month: 2000}]\n"})
	u.must("reload")
	eventually(t, "the passages have their vectors", func() bool { return embeddingsCheck(u).Outcome == passed })
}

// One that was asked before its price was listed warns no longer.
func TestDoctorNamesModelsWithoutAPrice(t *testing.T) {
	t.Parallel()
	u, _ := withEmbeddings(t)
	const quota = "quotas: [{who: all, cost_per_month: 2000}]\n"
	says := func() string {
		for _, line := range strings.Split(u.run("doctor").out, "\n") {
			if strings.Contains(line, "quotas:") {
				return line
			}
		}
		return ""
	}
	u.write(map[string]string{"footnote.yaml": "prices: [{model: other, input: 1}]\n" + quota})
	for _, when := range []string{"before a call", "after a call"} {
		if line := says(); !strings.Contains(line, "without a price: small") {
			t.Errorf("%s: %s", when, line)
		}
		u.must("sync")
	}
	u.write(map[string]string{"footnote.yaml": "prices: [{model: small, input: 0}]\n" + quota})
	if line := says(); !strings.Contains(line, "none is reached") {
		t.Errorf("with a price: %s", line)
	}
}

func TestDoctorSaysWhatAReachedQuotaStops(t *testing.T) {
	t.Parallel()
	for quota, says := range map[string]string{
		"{who: model, name: small, cost_per_month: 2}": "small month; passages wait for it until",
		"{who: all, cost_per_month: 2}":                "month; answers are quotes and passages wait until",
	} {
		u, _ := withEmbeddings(t)
		u.write(map[string]string{"footnote.yaml": embeddingPrices + "quotas: [" + quota + "]\n"})
		u.must("sync")
		if o := u.run("doctor"); !strings.Contains(o.out, says) {
			t.Errorf("%s: %s", quota, o.out)
		}
	}
}

// usageLog is what was written, with the time since the start.
type usageLog struct {
	mu  sync.Mutex
	all []string
}

func (w *usageLog) put(since time.Time) func([]store.ModelUsage) {
	return func(used []store.ModelUsage) {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, u := range used {
			w.all = append(w.all, fmt.Sprintf("%s %d/%d calls %d tokens cost %g without a price %d after %v",
				u.Model, u.Failed, u.Calls, u.PromptTokens, u.Cost, u.Unpriced, time.Since(since)))
		}
	}
}

func TestWriteBehind(t *testing.T) {
	t.Parallel()
	half := 0.5
	call := func(model string, cost *float64, failed bool) core.ReadingCall {
		return core.ReadingCall{Model: model, Cost: cost, Failed: failed, Usage: core.Usage{PromptTokens: 3}}
	}
	synctest.Test(t, func(t *testing.T) {
		var w usageLog
		b := newWriteBehind(w.put(time.Now()))
		b.add(call("a", &half, false))
		b.add(call("b", nil, false))
		b.add(call("a", &half, true))
		time.Sleep(behind - time.Millisecond)
		b.add(call("a", nil, false))
		synctest.Wait()
		w.mu.Lock()
		if len(w.all) > 0 {
			t.Errorf("written at once: %q", w.all)
		}
		w.mu.Unlock()
		time.Sleep(time.Millisecond)
		synctest.Wait()
		b.add(call("c", &half, false)) // nobody waits for it until the end
		b.close()
		b.add(call("late", nil, false))
		b.close()
		want := []string{
			"a 1/2 calls 6 tokens cost 1 without a price 0 after 5s", "a 0/1 calls 3 tokens cost 0 without a price 1 after 5s",
			"b 0/1 calls 3 tokens cost 0 without a price 1 after 5s", "c 0/1 calls 3 tokens cost 0.5 without a price 0 after 5s",
		}
		slices.SortStableFunc(w.all, func(a, b string) int { return strings.Compare(a[:1], b[:1]) })
		if d := cmp.Diff(want, w.all); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
}

func TestWriteBehindNothing(t *testing.T) {
	t.Parallel()
	newWriteBehind(func(used []store.ModelUsage) { t.Errorf("written: %+v", used) }).close()
}
