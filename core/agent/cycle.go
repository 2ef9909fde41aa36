package agent

import (
	"context"
	"errors"
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

// phase is what a cycle lets the model do.
type phase int

const (
	free    phase = iota // answer, or call any tool
	forcing              // only the forced tool, which it must call
	closing              // answer: no tools are left
)

// phaseOf chooses the phase of the cycle with the number, from 1. The last one
// closes even where a tool is forced.
func phaseOf(n, most int, forced, looping bool) phase {
	switch {
	case n >= most || looping:
		return closing
	case n == 1 && forced:
		return forcing
	}
	return free
}

// runCycles calls the model until it answers without asking for a tool.
func (t *turn) runCycles(ctx context.Context) error {
	_, canSearch := t.find(searchName)
	forced := t.persona.ForceSearch && canSearch
	for n := 1; ; n++ {
		finished, err := t.cycle(ctx, phaseOf(n, t.opts.MaxCycles, forced, t.looping))
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
func (t *turn) cycle(ctx context.Context, p phase) (bool, error) {
	for {
		reply, err := t.step(ctx, p)
		switch {
		case err != nil && t.overflow && t.shrinks < maxShrinks:
			// The server's window is smaller than we were told.
			t.overflow = false
			t.shrinks++
			t.window /= 2
			t.report(slog.LevelWarn, "context too long for the model, trying with half", err)
			continue
		case p == forcing && (err == nil || core.KindOf(err) == core.KindInvalid):
			// Servers that know no required choice refuse it as invalid.
			t.runForced(ctx, reply, err)
			return false, nil
		case err != nil:
			return false, err
		case len(reply.Calls) > 0 && p != closing:
			t.runTools(ctx, reply)
			return false, nil
		case strings.TrimSpace(reply.Text) != "":
			t.ended(reply.Finish)
			return true, nil
		case t.retried:
			t.log.Warn("empty reply", "finish", reply.Finish, "reasoning_bytes", len(reply.Reasoning),
				"completion_tokens", reply.Usage.CompletionTokens)
			return false, errEmpty
		}
		t.retried = true
	}
}

// ended tells why an answer is shorter than the model meant it.
func (t *turn) ended(finish string) {
	switch finish {
	case "length":
		t.out.event(core.Noticed{Kind: noticeLength, Text: t.say.Truncated})
	case "content_filter":
		t.out.event(core.Noticed{Kind: noticeFiltered, Text: t.say.Filtered})
	}
}

// step makes one model call: context in, text out through the citation writer.
func (t *turn) step(ctx context.Context, p phase) (model.Reply, error) {
	built, err := t.assemble(p)
	if err != nil {
		return model.Reply{}, err
	}
	for _, g := range built.given {
		t.out.give(g)
	}
	req := model.Request{Messages: built.messages, Tools: t.definitions(p), Given: built.texts}
	switch {
	case p == closing && t.setup.Profile.DropToolsAtEnd:
		req.Tools = nil
	case len(req.Tools) == 0:
	case p == closing:
		req.Choice = model.ChoiceNone
	case p == forcing:
		req.Choice = model.ChoiceRequired
	default:
		req.Choice = model.ChoiceAuto
	}
	if len(t.rounds) > 0 {
		t.out.event(core.StatusChanged{Stage: "reading"})
	}
	t.haveText, t.said = false, 0
	t.out.paragraph()
	started := time.Now()
	reply, err := t.setup.Model.Stream(ctx, req, func(d model.Delta) error { return t.delta(ctx, p, d) })
	if errors.Is(err, errTooMuch) {
		reply.Finish, reply.Calls, err = "length", nil, nil
	}
	t.traceModel("", built, reply, time.Since(started), err)
	t.overflow = core.KindOf(err) == core.KindTooLarge && !t.haveText
	return reply, err
}

// delta takes one piece of the reply. What is said before a forced search rests
// on nothing and is not shown until there is a call.
func (t *turn) delta(ctx context.Context, p phase, d model.Delta) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.said += len(d.Text) + len(d.Reasoning)/4; t.said > longestReply(t.setup.MaxOutput) {
		return errTooMuch
	}
	if d.Text == "" || p == forcing {
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
func (t *turn) assemble(p phase) (contextBuilt, error) {
	m := material{
		system:       t.systemPrompt(p),
		summary:      t.memory.text(),
		history:      t.memory.exchanges,
		withCalls:    len(t.tools) > 0,
		instructions: t.persona.Instructions,
		question:     untagged(t.q.Text),
		said:         t.q.Context,
		files:        t.files,
		images:       t.images,
		rounds:       t.rounds,
		inResult:     t.setup.Profile.ReminderInResult,
		audience:     t.q.Audience,
		reminder: prompts.Reminder(reminders(reminderState{
			author: t.persona.Reminder, language: t.persona.Language,
			last: p == closing, cited: t.cited, unseen: t.unseen,
		})),
	}
	if t.persona.ReplacePrompt {
		m.instructions = ""
	}
	return build(m, room(t.window, t.setup.MaxOutput, t.definitions(p)))
}

// systemPrompt names only tools that the cycle offers.
func (t *turn) systemPrompt(p phase) string {
	if t.persona.ReplacePrompt {
		if t.persona.Language == "" {
			return t.persona.Instructions
		}
		return t.persona.Instructions + "\n\n" + prompts.AnswerIn(t.persona.Language)
	}
	var guides []string
	if p != closing {
		guides = guidesOf(t.offered(p))
	}
	return prompts.System(t.started.In(zone(t.q.Viewer)), t.persona.Language, guides)
}
