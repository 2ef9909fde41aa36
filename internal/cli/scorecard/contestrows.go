package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/footnote-bot/footnote/core/eval"
)

// contestFigures hold the embedded index against other engines, in turns in one
// process.
func contestFigures(o *options) func(context.Context) ([]row, error) {
	return func(ctx context.Context) (rows []row, err error) {
		c, err := newContest(ctx)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, c.close()) }()
		if err := c.run(ctx, o.passages); err != nil {
			return nil, err
		}
		for _, one := range c.contenders {
			rows = append(rows, one.rows(o.passages, c.contenders[0])...)
		}
		o.bare = c.contenders[0].indexing
		return rows, nil
	}
}

func (c *contender) rows(passages int, ours *contender) []row {
	s := c.searching[len(c.searching)-1]
	what := fmt.Sprintf("keyword search, access filter, %d passages, %s: ", passages, c.name)
	cpu, want95, wantCPU, wantGrowth := fmt.Sprintf("%.1f ms", s.cpuEach()), "≤ 25 ms at 100,000", "≤ 8 ms at 100,000", "≤ 0.75"
	if c != ours {
		cpu += fmt.Sprintf(" (%.1f ×)", s.cpuEach()/ours.searching[len(c.searching)-1].cpuEach())
		want95, wantCPU, wantGrowth = "", "", ""
	}
	small := c.searching[0]
	return []row{
		{"2", what + "processor time", cpu, wantCPU},
		{"2", what + "p50, p95", fmt.Sprintf("%.1f, %.1f ms", milliseconds(s, 50), milliseconds(s, 95)), want95},
		{"4", fmt.Sprintf("growth of that from %d, %s", passages/10, c.name), fmt.Sprintf("n^%.2f", growth(small.cpuEach(), s.cpuEach(), 10)), wantGrowth},
		{"6", fmt.Sprintf("indexing alone, %d passages, %s", passages, c.name), fmt.Sprintf("%.0f s, %.0f s of processor time", c.indexing.wall.Seconds(), c.indexing.cpu.Seconds()), ""},
	}
}

func milliseconds(s searchTimes, p float64) float64 {
	return float64(eval.Percentile(s.took, p).Microseconds()) / 1000
}

// growth is the exponent by which a cost grows where the size grows by a factor.
func growth(small, large, factor float64) float64 {
	return math.Log(large/small) / math.Log(factor)
}
