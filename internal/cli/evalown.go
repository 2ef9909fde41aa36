package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/eval"
	"github.com/footnote-bot/footnote/core/find"
)

// ownFlags say how the team's own questions are asked and compared.
type ownFlags struct {
	asJSON   bool
	k        int
	baseline string   // report of before
	compare  []string // configuration files: one against the present, or two
	tolerate float64
}

func (f ownFlags) check() error {
	switch {
	case f.k < 1 || f.k > 100:
		return core.Errorf(core.KindUsage, "--k: %d is out of range; choose 1 to 100", f.k)
	case f.tolerate < 0 || f.tolerate >= 1:
		return core.Errorf(core.KindUsage, "--tolerate: %g is not a share of the questions; choose 0 to below 1", f.tolerate)
	case f.baseline != "" && len(f.compare) > 0:
		return core.Errorf(core.KindUsage, "--baseline and --compare are two ways to compare; leave out one of both")
	case len(f.compare) > 2:
		return core.Errorf(core.KindUsage, "--compare takes one configuration, or two with a comma between them")
	}
	return nil
}

// ownView is what --json prints where two reports are compared.
type ownView struct {
	eval.OwnReport
	Comparison *eval.Comparison `json:"comparison,omitempty"`
}

// evalOwn asks the team's own questions of the data folder's documents.
func (inv *invocation) evalOwn(ctx context.Context, path string, f ownFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	questions, err := eval.ReadQuestions(path)
	if err != nil {
		return err
	}
	var before *eval.OwnReport
	if f.baseline != "" {
		if before, err = readReport(inv.path(f.baseline)); err != nil {
			return err
		}
	}
	return inv.withFolder(ctx, func(ctx context.Context, a *app) error {
		now, err := inv.askOwn(ctx, a, questions, f, &before)
		if err != nil {
			return err
		}
		v := ownView{OwnReport: now}
		if before != nil {
			c := eval.Compare(*before, now, f.tolerate)
			v.Comparison = &c
		}
		if f.asJSON {
			err = inv.printJSON(v)
		} else {
			err = inv.printOwn(v)
		}
		if err == nil && v.Comparison != nil && v.Comparison.Failed {
			err = exited(exitFailure)
		}
		return err
	})
}

// askOwn asks with the configuration in use, or with those that are to be compared.
func (inv *invocation) askOwn(ctx context.Context, a *app, questions []eval.Question, f ownFlags, before **eval.OwnReport) (now eval.OwnReport, err error) {
	if len(f.compare) < 2 {
		if now, err = eval.Ask(ctx, questions, f.k, seeker{a}); err != nil || len(f.compare) == 0 {
			return now, err
		}
	}
	for i, file := range f.compare {
		if i == 1 || len(f.compare) == 1 {
			earlier := now
			*before = &earlier
		}
		if now, err = inv.askAs(ctx, a, file, questions, f.k); err != nil {
			return now, err
		}
	}
	return now, nil
}

func readReport(path string) (*eval.OwnReport, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, core.Errorf(core.KindNotFound, "cannot read the report to compare with: %w", err)
	}
	var v ownView
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&v); err != nil || v.K == 0 {
		return nil, errors.Join(core.Errorf(core.KindInvalid, "%s is no report of footnote eval QUESTIONS --json", path), err)
	}
	return &v.OwnReport, nil
}

// seeker asks as an answer would be looked for, without any model that plans.
type seeker struct{ app *app }

// Seek ranks the documents, and reads what a model would be given.
func (s seeker) Seek(ctx context.Context, q eval.Question, k int) (eval.Sought, error) {
	a := s.app
	who := asking{as: q.As, place: placeDM}
	viewer, err := who.viewer(ctx, a)
	if err != nil {
		return eval.Sought{}, err
	}
	place, err := who.where(ctx, a, "")
	if err != nil {
		return eval.Sought{}, err
	}
	asked := core.Question{Text: q.Question, Viewer: viewer, Place: place, Audience: access.Audience(place, viewer)}
	query := find.Query{Queries: []string{q.Question}, Limit: 3 * k, Filter: asked.Audience.Filter()}
	if persona, err := a.agents.chosen(""); err == nil {
		query.Filter.Sources = persona.Sources
	}
	ranked, err := a.finder.Search(ctx, query)
	if err != nil {
		return eval.Sought{}, err
	}
	query.Limit = contextPassages
	read, err := a.openPlanner().Begin(find.Turn{Message: q.Question, Now: time.Now()}).
		Search(ctx, find.Asked{Queries: query.Queries, Query: query, Ran: func(string) {}})
	if err != nil {
		return eval.Sought{}, err
	}
	a.noteAudit(ctx, searched(asked, ranked))
	return sought(ranked, read.Results, k), nil
}

// contextPassages is how many passages a search gives a model, as the agent asks.
const contextPassages = 10

func sought(ranked, read []core.Result, k int) eval.Sought {
	var out eval.Sought
	seen := map[string]bool{}
	for _, r := range ranked {
		if d := r.Document; !seen[d.ID] && len(out.Hits) < k {
			seen[d.ID] = true
			out.Hits = append(out.Hits, eval.Hit{ID: d.ID, URL: d.URL})
		}
	}
	var text strings.Builder
	for _, r := range read {
		text.WriteString(r.Document.Title + "\n" + r.Passage.Heading + "\n" + r.Passage.Text + "\n\n")
	}
	out.Context = text.String()
	return out
}

func (inv *invocation) printOwn(v ownView) error {
	out := inv.streams.Out
	fmt.Fprintf(out, "%s: found@%d %.3f  MRR %.3f%s\n", counted(v.Questions, "question"), v.K, v.Found, v.MRR, inContext(v.Answered))
	if c := v.Comparison; c != nil {
		fmt.Fprintf(out, "before: found@%d %.3f  MRR %.3f%s\n%d better, %d worse of %d compared\n",
			v.K, c.Before.Found, c.Before.MRR, inContext(c.Before.Answered), c.Better, c.Worse, c.Compared)
		for _, one := range c.Changes {
			fmt.Fprintln(out, console.Clean(changeLine(one)))
		}
		return nil
	}
	for _, r := range v.Results {
		fmt.Fprintln(out, console.Clean(resultLine(r)))
	}
	return nil
}

func inContext(share *float64) string {
	if share == nil {
		return ""
	}
	return fmt.Sprintf("  answer in context %.3f", *share)
}

func resultLine(r eval.Result) string {
	line := "  " + seenText(eval.Seen{Rank: r.Rank, Answered: r.Answered}, len(r.Expect) > 0) + "  " + r.Question.Question
	if r.As != "" {
		line += " (as " + r.As + ")"
	}
	if r.Rank != 1 && len(r.Found) > 0 {
		line += "  first: " + r.Found[0].ID
	}
	return line
}

func changeLine(c eval.Change) string {
	line := fmt.Sprintf("  %-6s  %s: %s", c.Verdict, c.Question, seenText(c.Now, true))
	if c.Before != nil {
		line += ", before: " + seenText(*c.Before, true)
	}
	if c.Now.First != "" && c.Verdict == eval.Lost {
		line += "; first: " + c.Now.First
	}
	return line
}

func seenText(s eval.Seen, ranked bool) string {
	var parts []string
	switch {
	case s.Rank > 0:
		parts = append(parts, fmt.Sprintf("rank %d", s.Rank))
	case ranked:
		parts = append(parts, "not found")
	}
	if s.Answered != nil && *s.Answered {
		parts = append(parts, "answer in context")
	} else if s.Answered != nil {
		parts = append(parts, "answer not in context")
	}
	return strings.Join(parts, ", ")
}
