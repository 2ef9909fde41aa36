package situate

import (
	"context"
	"errors"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/prompts"
)

const (
	replyTokens  = 1024    // some models think before they write
	longestReply = 8 << 10 // bytes that are read
	triesAlone   = 3       // of a passage, where the model takes others
)

var errTooMuch = core.Errorf(core.KindTooLarge, "The model wrote on and on instead of a context.")

// alone is a failure that is one passage's own.
type alone struct{ error }

func (a alone) Unwrap() error { return a.error }

func isAlone(err error) bool {
	var a alone
	return errors.As(err, &a)
}

// place finds the contexts of a document's passages. What the model said of some is
// kept also where it then fails.
func (s *Situator) place(ctx context.Context, row int64) (core.PlacedDocument, error) {
	d, err := s.Ledger.ContextDocument(ctx, row)
	if err != nil {
		return core.PlacedDocument{}, err
	}
	in := newInputs(d, s.Room)
	keys := make([]core.Hash, len(d.Passages))
	for i := range keys {
		keys[i] = core.TextHash(s.Recipe() + "\x00" + prompts.ContextSystem() + "\x00" + in.of(i))
	}
	have, err := s.Answers.Contexts(ctx, keys)
	if err != nil {
		return core.PlacedDocument{}, err
	}
	var missing []int
	asked := map[core.Hash]bool{}
	for i, k := range keys {
		if _, is := have[k]; !is && !asked[k] {
			asked[k] = true
			missing = append(missing, i)
		}
	}
	if err := s.askAll(ctx, d, in, keys, missing); err != nil {
		return core.PlacedDocument{}, err
	}
	if have, err = s.Answers.Contexts(ctx, keys); err != nil {
		return core.PlacedDocument{}, err
	}
	p := core.PlacedDocument{Row: row, Generation: d.Generation}
	for _, k := range keys {
		c, is := have[k]
		if !is { // the document went meanwhile, and they with it
			return core.PlacedDocument{}, core.Errorf(core.KindNotFound, "The document %q is gone.", d.ID)
		}
		p.Contexts = append(p.Contexts, c)
	}
	return p, nil
}

// askAll asks for the missing ones. Calls that run are not cut off by the failure of
// another: they are paid for.
func (s *Situator) askAll(ctx context.Context, d core.ContextDocument, in *inputs, keys []core.Hash, missing []int) error {
	var g errgroup.Group
	var stopped atomic.Bool
	g.SetLimit(s.Requests)
	errs := make([]error, len(missing))
	for n, i := range missing {
		if stopped.Load() || ctx.Err() != nil {
			break
		}
		g.Go(func() error {
			if stopped.Load() {
				return nil
			}
			errs[n] = s.one(ctx, d, in, i, keys[i])
			if errs[n] != nil && !isAlone(errs[n]) {
				stopped.Store(true)
			}
			return nil
		})
	}
	_ = g.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var found error
	for _, err := range errs {
		if found == nil || err != nil && isAlone(found) { // what concerns all documents comes first
			found = err
		}
	}
	return found
}

// one asks for one context and keeps it. Where the model fails it is found out whether
// that is the passage's fault: a document must not stop the others.
func (s *Situator) one(ctx context.Context, d core.ContextDocument, in *inputs, i int, key core.Hash) error {
	text, err := s.call(ctx, in.of(i))
	if core.KindOf(err) == core.KindTooLarge && in.room > 1 && ctx.Err() == nil {
		text, err = s.call(ctx, newInputs(d, in.room/4).of(i))
	}
	if err == nil {
		return s.keep(ctx, d.Row, key, core.PassageContext{Key: key, Text: clean(text)})
	}
	kind := core.KindOf(err)
	switch kind {
	case core.KindBusy, core.KindAuth, core.KindConfig, core.KindCancelled:
		return err
	}
	if ctx.Err() != nil {
		return err
	}
	if _, err := s.call(ctx, prompts.ContextPassage(`{"text":"footnote"}`)); err != nil {
		return err
	}
	s.mu.Lock()
	s.tries[key]++
	again := s.tries[key] < triesAlone && kind != core.KindInvalid && kind != core.KindTooLarge
	s.mu.Unlock()
	if again {
		return alone{err}
	}
	s.Log.WarnContext(ctx, "a passage gets no context, because the model does not take it", "kind", kind, "error", err)
	return s.keep(ctx, d.Row, key, core.PassageContext{Key: key, Reason: err.Error()})
}

// keep keeps what was paid for also where the work is being stopped.
func (s *Situator) keep(ctx context.Context, row int64, key core.Hash, c core.PassageContext) error {
	s.mu.Lock()
	delete(s.tries, key)
	s.mu.Unlock()
	return s.Answers.PutContext(context.WithoutCancel(ctx), row, c)
}

// call asks the model once and counts that.
func (s *Situator) call(ctx context.Context, input string) (string, error) {
	if err := s.reserve(ctx); err != nil {
		return "", err
	}
	c := core.ReadingCall{Purpose: core.ForContexts, Model: s.Model.Name(), Failed: true}
	defer func() { s.count(context.WithoutCancel(ctx), c) }()
	limited, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	size := 0
	reply, err := s.Model.Stream(limited, model.Request{
		MaxOutput: replyTokens, Given: []string{input},
		Messages: []model.Message{{Role: model.System, Content: prompts.ContextSystem()}, {Role: model.User, Content: input}},
	}, func(d model.Delta) error {
		if size += len(d.Text); size > longestReply {
			return errTooMuch
		}
		return nil
	})
	c.Failed, c.Usage, c.Cost = err != nil, reply.Usage, s.Cost(s.Model.Name(), reply.Usage)
	return reply.Text, err
}

// reserve holds the calls to the limit of a day, those that run included.
func (s *Situator) reserve(ctx context.Context) error {
	if err := s.Held(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.PerDay > 0 {
		today, err := s.Answers.ContextCalls(ctx)
		if err != nil {
			return err
		}
		if today+s.running >= s.PerDay {
			return core.Errorf(core.KindBusy, "The %d calls of today (retrieval.contexts.per_day, by UTC) are used up; the rest follows tomorrow.", s.PerDay)
		}
	}
	s.running++
	return nil
}

// count makes a call that ran one of today's: it is never both, or it would take the
// place of another. Where that fails the answer counts all the same, and so does the
// call: it goes on as one that runs, so that the limit of a day holds.
func (s *Situator) count(ctx context.Context, c core.ReadingCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.Answers.CountReadingCall(ctx, c); err != nil {
		s.Log.ErrorContext(ctx, "what a context used was not counted; usage and quotas count too little", "model", c.Model, "error", err)
		return
	}
	s.running--
}
