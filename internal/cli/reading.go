package cli

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest/situate"
	"github.com/footnote-bot/footnote/core/quota"
	"github.com/footnote-bot/footnote/store"
)

// countedCalls counts the calls for contexts also for /metrics.
type countedCalls struct {
	situate.Answers
	app *app
}

// CountReadingCall keeps a call, and counts it.
func (c countedCalls) CountReadingCall(ctx context.Context, call core.ReadingCall) error {
	return c.app.countReading(ctx, call)
}

func (a *app) countReading(ctx context.Context, call core.ReadingCall) error {
	a.meterReading(call)
	return a.store.CountReadingCall(ctx, call)
}

// meterReading counts a call for /metrics alone.
func (a *app) meterReading(call core.ReadingCall) {
	var u store.ModelUsage
	u.Add(call)
	a.meters.counter().Model(a.meters.modelName(call.Model), u.Calls, u.Failed, u.PromptTokens, u.OutputTokens, u.Cost)
}

// callCost is what a call cost; nil where the configuration has no price.
func (a *app) callCost(name string, u core.Usage) *float64 {
	if cost, known := a.models.cost(name, u); known {
		return &cost
	}
	return nil
}

// contextsHeld is the quota that leaves nothing for contexts. They can wait, where the
// description of a picture would be lost to its document.
func (a *app) contextsHeld(ctx context.Context) error {
	return a.readingHeld(ctx, core.ForContexts, a.cfg.Retrieval.Contexts.Name)
}

// embeddingsHeld is the quota that leaves nothing for vectors of passages, which can
// wait as well.
func (a *app) embeddingsHeld(ctx context.Context) error {
	return a.readingHeld(ctx, core.ForEmbeddings, a.cfg.Embeddings.Name)
}

func (a *app) readingHeld(ctx context.Context, purpose, model string) error {
	for _, n := range a.needsOf(quota.Asker{Model: model}) {
		if !n.Reading() {
			continue
		}
		if reached, err := a.reached(ctx, n); err != nil {
			return err
		} else if reached {
			return core.Errorf(core.KindBusy, "The quota %q is reached; %s go on after %s, or with a higher cost_per_month.", n.Key(), purpose, n.Window.To.Format("2006-01-02 15:04 MST"))
		}
	}
	return nil
}

// showReading says what reading documents used, where it used anything.
func (inv *invocation) showReading(ctx context.Context, a *app, from time.Time, asJSON bool) error {
	list, err := a.usageSince(ctx, from, "purpose")
	if err != nil || len(list) == 0 {
		return err
	}
	out := tabwriter.NewWriter(inv.streams.Out, 0, 0, 2, ' ', 0)
	if !asJSON {
		fmt.Fprint(out, "\nreading documents\tmodel\tcalls\ttokens\tcost\n")
	}
	for _, u := range list {
		if asJSON {
			if err := inv.printJSON(usageLine("reading", u)); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(out, "%s\t%s\t%d\t%d\t%s\n", u.Key, console.Clean(u.Model), u.Calls, u.Tokens, costWords(u.Cost, u.Unpriced, "call"))
	}
	return out.Flush()
}

// costWords is a cost, and how much it leaves out.
func costWords(cost float64, unpriced int, what string) string {
	text := fmt.Sprintf("%.2f", cost)
	if unpriced > 0 {
		text += fmt.Sprintf(" and %s without a price", counted(unpriced, what))
	}
	return text
}
