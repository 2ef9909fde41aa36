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

// errEmpty is a reply without text and calls.
var errEmpty = core.Errorf(core.KindUnavailable,
	"The language model sent an empty reply twice; the log has its finish reason.")

// maxShrinks is how often a turn halves its context because the server refuses
// it as too long.
const maxShrinks = 2

// runCycles calls the model until it answers without asking for a tool.
func (t *turn) runCycles(ctx context.Context) error {
	for n := 1; ; n++ {
		last := n >= t.opts.MaxCycles || t.looping
		finished, err := t.cycle(ctx, last)
		if finished || err != nil {
			return err
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
	}
}

// cycle makes one model call and runs the tools that it asks for. It reports
// whether the turn is finished.
func (t *turn) cycle(ctx context.Context, last bool) (bool, error) {
	for {
		reply, err := t.step(ctx, last)
		switch {
		case err != nil && t.overflow && t.shrinks < maxShrinks:
			// The server's window is smaller than we were told.
			t.overflow = false
			t.shrinks++
			t.window /= 2
			t.report(slog.LevelWarn, "context too long for the model, trying with half", err)
			continue
		case err != nil:
			return false, err
		case len(reply.Calls) > 0 && !last:
			t.runTools(ctx, reply)
			return false, nil
		case strings.TrimSpace(reply.Text) != "":
			if reply.Finish == "length" {
				t.out.event(core.Noticed{Kind: noticeLength, Text: t.say.Truncated})
			}
			return true, nil
		case t.retried:
			t.log.Warn("empty reply", "finish", reply.Finish, "reasoning_bytes", len(reply.Reasoning),
				"completion_tokens", reply.Usage.CompletionTokens)
			return false, errEmpty
		}
		t.retried = true
	}
}

// step makes one model call: context in, text out through the citation writer.
func (t *turn) step(ctx context.Context, last bool) (model.Reply, error) {
	built, err := t.assemble(last)
	if err != nil {
		return model.Reply{}, err
	}
	for _, g := range built.given {
		t.out.give(g)
	}
	req := model.Request{Messages: built.messages, Tools: t.definitions(), Given: built.texts}
	switch {
	case last && t.opts.Profile.DropToolsAtEnd:
		req.Tools = nil
	case last:
		req.Choice = model.ChoiceNone
	default:
		req.Choice = model.ChoiceAuto
	}
	if len(t.rounds) > 0 {
		t.out.event(core.StatusChanged{Stage: "reading"})
	}
	t.haveText = false
	t.out.paragraph()
	started := time.Now()
	reply, err := t.opts.Model.Stream(ctx, req, func(d model.Delta) error { return t.delta(ctx, d) })
	t.usage.PromptTokens += reply.Usage.PromptTokens
	t.usage.CompletionTokens += reply.Usage.CompletionTokens
	t.trace.model(built, reply, time.Since(started), err)
	t.overflow = core.KindOf(err) == core.KindTooLarge && !t.haveText
	return reply, err
}

// delta takes one piece of the reply.
func (t *turn) delta(ctx context.Context, d model.Delta) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d.Text == "" {
		return nil
	}
	if !t.haveText && strings.TrimSpace(d.Text) != "" {
		t.haveText = true
		t.out.event(core.StatusChanged{Stage: "writing"})
	}
	t.out.write(d.Text)
	return nil
}

// assemble gathers what the next call is built from and fits it.
func (t *turn) assemble(last bool) (contextBuilt, error) {
	state := reminderState{author: t.opts.Reminder, last: last, cited: t.cited}
	var guides []string
	if !last {
		guides = guidesOf(t.agent.tools)
	}
	m := material{
		system:       prompts.System(t.started, guides),
		instructions: t.opts.Instructions,
		question:     t.q.Text,
		rounds:       t.rounds,
		reminder:     prompts.Reminder(reminders(state)),
		inResult:     t.opts.Profile.ReminderInResult,
		audience:     t.q.Audience,
	}
	for _, h := range t.q.History {
		m.history = append(m.history, exchange{question: h.Question, answer: withoutMarkers(h.Answer)})
	}
	return build(m, room(t.window, t.opts.MaxOutput, t.definitions()))
}
