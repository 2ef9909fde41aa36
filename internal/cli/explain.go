package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
)

func (inv *invocation) explainCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "explain [TURN]",
		Short: "Tell why an answer is what it is",
		Long: `Tell why an answer is what it is: who asked where, what was searched and found,
what the model was given and how long everything took. The id of a turn is the
turn_id of its answer; without one the latest turn is explained.`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withFolder(c.Context(), func(ctx context.Context, a *app) error {
				turn, err := a.turnToExplain(ctx, args)
				if err != nil {
					return err
				}
				return inv.explain(turn, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func (a *app) turnToExplain(ctx context.Context, args []string) (core.Turn, error) {
	if len(args) == 0 {
		return a.store.LatestTurn(ctx)
	}
	turn, err := a.store.Turn(ctx, args[0])
	if core.KindOf(err) == core.KindNotFound {
		err = core.Errorf(core.KindNotFound, "there is no turn %q; footnote explain without an id explains the latest", args[0])
	}
	return turn, err
}

// explanation is a turn with its trace as --json prints it.
type explanation struct {
	TurnID   string           `json:"turn_id"`
	Thread   string           `json:"thread_id,omitempty"`
	Parent   string           `json:"parent_id,omitempty"`
	Place    string           `json:"place"`
	Class    string           `json:"class"`
	Scope    []core.Principal `json:"scope"`
	Asker    string           `json:"asker,omitempty"`
	Question string           `json:"question"`
	Started  time.Time        `json:"started"`
	Answer   core.Answer      `json:"answer"`
	Cost     *float64         `json:"cost,omitempty"` // sum of the model calls, where all prices are known
	Trace    json.RawMessage  `json:"trace"`
}

func (inv *invocation) explain(turn core.Turn, asJSON bool) error {
	trace, err := agent.ParseTrace(turn.Trace)
	if err != nil {
		return err
	}
	if asJSON {
		return inv.printJSON(explanation{
			TurnID: turn.ID, Thread: turn.Thread, Parent: turn.Parent, Place: turn.Place, Class: turn.Class,
			Scope: turn.Scope, Asker: turn.Asker, Question: turn.Question, Started: turn.Started,
			Answer: turn.Answer, Cost: costOf(trace), Trace: turn.Trace,
		})
	}
	var b strings.Builder
	explainTurn(&b, turn, trace)
	for i, t := range trace.Tools {
		explainTool(&b, i+1, t)
	}
	for i, m := range trace.Models {
		explainModel(&b, i+1, m)
	}
	explainAnswer(&b, turn, trace)
	_, err = io.WriteString(inv.streams.Out, console.Clean(b.String()))
	return err
}

// costOf sums the model calls; nil if the price of one is not known.
func costOf(t agent.Trace) *float64 {
	sum := 0.0
	for _, m := range t.Models {
		if m.Cost == nil {
			return nil
		}
		sum += *m.Cost
	}
	if len(t.Models) == 0 {
		return nil
	}
	return &sum
}

func explainTurn(b *strings.Builder, turn core.Turn, t agent.Trace) {
	asker := turn.Asker
	if asker == "" {
		asker = "nobody named"
	}
	fmt.Fprintf(b, "turn %s, %s\n", turn.ID, turn.Started.Local().Format(time.DateTime))
	fmt.Fprintf(b, "question: %s\n", turn.Question)
	fmt.Fprintf(b, "asked by %s in %s, class %s\n", asker, turn.Place, turn.Class)
	scope := make([]string, len(turn.Scope))
	for i, p := range turn.Scope {
		scope[i] = string(p)
	}
	fmt.Fprintf(b, "searched what may be read by: %s\n", strings.Join(scope, ", "))
	if t.Bypass {
		fmt.Fprintln(b, "access was bypassed")
	}
	if t.Agent != "" {
		fmt.Fprintf(b, "agent: %s\n", t.Agent)
	}
	if t.Sources != nil {
		fmt.Fprintf(b, "only in the sources: %s\n", strings.Join(t.Sources, ", "))
	}
	if t.Summary != "" {
		fmt.Fprintf(b, "older turns stood in the context as summary %s\n", t.Summary)
	}
}

func explainTool(b *strings.Builder, n int, t agent.TraceTool) {
	fmt.Fprintf(b, "\nrun %d of a tool: %s, %.1f ms", n, t.Name, t.MS)
	if t.Cycle > 0 {
		fmt.Fprintf(b, ", in cycle %d", t.Cycle)
	}
	if t.Merged > 1 {
		fmt.Fprintf(b, ", for %d calls at once", t.Merged)
	}
	fmt.Fprintln(b)
	if len(t.Arguments) > 0 {
		fmt.Fprintf(b, "  arguments: %s\n", t.Arguments)
	}
	if t.Search == nil {
		for _, q := range t.Queries {
			fmt.Fprintf(b, "  query: %s\n", q)
		}
	} else {
		explainSearch(b, *t.Search)
	}
	if t.Note != "" {
		fmt.Fprintf(b, "  note: %s\n", t.Note)
	}
	if t.Failed != "" {
		fmt.Fprintf(b, "  failed: %s\n", t.Failed)
	}
	for i, c := range t.Candidates {
		quoted := ""
		if c.Quoted {
			quoted = ", quoted"
		}
		with := ""
		if c.With > 0 {
			with = fmt.Sprintf(", read with %d more passages", c.With)
		}
		fmt.Fprintf(b, "  %2d. %s, passage %d, score %.2f, holds %.0f %% of the question's words by rarity%s%s\n",
			i+1, c.Document, c.Passage, c.Score, 100*c.Coverage, with, quoted)
	}
}

func explainModel(b *strings.Builder, n int, m agent.TraceModel) {
	name := m.Model
	if name == "" {
		name = "the model"
	}
	what := map[string]string{"summary": " to summarise", "plan": " to plan a search", "select": " to choose among what was found"}[m.Purpose]
	fmt.Fprintf(b, "\ncall %d of %s%s: %.0f ms, first word after %.0f ms\n", n, name, what, m.MS, m.FirstMS)
	for _, s := range m.Sections {
		fmt.Fprintf(b, "  %-14s about %d tokens", s.Name, s.Tokens)
		if s.Dropped > 0 {
			fmt.Fprintf(b, ", %d left out for want of room", s.Dropped)
		}
		fmt.Fprintln(b)
	}
	fmt.Fprintf(b, "  reply: %d bytes, %d tool calls, finish reason %q\n", m.Bytes, m.Calls, m.Finish)
	fmt.Fprintf(b, "  reported usage: %d tokens in, %d out", m.Usage.PromptTokens, m.Usage.CompletionTokens)
	if m.Cost != nil {
		fmt.Fprintf(b, ", cost %.6f", *m.Cost)
	}
	if m.Attempts > 1 {
		fmt.Fprintf(b, ", %d attempts", m.Attempts)
	}
	fmt.Fprintln(b)
	if m.Error != "" {
		fmt.Fprintf(b, "  failed: %s\n", m.Error)
	}
}

func explainAnswer(b *strings.Builder, turn core.Turn, t agent.Trace) {
	fmt.Fprintf(b, "\nanswer in mode %s after %.1f ms\n", turn.Answer.Mode, t.TookMS)
	for _, s := range t.Shown {
		fmt.Fprintf(b, "  [%d] %s, passage %d\n", s.Number, s.Document, s.Passage)
	}
	if len(t.Deleted) > 0 {
		fmt.Fprintf(b, "  citations taken out because they may not be shown there: %d\n", len(t.Deleted))
	}
	if c := costOf(t); c != nil {
		fmt.Fprintf(b, "  cost %.6f\n", *c)
	}
	for _, e := range t.Errors {
		fmt.Fprintf(b, "  error: %s\n", e)
	}
}
