package cli

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest/situate"
	"github.com/footnote-bot/footnote/core/model"
)

// contexts says of passages where they stand in their documents.
type contexts struct {
	situator *situate.Situator
	running  atomic.Bool // the worker runs, in the process that serves
}

const (
	// contextsKey is where the ledger keeps what stops the work on contexts.
	contextsKey = "contexts_trouble"
	// forgetAtOnce is how many documents lose their contexts in one transaction.
	forgetAtOnce = 64
)

// openContexts makes the worker. It asks no model.
func (a *app) openContexts() error {
	c := a.cfg.Retrieval.Contexts
	o := situate.Options{
		Ledger: a.store, Answers: countedCalls{a.store, a}, Settle: a.settleContexts,
		Room: c.DocumentTokens, PerDay: c.PerDay, Requests: c.Concurrency,
		Cost: a.callCost, Held: a.contextsHeld, Trouble: a.noteContexts, Log: a.log,
	}
	if c.Configured() {
		client, err := model.New(model.Config{
			BaseURL: c.BaseURL, Name: c.Name, APIKey: c.APIKey, Profile: c.Profile,
			Concurrency: -1, Section: "retrieval.contexts", Log: a.log,
		})
		if err != nil {
			return err
		}
		o.Model = client
	}
	a.contexts = &contexts{situator: situate.New(o)}
	return nil
}

// settleContexts puts passages with their new contexts into the index; then they are
// embedded.
func (a *app) settleContexts(ctx context.Context) error {
	defer a.embeddings.embedder.Kick()
	return a.settle(ctx)
}

func (c *contexts) configured() bool { return c.situator.Model != nil }

// run works until ctx ends.
func (c *contexts) run(ctx context.Context) {
	if !c.configured() {
		return
	}
	c.running.Store(true)
	defer c.running.Store(false)
	c.situator.Run(ctx)
}

// contextsNow asks for the contexts that are missing, after documents were read by
// command. The process that serves does it by itself. What stops it is no failure of
// the command.
func (inv *invocation) contextsNow(ctx context.Context, a *app) {
	c := a.contexts
	if !c.configured() {
		return
	}
	if c.running.Load() {
		c.situator.Kick()
		return
	}
	bar := inv.progress("contexts")
	defer bar.done()
	err := c.situator.CatchUp(ctx, func(n int) { bar.tell("contexts: " + counted(n, "document")) })
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(inv.streams.Err, "note: passages wait for their contexts and are searched without: %v\n", err)
	}
}

// dropContexts takes the contexts from all passages where no model is configured any
// more. What was paid for stays in the ledger.
func (a *app) dropContexts(ctx context.Context) error {
	if a.contexts.configured() {
		return nil
	}
	for {
		more, err := a.store.ForgetContexts(ctx, forgetAtOnce)
		if err != nil || !more {
			return err
		}
	}
}

// noteContexts keeps what stops the work, so that every command can tell it.
func (a *app) noteContexts(ctx context.Context, err error) {
	a.noteTrouble(ctx, contextsKey, a.contexts.situator.Recipe(), err)
}

// contextsText says how many passages of a source have a context, how many wait and
// why; "" stands for all sources. Without a model there is nothing to say.
func (a *app) contextsText(ctx context.Context, source string) (text string, waiting bool, err error) {
	if !a.contexts.configured() {
		return "", false, nil
	}
	recipe := a.contexts.situator.Recipe()
	n, err := a.store.WantContexts(ctx, recipe)
	if err != nil {
		return "", false, err
	}
	c, err := a.store.ContextCounts(ctx, n, source)
	if err != nil {
		return "", false, err
	}
	text = fmt.Sprintf("%d of %s have one", c.Placed, counted(c.Passages, "passage"))
	if c.Waiting > 0 {
		text += fmt.Sprintf(", %d wait", c.Waiting)
		if t, is := a.troubleOf(ctx, contextsKey, recipe); is {
			text += " since " + t.Since.Format(time.DateTime) + ": " + t.Text
		}
	}
	if c.Refused > 0 {
		text += fmt.Sprintf("; %s got none, for instance: %s", counted(c.Refused, "passage"), c.Reason)
	}
	return text, c.Waiting > 0, nil
}

// checkContexts tells whether the model that places passages is there, and how far it
// got. It is asked nothing that costs.
func (a *app) checkContexts(ctx context.Context) []check {
	c := a.cfg.Retrieval.Contexts
	if !c.Configured() {
		return nil // it is an extra that nobody has to have
	}
	k := check{Name: "contexts", Outcome: passed, Detail: c.Name + " at " + c.BaseURL}
	const fix = "mend that under retrieval.contexts in footnote.yaml; until then passages are searched without a context"
	if _, _, err := reach(ctx, a.within(reachPatience), c.BaseURL); err != nil {
		k.Outcome, k.Detail, k.Fix = failed, k.Detail+" cannot be reached: "+err.Error(), fix
	} else if client, ok := a.contexts.situator.Model.(*model.Client); ok {
		if _, err := client.Models(ctx); core.KindOf(err) == core.KindAuth {
			k.Outcome, k.Detail, k.Fix = failed, k.Detail+": "+err.Error(), fix
		}
	}
	text, waiting, err := a.contextsText(ctx, "")
	if err != nil {
		text = err.Error()
	}
	k.Detail += "; " + text
	if k.Outcome == passed && waiting {
		k.Outcome, k.Fix = warned, "nothing to do while footnote serve runs; else: footnote sync"
	}
	return []check{k}
}
