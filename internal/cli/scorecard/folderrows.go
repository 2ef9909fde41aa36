package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core/eval"
)

const (
	starts = 5
	asked  = 1000
	// beside is by how much smaller the source is that is read while others ask.
	beside = 10
	// quiet is after how long without a search memory is looked at again.
	quiet = 75 * time.Second
)

// folderFigures fill a data folder through a connector's process and measure
// footnote serve on it.
func folderFigures(o *options) func(context.Context) ([]row, error) {
	return func(ctx context.Context) (rows []row, err error) {
		f, err := newFolder(ctx, o.program, o.passages)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, f.remove()) }()
		cost, err := f.sync(ctx, "large")
		if err != nil {
			return nil, err
		}
		rows = syncRows(cost, o)
		more, err := f.startRows(ctx, o.passages)
		if rows = append(rows, more...); err != nil {
			return rows, err
		}
		s, err := f.serve(ctx)
		if err != nil {
			return rows, err
		}
		defer func() { err = errors.Join(err, s.stop()) }()
		more, err = s.loadRows(ctx, o.passages)
		return append(rows, more...), err
	}
}

func syncRows(cost spent, o *options) []row {
	size := fmt.Sprintf("%d documents of 2 kB", o.passages)
	rows := []row{{"6", "sync through a connector process, committed and searchable, " + size,
		fmt.Sprintf("%.0f s, %.0f s of processor time", cost.wall.Seconds(), cost.cpu.Seconds()), ""}}
	if o.bare.wall > 0 {
		rows = append(rows, row{"6", "its speed against the bare index in this run",
			fmt.Sprintf("%.2f ×, %.2f × by processor time", ratio(o.bare.wall, cost.wall), ratio(o.bare.cpu, cost.cpu)), "≥ 0.8 ×"})
	}
	return rows
}

func ratio(a, b time.Duration) float64 { return a.Seconds() / b.Seconds() }

// startRows start the program several times and look at its memory when it is idle.
func (f *folder) startRows(ctx context.Context, passages int) ([]row, error) {
	var took []time.Duration
	var idle, anonymous []float64
	for range starts {
		s, err := f.serve(ctx)
		if err != nil {
			return nil, err
		}
		took = append(took, s.ready)
		time.Sleep(2 * time.Second)
		rss, err1 := s.memory("VmRSS")
		anon, err2 := s.memory("RssAnon")
		if err := errors.Join(err1, err2, s.stop()); err != nil {
			return nil, err
		}
		idle, anonymous = append(idle, rss), append(anonymous, anon)
	}
	size := fmt.Sprintf("%d passages", passages)
	return []row{
		{"8", "start of footnote serve to ready, " + size + ", median and longest of 5",
			fmt.Sprintf("%.0f, %.0f ms", milli(eval.Percentile(took, 50)), milli(slices.Max(took))), "≤ 300 ms at 100,000"},
		{"7", "memory of footnote serve, 2 s after its start, " + size, fmt.Sprintf("%.0f MB, %.0f MB of it not files", slices.Min(idle), slices.Min(anonymous)), ""},
	}, nil
}

// loadRows ask, and ask again while a source is read.
func (s *server) loadRows(ctx context.Context, passages int) ([]row, error) {
	idle, err := s.ask(ctx, asked, nil)
	if err != nil {
		return nil, err
	}
	rss, err1 := s.memory("VmRSS")
	anon, err2 := s.memory("RssAnon")
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	time.Sleep(quiet)
	later, err1 := s.memory("VmRSS")
	rest, err2 := s.memory("RssAnon")
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	size := fmt.Sprintf("%d passages", passages)
	rows := []row{
		{"7", fmt.Sprintf("the same after %d searches over HTTP, %s", asked, size), fmt.Sprintf("%.0f MB, %.0f MB of it not files", rss, anon), "≤ 200 MB at 100,000"},
		{"7", fmt.Sprintf("the same %.0f s later", quiet.Seconds()), fmt.Sprintf("%.0f MB, %.0f MB of it not files", later, rest), "likewise"},
		{"-", "search over HTTP, gate and neighbours included, " + size + ", p50, p95", both(idle), ""},
	}
	busy, err := s.askWhileReading(ctx, passages/beside)
	if err != nil {
		return rows, err
	}
	return append(rows, row{"-", fmt.Sprintf("the same while %d documents are read in, p50, p95", passages/beside),
		fmt.Sprintf("%s (p95 %.1f ×)", both(busy), ratio(eval.Percentile(busy, 95), eval.Percentile(idle, 95))), "p95 under 2 ×"}), nil
}

// askWhileReading asks until a source of so many documents is read in.
func (s *server) askWhileReading(ctx context.Context, documents int) ([]time.Duration, error) {
	if _, err := s.run(ctx, "source", "add", "scaled", "--name", "more", "--every", "24h",
		"--set", fmt.Sprintf("count=%d", documents), "--set", "first=10000000"); err != nil {
		return nil, err
	}
	done, failed := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(done)
		failed <- s.readIn(ctx, "more")
	}()
	took, err := s.ask(ctx, 100*asked, done)
	<-done
	return took, errors.Join(err, <-failed)
}

// readIn waits until a source is read, which serve begins by itself.
func (s *server) readIn(ctx context.Context, source string) error {
	for {
		_, err := s.run(ctx, "sync", source)
		if err == nil || !strings.Contains(err.Error(), "running already") {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

func milli(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func both(took []time.Duration) string {
	return fmt.Sprintf("%.1f, %.1f ms", milli(eval.Percentile(took, 50)), milli(eval.Percentile(took, 95)))
}
