package cli

import (
	"context"
	"fmt"

	"github.com/footnote-bot/footnote/bot/adminpages"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/gaps"
	"github.com/footnote-bot/footnote/store"
)

// shownQuestions is how many questions a page lists.
const shownQuestions = 200

// Questions lists what was asked; of what was asked in private only that.
func (d *adminData) Questions(ctx context.Context, q adminpages.QuestionQuery) ([]adminpages.QuestionRow, error) {
	all, err := d.store.Asked(ctx, store.AskedQuery{Since: q.Since, Until: q.Until, Outcome: q.Outcome, Place: q.Place, Limit: shownQuestions})
	var out []adminpages.QuestionRow
	for _, a := range all {
		out = append(out, shownQuestion(a))
	}
	return out, err
}

// shownQuestion leaves the text out where others did not read it.
func shownQuestion(a store.Asked) adminpages.QuestionRow {
	v := adminpages.QuestionRow{
		TurnID: adminpages.ID(a.TurnID), At: a.At, Text: a.Question, Place: a.Place, Class: a.Class, Outcome: a.Outcome,
		Up: a.Up, Down: a.Down, Help: a.Help,
	}
	if !gaps.Shared(a.Class) {
		v.Private, v.Text = true, ""
	}
	if a.Outcome != "" {
		v.Took = fmt.Sprintf("%.1f s", float64(a.TookMS)/1000)
	}
	if a.Cost != nil {
		v.Cost = costText(*a.Cost)
	}
	return v
}

func costText(c float64) string { return fmt.Sprintf("%.4f", c) }

// Explain is what footnote explain says, without what was asked in private.
func (d *adminData) Explain(ctx context.Context, id string) (adminpages.Explanation, error) {
	return d.explained(ctx, id, false)
}

// Reveal is all of it. It is written down before it is shown.
func (d *adminData) Reveal(ctx context.Context, by, id string) (adminpages.Explanation, error) {
	turn, err := d.store.Turn(ctx, id)
	if err != nil {
		return adminpages.Explanation{}, err
	}
	if err := d.store.Audit(ctx, core.AuditEntry{
		At: d.store.Now(), Action: core.AuditLook, Actor: by, Place: turn.Place, Class: turn.Class, TurnID: id,
	}); err != nil {
		return adminpages.Explanation{}, err
	}
	return d.explained(ctx, id, true)
}

func (d *adminData) explained(ctx context.Context, id string, all bool) (adminpages.Explanation, error) {
	var v adminpages.Explanation
	turn, err := d.turnToExplain(ctx, []string{id})
	if err != nil {
		return v, err
	}
	asked, err := d.store.AskedTurn(ctx, id)
	if err != nil {
		return v, err
	}
	v = adminpages.Explanation{
		QuestionRow: shownQuestion(asked), Asker: turn.Asker, Agent: turn.Agent, Mode: string(turn.Answer.Mode), Scope: principalNames(turn.Scope),
	}
	told := all || !v.Private
	v.Revealed = all && v.Private
	if told {
		v.Question = adminpages.Long(turn.Question)
	}
	trace, err := agent.ParseTrace(turn.Trace)
	if err != nil {
		v.NoTrace = err.Error()
		return v, nil
	}
	v.Bypass, v.Sources, v.Summary, v.Deleted = trace.Bypass, trace.Sources, trace.Summary, len(trace.Deleted)
	for _, t := range trace.Tools {
		v.Tools = append(v.Tools, shownTool(t, told))
	}
	for _, m := range trace.Models {
		v.Models = append(v.Models, shownModel(m))
	}
	for _, s := range trace.Shown {
		v.Shown = append(v.Shown, adminpages.Shown{Number: s.Number, Document: adminpages.ID(s.Document), Passage: int64(s.Passage)})
	}
	v.Errors = trace.Errors
	return v, nil
}

// shownTool leaves out what was searched for where it tells what was asked in
// private.
func shownTool(t agent.TraceTool, told bool) adminpages.ToolRun {
	v := adminpages.ToolRun{Name: t.Name, Cycle: t.Cycle, MS: t.MS, Note: t.Note}
	if t.Merged > 1 {
		v.Merged = t.Merged
	}
	if t.Search != nil && told {
		v.Steps = askedLines(*t.Search)
	}
	if t.Search != nil {
		v.Steps = append(v.Steps, searchLines(*t.Search)...)
	}
	if told {
		v.Arguments, v.Queries, v.Failed = adminpages.Long(t.Arguments), t.Queries, t.Failed
	} else if t.Failed != "" {
		v.Failed = "what the model was told is not shown"
	}
	for _, c := range t.Candidates {
		v.Candidates = append(v.Candidates, adminpages.Candidate{
			Document: adminpages.ID(c.Document), Passage: int64(c.Passage), Score: c.Score, Coverage: int(100*c.Coverage + 0.5), Quoted: c.Quoted,
		})
	}
	return v
}

func shownModel(m agent.TraceModel) adminpages.ModelCall {
	v := adminpages.ModelCall{
		Model: m.Model, Purpose: m.Purpose, In: m.Usage.PromptTokens, Out: m.Usage.CompletionTokens, FirstMS: m.FirstMS, MS: m.MS,
		Attempts: m.Attempts, Calls: m.Calls, Finish: m.Finish, Error: adminpages.Long(m.Error),
	}
	if m.Cost != nil {
		v.Cost = costText(*m.Cost)
	}
	for _, s := range m.Sections {
		v.Sections = append(v.Sections, adminpages.Section{Name: s.Name, Tokens: s.Tokens, Dropped: s.Dropped})
	}
	return v
}
