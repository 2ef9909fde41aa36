package agent

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/prompts"
)

// turn is one question on its way to its answer.
type turn struct {
	agent   *Agent
	opts    *Options
	q       core.Question
	asked   string // the question as it was written
	id      string
	started time.Time
	say     prompts.Sentences
	log     *slog.Logger

	persona core.Agent
	setup   Setup
	filter  core.Filter // the audience's, inside what the agent knows
	tools   []offered
	memory  memory
	files   []core.Attachment // of the question, as text
	images  []string
	unseen  int // images that are too many

	out      *output
	numbers  numbering
	planning *find.Planning // of the model's searches; nil without a planner
	rests    []string       // ids of the ledger's documents that a search brought
	outside  []string       // see Result.Outside
	beyond   *complement    // what the asker alone may read besides; nil where nothing can be
	rounds   []round        // this turn's calls and results, oldest first
	called   []core.TurnCall
	asking   sync.Mutex     // one approval at a time
	begun    sync.WaitGroup // the question is being stored
	usage    core.Usage
	trace    tracer

	cited    bool // a tool whose results are cited was called
	looping  bool // the model only repeats itself
	retried  bool // an empty reply was asked for again
	window   int  // tokens; halved when the server refuses the context as too long
	overflow bool // it just did
	shrinks  int
	stopped  bool
	mode     core.Mode
	haveText bool // the running cycle has shown text
	said     int  // bytes that the model sent in the running cycle, thoughts a quarter
}

func (a *Agent) newTurn(q core.Question, emit func(core.Event)) *turn {
	now := a.opts.Now()
	t := &turn{agent: a, opts: &a.opts, q: q, asked: q.Text, id: q.TurnID, started: now, mode: core.ModeModel}
	if q.Narrow.On() && q.Narrow.Text != "" {
		t.q.Text = q.Narrow.Text // its operators are for us, not for the model
	}
	if t.id == "" {
		t.id = a.opts.NewID()
	}
	if n := len(q.History); q.Parent == "" && n > 0 {
		t.q.Parent = q.History[n-1].ID // also where the audience may not know it
	}
	t.log = a.opts.Log.With("turn_id", t.id)
	t.persona = a.opts.persona(q, now.In(zone(q.Viewer)))
	t.say = prompts.In(prompts.LanguageFor(t.persona.Language, q.Text))
	var known bool
	if t.setup, known = a.opts.setup(t.persona.Model); !known {
		t.log.Warn("the agent's model is not known, using the default", "agent", t.persona.Name, "model", t.persona.Model)
	}
	if q.Quota != nil {
		t.setup.Model = nil
	}
	t.window = t.setup.window()
	t.filter = narrowed(q.Audience, t.persona, q)
	t.tools = permitted(a.tools, a.opts.Allow, t.persona.Tools)
	t.files, t.images, t.unseen = attachments(q.Files, t.setup.Profile.Vision)
	t.out = newOutput(emit, q.Audience, a.opts.Schemes)
	t.traceBegin()
	return t
}

// sayQuota tells why there are quotes only, in the asker's time.
func (t *turn) sayQuota(s core.QuotaStop) string {
	until := s.Until.In(zone(t.q.Viewer)).Format("2006-01-02 15:04 MST")
	return prompts.Quota(prompts.LanguageFor(t.persona.Language, t.q.Text), s.Who, until)
}

// answer runs the turn and ends it in one of its two ways.
func (t *turn) answer(ctx context.Context) (core.Turn, error) {
	limited, cancel := context.WithTimeoutCause(ctx, t.opts.TurnTimeout, errTurnTimeout)
	defer cancel()
	t.out.event(core.TurnStarted{TurnID: t.id, ThreadID: t.q.Place.Thread})
	t.begin(ctx)
	if s := t.q.Quota; s != nil {
		t.out.event(core.Noticed{Kind: noticeQuota, Text: t.sayQuota(*s)})
	}
	if t.q.Narrow.On() {
		t.out.event(core.Noticed{Kind: noticeNarrowed, Text: t.say.Narrowed + ": " + strings.Join(t.q.Narrow.Said, ", ")})
	}
	t.addTools(ctx)
	t.beyond = t.lookBeyond(ctx)
	defer t.beyond.end()
	err := t.produce(limited)
	if withdrawn(ctx) {
		return t.withdraw(ctx)
	}
	t.out.finish()
	if t.closedMeanwhile(ctx) {
		return t.withdraw(ctx)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		t.stopped = true
		t.out.event(core.Noticed{Kind: noticeStopped, Text: t.say.Stopped})
	case err != nil:
		return t.fail(ctx, err)
	}
	kept := t.done(ctx)
	if withdrawn(ctx) { // whoever heard the last event took it back
		return t.withdraw(ctx)
	}
	t.compressLater(kept)
	return kept, nil
}

var errTurnTimeout = core.Wrap(core.KindTimeout, context.DeadlineExceeded,
	"The question took longer than a turn may; ask something narrower.")

// The kinds of notices.
const (
	noticeStopped  = "stopped"
	noticeCut      = "interrupted"
	noticeLength   = "truncated"
	noticeFiltered = "filtered"
	noticeFallback = "model_failed"
	noticeStore    = "not_stored"
	noticeNarrowed = "narrowed"
	noticeQuota    = "quota"
)

// produce makes the answer, by the model if there is one and by quotes where
// there is none or it fails. What it leaves in the output is what was shown.
func (t *turn) produce(ctx context.Context) error {
	if strings.TrimSpace(t.q.Text) == "" {
		return core.Errorf(core.KindInvalid, "The question is empty: write what you want to know.")
	}
	if err := t.recall(ctx); err != nil {
		return err
	}
	if t.setup.Model == nil {
		return t.quote(ctx)
	}
	t.compressFirst(ctx)
	t.planning = t.planSearches()
	err := t.runCycles(ctx)
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return err
	case t.haveText:
		t.interrupted(err)
		return nil
	}
	return t.fallBack(ctx, err)
}

// report logs an error. The cause is for debugging only: a server may repeat in
// it what it was sent.
func (t *turn) report(level slog.Level, what string, err error) {
	t.log.Log(context.Background(), level, what, "kind", core.KindOf(err), "error", err)
	if cause := errors.Unwrap(err); cause != nil {
		t.log.Debug(what, "cause", cause)
	}
}

// interrupted keeps what the model wrote before it failed.
func (t *turn) interrupted(err error) {
	t.stopped = true
	t.report(slog.LevelWarn, "model failed in mid-answer", err)
	t.trace.fail(err)
	t.out.event(core.Noticed{Kind: noticeCut, Text: t.detail(t.say.Cut, err), Cause: core.KindOf(err)})
}

// fallBack answers with quotes where the model gave nothing.
func (t *turn) fallBack(ctx context.Context, err error) error {
	t.report(slog.LevelWarn, "model failed, answering with quotes", err)
	t.trace.fail(err)
	reason := t.say.Fallback(core.KindOf(err))
	if errors.Is(err, errEmpty) {
		reason = t.say.Empty
	}
	t.out.event(core.Noticed{Kind: noticeFallback, Text: t.detail(reason, err), Cause: core.KindOf(err)})
	if core.KindOf(err) == core.KindTimeout && ctx.Err() != nil {
		// The turn's time is used up, but quotes take only moments.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), t.opts.ToolTimeout)
		defer cancel()
	}
	return t.quote(ctx)
}

// detail adds the error's own sentence where the only reader runs the install: it
// names addresses and settings that are nobody else's business.
func (t *turn) detail(sentence string, err error) string {
	var e *core.Error
	if t.q.Audience.AskerOnly && t.q.Viewer.Operator && errors.As(err, &e) && e.Kind != core.KindInternal {
		return sentence + " (" + e.Message + ")"
	}
	return sentence
}

// done stores the turn and tells the answer.
func (t *turn) done(ctx context.Context) core.Turn {
	answer := core.Answer{
		Text:      t.out.text(),
		Mode:      t.mode,
		Citations: t.out.citations(),
		TurnID:    t.id,
		TookMS:    t.opts.Now().Sub(t.started).Milliseconds(),
		Stopped:   t.stopped,
	}
	if t.usage != (core.Usage{}) {
		usage := t.usage
		answer.Usage = &usage
	}
	kept := t.keep(answer)
	if err := t.save(ctx, kept); err != nil {
		t.report(slog.LevelError, "turn not stored", err)
		t.out.event(core.Noticed{Kind: noticeStore, Text: t.say.NotStored, Cause: core.KindOf(err)})
	}
	if !t.stopped && t.beyond.found(ctx) {
		t.out.event(core.Offered{Kind: offerPrivate, Text: t.say.Offer})
	}
	t.out.event(core.Done{Answer: answer})
	return kept
}

// fail stores the turn without an answer and tells why.
func (t *turn) fail(ctx context.Context, err error) (core.Turn, error) {
	t.trace.fail(err)
	t.report(slog.LevelError, "turn failed", err)
	kept := t.keep(core.Answer{
		Text: t.out.text(), Mode: t.mode, Citations: t.out.citations(), TurnID: t.id,
		TookMS: t.opts.Now().Sub(t.started).Milliseconds(),
	})
	if saveErr := t.save(ctx, kept); saveErr != nil {
		t.report(slog.LevelError, "turn not stored", saveErr)
	}
	t.out.event(core.FailedOf(err, t.id))
	if withdrawn(ctx) {
		return t.withdraw(ctx)
	}
	return kept, err
}

// keep is the turn as the ledger gets it.
func (t *turn) keep(answer core.Answer) core.Turn {
	kept := t.head(answer)
	kept.Calls, kept.Used = t.called, t.used()
	kept.Trace = t.traceEnd(t.opts.Now().Sub(t.started))
	return kept
}

// head is the turn without anything that it brought but the answer.
func (t *turn) head(answer core.Answer) core.Turn {
	return core.Turn{
		ID: t.id, Thread: t.q.Place.Thread, Parent: t.q.Parent, Place: t.q.Place.ID,
		Class: t.q.Audience.Class, Scope: t.q.Audience.Scope(), Asker: t.q.Viewer.Email,
		Account: t.q.Viewer.Account, Agent: t.persona.Name,
		Question: t.asked, Answer: answer, Started: t.started,
	}
}

// open is the turn with its question alone.
func (t *turn) open() core.Turn {
	open := t.head(core.Answer{Mode: t.mode, Citations: []core.Citation{}, TurnID: t.id})
	open.Trace = t.traceOpen()
	return open
}

// begin stores the question while the answer is made, so that a crash loses the
// answer at most: who comes back finds the turn, and the thread goes on.
func (t *turn) begin(ctx context.Context) {
	if t.opts.Recorder == nil {
		return
	}
	open := t.open()
	t.begun.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if err := t.opts.Recorder.SaveTurn(ctx, open); err != nil {
			t.report(slog.LevelWarn, "question not stored before its answer", err)
		}
	})
}

// save outlives the question's context: a stopped turn is kept as well.
func (t *turn) save(ctx context.Context, kept core.Turn) error {
	if t.opts.Recorder == nil {
		return nil
	}
	t.begun.Wait() // the answer takes the place of the question alone
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return t.opts.Recorder.SaveTurn(ctx, kept)
}
