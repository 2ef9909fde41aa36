package cli

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/gaps"
	"github.com/footnote-bot/footnote/core/ingest"
	"github.com/footnote-bot/footnote/internal/cli/otlp"
	"github.com/footnote-bot/footnote/store"
)

// counter is who counts for Prometheus; *httpapi.Metrics is one.
type counter interface {
	Question(platform, outcome string, first, took time.Duration)
	Model(model string, calls, failed, in, out int, cost float64)
	Search(took time.Duration)
	Sync(source string, failed bool)
}

// meters counts what happens in turns and syncs: in the ledger always, and for
// Prometheus while footnote serve runs.
type meters struct {
	app     *app
	count   atomic.Pointer[counter]
	traces  atomic.Pointer[otlp.Exporter] // nil where none are sent
	running atomic.Int64
	writing sync.WaitGroup // outcomes on their way into the ledger

	mu     sync.Mutex
	models map[string]bool
}

func newMeters(a *app) *meters { return &meters{app: a, models: map[string]bool{}} }

// wait returns when all outcomes are written.
func (m *meters) wait() { m.writing.Wait() }

func (m *meters) counter() counter {
	if c := m.count.Load(); c != nil {
		return *c
	}
	return noCounter{}
}

type noCounter struct{}

func (noCounter) Question(string, string, time.Duration, time.Duration) {}
func (noCounter) Model(string, int, int, int, int, float64)             {}
func (noCounter) Search(time.Duration)                                  {}
func (noCounter) Sync(string, bool)                                     {}

// metered counts the turns of an answerer.
type metered struct {
	bot.Answerer
	meters *meters
}

// Answer answers, and counts unless the answer was withdrawn: then another follows.
// The reader does not wait for that.
func (k metered) Answer(ctx context.Context, q core.Question, emit func(core.Event)) (core.Turn, error) {
	started := time.Now()
	var first atomic.Int64
	k.meters.running.Add(1)
	defer k.meters.running.Add(-1)
	t, err := k.Answerer.Answer(ctx, q, func(e core.Event) {
		if d, ok := e.(core.TextDelta); ok && d.Delta != "" {
			first.CompareAndSwap(0, int64(time.Since(started)))
		}
		emit(e)
	})
	if errors.Is(err, core.ErrWithdrawn) || errors.Is(context.Cause(ctx), core.ErrWithdrawn) {
		return t, err
	}
	o := turnOutcome(q, t, err)
	o.At, o.FirstMS, o.TookMS = started, time.Duration(first.Load()).Milliseconds(), time.Since(started).Milliseconds()
	took := time.Since(started)
	k.meters.writing.Go(func() {
		k.meters.trace(func() otlp.Trace { return turnTrace(o, t, err) })
		k.meters.ended(context.WithoutCancel(ctx), o, t, time.Duration(first.Load()), took)
	})
	return t, err
}

// turnOutcome is how a turn ended, from its trace.
func turnOutcome(q core.Question, t core.Turn, err error) store.Outcome {
	o := store.Outcome{TurnID: q.TurnID, Platform: platformName(q.Place.Platform), Outcome: gaps.Failed}
	if t.ID != "" {
		o.TurnID = t.ID
	}
	trace, traceErr := agent.ParseTrace(t.Trace)
	if traceErr == nil {
		for _, tool := range trace.Tools {
			if len(tool.Queries) > 0 {
				o.Searches++
			}
			for _, c := range tool.Candidates {
				o.Coverage = max(o.Coverage, c.Coverage)
			}
		}
		o.Models = usageOf(trace.Models)
		o.Cost = costOf(trace)
	}
	if err == nil {
		o.Outcome = gaps.OutcomeOf(t.Answer, o.Searches)
	}
	for _, m := range o.Models {
		o.PromptTokens += m.PromptTokens
		o.OutputTokens += m.OutputTokens
	}
	return o
}

func usageOf(calls []agent.TraceModel) []store.ModelUsage {
	var out []store.ModelUsage
	for _, c := range calls {
		i := slices.IndexFunc(out, func(u store.ModelUsage) bool { return u.Model == c.Model })
		if i < 0 {
			i = len(out)
			out = append(out, store.ModelUsage{Model: c.Model})
		}
		u := &out[i]
		u.Calls++
		u.PromptTokens += c.Usage.PromptTokens
		u.OutputTokens += c.Usage.CompletionTokens
		if c.Error != "" {
			u.Failed++
		}
		if c.Cost != nil {
			u.Cost += *c.Cost
		} else {
			u.Unpriced++
		}
	}
	return out
}

const outcomePatience = 10 * time.Second

func (m *meters) ended(ctx context.Context, o store.Outcome, t core.Turn, first, took time.Duration) {
	c := m.counter()
	c.Question(o.Platform, o.Outcome, first, took)
	for i := range o.Models {
		u := &o.Models[i]
		u.Model = m.modelName(u.Model)
		c.Model(u.Model, u.Calls, u.Failed, u.PromptTokens, u.OutputTokens, u.Cost)
	}
	if trace, err := agent.ParseTrace(t.Trace); err == nil {
		for _, tool := range trace.Tools {
			if len(tool.Queries) > 0 {
				c.Search(time.Duration(tool.MS * float64(time.Millisecond)))
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, m.app.within(outcomePatience))
	defer cancel()
	if err := m.app.store.PutOutcome(ctx, o); err != nil {
		m.app.log.Warn("how a turn ended was not counted", "turn_id", o.TurnID, "error", err)
	}
}

// mostModels bounds the names of models that are told apart: an endpoint may answer
// with any.
const mostModels = 32

func (m *meters) modelName(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case name == "":
		return "unnamed"
	case m.models[name]:
	case len(m.models) >= mostModels || len(name) > 100:
		return "other"
	}
	m.models[name] = true
	return name
}

// platformName is one of those that there are.
func platformName(name string) string {
	if slices.Contains([]string{"slack", "discord", "http", "console"}, name) {
		return name
	}
	return "other"
}

// countedRuns counts the syncs that end.
type countedRuns struct {
	ingest.Ledger
	meters *meters
}

// SaveRun keeps a run, and counts it where it has ended.
func (r countedRuns) SaveRun(ctx context.Context, run core.SyncRun) (int64, error) {
	id, err := r.Ledger.SaveRun(ctx, run)
	if err == nil && !run.Finished.IsZero() {
		r.meters.counter().Sync(run.Source, run.ErrorKind != "")
		r.meters.trace(func() otlp.Trace { return runTrace(run) })
	}
	return id, err
}
