package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/eval"
	"github.com/footnote-bot/footnote/internal/cli/scorecard/rival"
	"github.com/footnote-bot/footnote/store/index"
)

// own is the embedded index as one of the engines.
type own struct{ *index.Index }

func openOwn(ctx context.Context, dir string) (own, error) {
	x, err := index.Open(ctx, filepath.Join(dir, "own"), index.Options{Install: "scorecard"})
	return own{x}, err
}

func (o own) Search(ctx context.Context, text string, principals []core.Principal, limit int) ([]string, error) {
	hits, err := o.Keyword(ctx, core.KeywordQuery{Text: text, Filter: core.Filter{Principals: principals}, Limit: limit})
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = h.Document
	}
	return out, err
}

// contender is an engine in a contest over the same documents and questions.
type contender struct {
	name      string
	engine    rival.Engine
	questions int           // in a round: the slow ones get fewer
	indexing  spent         // of all documents
	asked     *eval.Scale   // each asks the same sequence
	searching []searchTimes // by size
}

// spent is wall and processor time.
type spent struct{ wall, cpu time.Duration }

// searchTimes are those of one engine at one size.
type searchTimes struct {
	took  []time.Duration
	cpu   time.Duration
	found int // in all
}

func (s searchTimes) cpuEach() float64 {
	return float64(s.cpu.Microseconds()) / 1000 / float64(max(1, len(s.took)))
}

// contest fills three engines with documents, first to a tenth, and asks them in
// turns at either size.
type contest struct {
	dir        string
	contenders []*contender
}

const (
	contestRounds = 3
	contestLimit  = 50
	contestBatch  = 1000
)

func newContest(ctx context.Context) (*contest, error) {
	dir, err := os.MkdirTemp("", "footnote-scorecard-")
	if err != nil {
		return nil, err
	}
	c := &contest{dir: dir}
	ours, err := openOwn(ctx, dir)
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	c.enter("the embedded index", ours, 300)
	fts5, err := rival.OpenFTS5(ctx, dir)
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	c.enter("FTS5", fts5, 20)
	bleve, err := rival.OpenBleve(dir)
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	c.enter("bleve", bleve, 60)
	return c, nil
}

func (c *contest) enter(name string, e rival.Engine, questions int) {
	c.contenders = append(c.contenders, &contender{name: name, engine: e, questions: questions, asked: eval.NewScale(2)})
}

func (c *contest) close() error {
	var err error
	for _, one := range c.contenders {
		err = errors.Join(err, one.engine.Close())
	}
	return errors.Join(err, os.RemoveAll(c.dir))
}

// run measures at a tenth of the documents and at all of them.
func (c *contest) run(ctx context.Context, passages int) error {
	made, docs := eval.NewScale(1), []core.IndexedDocument{}
	for _, size := range []int{passages / 10, passages} {
		from := len(docs)
		for i := from; i < size; i++ {
			docs = append(docs, made.Document(i))
		}
		for _, one := range c.contenders {
			if err := one.put(ctx, docs[from:]); err != nil {
				return fmt.Errorf("%s: %w", one.name, err)
			}
			one.searching = append(one.searching, searchTimes{})
		}
		for range contestRounds {
			for _, one := range c.contenders {
				if err := one.ask(ctx); err != nil {
					return fmt.Errorf("%s: %w", one.name, err)
				}
			}
		}
	}
	return nil
}

// put counts what the engine still does in the background after its last batch.
func (c *contender) put(ctx context.Context, docs []core.IndexedDocument) error {
	start, cpu := time.Now(), cpuTime()
	for len(docs) > 0 {
		n := min(contestBatch, len(docs))
		if err := c.engine.Put(ctx, docs[:n]); err != nil {
			return err
		}
		docs = docs[n:]
	}
	c.indexing.wall += time.Since(start)
	if err := settle(ctx); err != nil {
		return err
	}
	c.indexing.cpu += cpuTime() - cpu
	return nil
}

func (c *contender) ask(ctx context.Context) error {
	times := &c.searching[len(c.searching)-1]
	cpu := cpuTime()
	for range c.questions {
		text, start := c.asked.Question(), time.Now()
		found, err := c.engine.Search(ctx, text, c.asked.Filter().Principals, contestLimit)
		if err != nil {
			return err
		}
		times.took = append(times.took, time.Since(start))
		times.found += len(found)
	}
	times.cpu += cpuTime() - cpu
	if times.found == 0 {
		return errors.New("no question finds anything")
	}
	return nil
}

// settle waits until this process does nothing in the background, at most so long.
func settle(ctx context.Context) error {
	const look, most = 250 * time.Millisecond, 30 * time.Second
	for range most / look {
		cpu := cpuTime()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
		if cpuTime()-cpu < look/20 {
			return nil
		}
	}
	return nil
}

// cpuTime is what this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it cannot fail for the process itself
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
