package cli

import (
	"context"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// openDesk makes what answers questions, wherever they come from: the same
// queue, audience and audit for the command line, HTTP and chat platforms.
func (a *app) openDesk() {
	running := turnsAtOnce(a.cfg.Model.Concurrency)
	a.desk = bot.NewDesk(bot.Options{
		Answerer: limited{metered{a.agent, a.meters}, a}, Turns: a.store, NewID: newID, Log: a.log,
		Documents: a.store, Audit: a.noteAudit,
		Audience: func(ctx context.Context, place core.Place, viewer core.Viewer) (core.Audience, error) {
			return a.front.Audience(ctx, place, viewer)
		},
		Running: running, Open: running + mostWaiting,
	})
	a.front = bot.NewFront(bot.FrontOptions{
		Desk: a.desk, Ledger: a.store, People: people{a.rights}, Places: placesOf{a.rights}, Collections: placesOf{a.rights}, Filters: filters{a}, Agents: a.agents, Log: a.log,
	})
}

// closeDesk stops what is still running.
func (a *app) closeDesk() error {
	if a.desk == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), shutdownPatience)
	defer cancel()
	return a.desk.Close(ctx)
}

// asker runs the command line's questions at the desk.
type asker struct{ desk *bot.Desk }

// Answer waits for the turn and hands its events on. Cancelling the context stops
// the turn; what it had said is its answer.
func (k asker) Answer(ctx context.Context, q core.Question, emit func(core.Event)) (core.Turn, error) {
	r, err := k.desk.Ask(ctx, q, bot.Wait)
	if err != nil {
		return core.Turn{}, err
	}
	stop := context.AfterFunc(ctx, func() {
		_ = k.desk.Stop(r.ID) // one that has ended needs no stopping
	})
	defer stop()
	out := core.Turn{ID: r.ID, Thread: r.Thread, Question: q.Text, Started: time.Now()}
	for e := range r.Subscribe(context.WithoutCancel(ctx), 0) {
		emit(e)
		switch e := e.(type) {
		case core.Done:
			out.Answer = e.Answer
		case core.Failed:
			return out, core.Errorf(e.Kind, "%s", e.Message)
		}
	}
	return out, nil
}
