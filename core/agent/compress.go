package agent

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/prompts"
)

const (
	mostBatches  = 8  // model calls of one compression
	triggerShare = 75 // percent of the room that a branch may take before it is compressed
	keepShare    = 20 // percent of the branch that stays word for word
)

// older tells how many exchanges a compression takes, from the oldest: all but
// the newest ones worth a fifth of the branch, of which at least one stays. An
// exchange begins with a question, and so does what stays. It is 0 while the
// branch is within its share of the room.
func older(sizes []int, summary, room int) int {
	total := summary
	for _, s := range sizes {
		total += s
	}
	if total*100 <= room*triggerShare {
		return 0
	}
	keep, first := 0, len(sizes)
	for first > 0 {
		if first < len(sizes) && (keep+sizes[first-1])*100 > total*keepShare {
			break
		}
		first--
		keep += sizes[first]
	}
	return first
}

// batch tells how many exchanges one model call can take, at least one.
func batch(sizes []int, room int) int {
	n, used := 0, 0
	for n < len(sizes) && (n == 0 || used+sizes[n] <= room) {
		used += sizes[n]
		n++
	}
	return n
}

func (m memory) sizes() []int {
	out := make([]int, 0, len(m.exchanges))
	for _, e := range m.exchanges {
		out = append(out, e.size())
	}
	return out
}

// compressor summarises one branch. It is made of parts of a turn and outlives
// it.
type compressor struct {
	setup Setup
	save  func(context.Context, core.Summary) error
	make  func(core.Summary) core.Summary         // adds id and time
	note  func(model.Reply, time.Duration, error) // may be nil
	log   *slog.Logger
	room  int
}

// run summarises the older part of the memory, in as many model calls as it
// takes. Every step is kept, so that an error loses only the last one; the
// memory returned is always right.
func (c compressor) run(ctx context.Context, m memory) (memory, error) {
	most := older(m.sizes(), tokens(m.text()), c.room)
	for range mostBatches {
		if most == 0 {
			return m, nil
		}
		// A third of the room is for the summary so far, the prompt and the answer.
		n := min(batch(m.sizes(), c.room*2/3), most)
		next, err := c.step(ctx, m, n)
		if err != nil {
			return m, err
		}
		m, most = next, most-n
	}
	return m, nil
}

// step folds the n oldest exchanges into the summary.
func (c compressor) step(ctx context.Context, m memory, n int) (memory, error) {
	text, err := c.ask(ctx, m.text(), m.exchanges[:n])
	if err != nil {
		return m, err
	}
	var turns []core.Turn
	var covers []string
	if m.summary != nil {
		covers = append(covers, m.summary.Covers...)
		turns = append(turns, core.Turn{Class: m.summary.Class, Scope: m.summary.Scope, Asker: m.summary.Asker})
	}
	for _, e := range m.exchanges[:n] {
		turns, covers = append(turns, e.turn), append(covers, e.turn.ID)
	}
	last := m.exchanges[n-1].turn
	s := core.Summary{Thread: last.Thread, Last: last.ID, Covers: covers, Text: text}
	s.Class, s.Scope, s.Asker = strictest(turns)
	s = c.make(s)
	if err := c.save(ctx, s); err != nil {
		return m, err
	}
	c.log.Info("branch summarised", "turns", len(covers), "tokens", tokens(text))
	return memory{summary: &s, exchanges: m.exchanges[n:]}, nil
}

// ask makes the model call. Answers are given in full, also those that used
// tools.
func (c compressor) ask(ctx context.Context, before string, exchanges []*exchange) (string, error) {
	var lines []string
	left := c.room * 2 / 3
	for _, e := range exchanges {
		line := compact(struct {
			Question string `json:"question"`
			Answer   string `json:"answer,omitempty"`
		}{cut(e.question, left/2), cut(e.answer, left)})
		lines = append(lines, line)
	}
	started := time.Now()
	reply, err := c.setup.Model.Stream(ctx, model.Request{Messages: []model.Message{
		{Role: model.System, Content: prompts.SummarySystem()},
		{Role: model.User, Content: prompts.SummaryInput(before, strings.Join(lines, "\n"))},
	}}, func(model.Delta) error { return ctx.Err() })
	if c.note != nil {
		c.note(reply, time.Since(started), err)
	}
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(reply.Text)
	if text == "" {
		return "", core.Errorf(core.KindUnavailable, "The language model sent an empty summary.")
	}
	return cut(text, c.room/4), nil
}

// compressor for the turn's branch; false where there is nothing to do it with.
func (t *turn) compressor() (compressor, bool) {
	if t.setup.Model == nil || t.opts.Memory == nil || t.q.Place.Thread == "" {
		return compressor{}, false
	}
	return compressor{
		setup: t.setup, save: t.opts.Memory.SaveSummary, log: t.log,
		room: room(t.window, t.setup.MaxOutput, t.definitions(free)),
		make: func(s core.Summary) core.Summary {
			s.ID, s.Created = t.opts.NewID(), t.opts.Now()
			return s
		},
	}, true
}

// compressFirst makes room before the turn where its branch has outgrown it. A
// failure leaves the branch as it is: its oldest exchanges are then cut.
func (t *turn) compressFirst(ctx context.Context) {
	c, ok := t.compressor()
	if !ok || older(t.memory.sizes(), tokens(t.memory.text()), c.room) == 0 || !t.agent.begin(t.q.Place.Thread) {
		return
	}
	defer t.agent.end(t.q.Place.Thread)
	c.note = func(reply model.Reply, took time.Duration, err error) {
		t.traceModel("summary", contextBuilt{}, reply, took, err)
	}
	ctx, cancel := context.WithTimeout(ctx, t.opts.SummaryTimeout)
	defer cancel()
	t.out.event(core.StatusChanged{Stage: "reading"})
	m, err := c.run(ctx, t.memory)
	if err != nil {
		t.report(slog.LevelWarn, "branch not summarised, cutting it instead", err)
	}
	t.memory = m
	if m.summary != nil {
		t.trace.Summary = m.summary.ID
	}
}

// compressLater makes room after the turn, on a goroutine that Close waits for:
// the answer is out, and nobody is to wait for this. It reads nothing of the
// turn that is still changed.
func (t *turn) compressLater(kept core.Turn) {
	c, ok := t.compressor()
	if !ok || t.stopped || t.mode != core.ModeModel {
		return // a model that just failed is not asked for more
	}
	m := memory{summary: t.memory.summary, exchanges: append([]*exchange{}, t.memory.exchanges...)}
	m.exchanges = append(m.exchanges, newExchange(len(t.q.History), kept, &t.agent.read))
	if older(m.sizes(), tokens(m.text()), c.room) == 0 {
		return
	}
	t.agent.background(kept.Thread, t.opts.SummaryTimeout, func(ctx context.Context) {
		if _, err := c.run(ctx, m); err != nil {
			t.report(slog.LevelWarn, "branch not summarised, trying again after its next turn", err)
		}
	})
}
