package find

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// defaultPatience is how long a source may take to decide on what it let us
// index; a reader waits all that time.
const defaultPatience = 2 * time.Second

// Censors finds who decides on a source's passages at reading time.
type Censors interface {
	// CensorOf tells the censor of a source; false where the source has none. A
	// source whose censor cannot be reached has one that answers with an error.
	CensorOf(source string) (core.Censor, bool)
}

// OnlyReader is the viewer where nobody else reads the reply, nil elsewhere.
func OnlyReader(audience core.Audience, viewer core.Viewer) *core.Viewer {
	if !audience.AskerOnly {
		return nil
	}
	return &viewer
}

// check asks the sources' own word on passages for one reader. It asks for each
// passage once, and never again a source that failed or used up its time. It
// belongs to one goroutine.
type check struct {
	finder   *Finder
	viewer   *core.Viewer
	verdicts map[core.PassageID]core.Verdict
	failed   map[string]bool
	spent    map[string]time.Duration       // by source
	live     map[core.PassageID]core.Result // found by live sources and not in the ledger; ids below zero
}

func (f *Finder) newCheck(viewer *core.Viewer) *check {
	return &check{
		finder: f, viewer: viewer,
		verdicts: map[core.PassageID]core.Verdict{}, failed: map[string]bool{}, spent: map[string]time.Duration{},
		live: map[core.PassageID]core.Result{},
	}
}

// question is what one source is asked.
type question struct {
	source   string
	censor   core.Censor
	passages []core.Result
	limited  context.Context // ends with the source's time
	answer   chan reply      // gets exactly one
}

type reply struct {
	verdicts []core.Verdict
	took     time.Duration
	err      error
}

// pass gives the results that their sources keep, in their order and with their
// texts as the sources want them. Its only error is a context that ended.
func (c *check) pass(ctx context.Context, results []core.Result) ([]core.Result, error) {
	if c.finder.censors == nil || len(results) == 0 {
		return results, nil
	}
	asked, censored := c.questions(results)
	if len(asked) > 0 {
		if err := c.ask(ctx, asked); err != nil {
			return nil, err
		}
	}
	return c.kept(results, censored), nil
}

// questions sorts results by source. It also tells which sources have a censor.
func (c *check) questions(results []core.Result) (asked []*question, censored map[string]bool) {
	bySource := map[string]*question{}
	censored = map[string]bool{}
	for _, r := range results {
		source := r.Document.Source
		q, known := bySource[source]
		if !known {
			if censor, ok := c.finder.censors.CensorOf(source); ok {
				q = &question{source: source, censor: censor, answer: make(chan reply, 1)}
				censored[source] = true
			}
			bySource[source] = q
		}
		if _, decided := c.verdicts[r.Passage.ID]; q == nil || decided || c.failed[source] || !c.viewerKnown() {
			continue
		}
		if len(q.passages) == 0 {
			asked = append(asked, q)
		}
		q.passages = append(q.passages, r)
	}
	return asked, censored
}

func (c *check) viewerKnown() bool { return c.viewer != nil && c.viewer.Email != "" }

// ask asks all sources side by side and waits for each until its time is up.
func (c *check) ask(ctx context.Context, asked []*question) error {
	for _, q := range asked {
		var cancel context.CancelFunc
		q.limited, cancel = context.WithTimeout(ctx, c.finder.patience-c.spent[q.source])
		defer cancel()
		// A copy: whom we no longer wait for must not change what we go on with.
		passages := slices.Clone(q.passages)
		c.finder.running.Go(func() { q.answer <- run(q.limited, q.censor, *c.viewer, passages) })
	}
	for _, q := range asked {
		a := q.wait()
		if err := ctx.Err(); err != nil {
			return err
		}
		c.take(ctx, q, a)
	}
	return nil
}

// take notes what a source said.
func (c *check) take(ctx context.Context, q *question, a reply) {
	c.spent[q.source] += a.took
	if a.err == nil && len(a.verdicts) != len(q.passages) {
		a.err = fmt.Errorf("%d verdicts on %d passages", len(a.verdicts), len(q.passages))
	}
	if a.err != nil {
		c.failed[q.source] = true
		c.finder.log.WarnContext(ctx, "a source did not say what may be shown; its passages are left out",
			"source", q.source, "passages", len(q.passages), "error", a.err)
		return
	}
	for i, v := range a.verdicts {
		c.verdicts[q.passages[i].Passage.ID] = v
	}
}

// run calls a censor. A panic of its is an error like any other.
func run(ctx context.Context, censor core.Censor, viewer core.Viewer, passages []core.Result) (a reply) {
	defer func() {
		if r := recover(); r != nil {
			a = reply{err: fmt.Errorf("the censor panicked: %v", r)}
		}
	}()
	start := time.Now()
	a.verdicts, a.err = censor.Censor(ctx, viewer, passages)
	a.took = time.Since(start)
	return a
}

// wait prefers an answer that is there to a time that is up.
func (q *question) wait() reply {
	select {
	case a := <-q.answer:
		return a
	case <-q.limited.Done():
	}
	select {
	case a := <-q.answer:
		return a
	default:
		return reply{err: q.limited.Err()}
	}
}

// kept applies the verdicts. What a censor did not decide on is dropped.
func (c *check) kept(results []core.Result, censored map[string]bool) []core.Result {
	var out []core.Result
	for _, r := range results {
		if !censored[r.Document.Source] {
			out = append(out, r)
			continue
		}
		v := c.verdicts[r.Passage.ID]
		if !v.Keep || c.failed[r.Document.Source] {
			continue
		}
		if v.Text != "" {
			r.Passage.Text = v.Text
		}
		r.Censored = true
		out = append(out, r)
	}
	return out
}
