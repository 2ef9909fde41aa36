package cli

import (
	"context"
	"fmt"
	"math"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/eval"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// differencesShown is how many queries are printed; --json has all.
const differencesShown = 20

// besideView is two configurations measured on one set.
type besideView struct {
	Before     measuredView    `json:"before"`
	Now        measuredView    `json:"now"`
	Comparison eval.SideBySide `json:"comparison"`
}

type measuredView struct {
	Configuration string `json:"configuration"` // its file
	eval.Report
}

// configInUse names the configuration that is not given as a file.
const configInUse = "in use"

// evalBeside measures a set with the configuration in use and another one, or with
// two others.
func (inv *invocation) evalBeside(ctx context.Context, set eval.Set, f evalFlags, own ownFlags) error {
	if err := own.check(); err != nil {
		return err
	}
	if f.out != "" {
		return core.Errorf(core.KindUsage, "--record writes the vectors of one configuration: leave out --compare")
	}
	files := own.compare
	if len(files) == 1 {
		files = []string{configInUse, files[0]}
	}
	var runs [2]measuredView
	for i, file := range files {
		cfg, err := inv.configOf(file)
		if err != nil {
			return err
		}
		runs[i].Configuration = file
		if runs[i].Report, err = inv.evalAs(ctx, set, f, cfg); err != nil {
			return err
		}
	}
	v := besideView{runs[0], runs[1], eval.Beside(runs[0].Report, runs[1].Report)}
	if f.asJSON {
		return inv.printJSON(v)
	}
	return inv.printBeside(v)
}

func (inv *invocation) configOf(file string) (config.Config, error) {
	if file == configInUse {
		return inv.config()
	}
	return config.Load(inv.path(file), inv.Dir, inv.lookup)
}

func (inv *invocation) printBeside(v besideView) error {
	out, c := inv.streams.Out, v.Comparison
	for _, r := range []measuredView{v.Before, v.Now} {
		fmt.Fprintf(out, "nDCG@10 %.4f  Recall@100 %.4f  MRR@10 %.4f  p95 %5.1f ms  leaks %d  %s\n",
			r.NDCG10, r.Recall, r.MRR10, r.Latency.P95, r.Leaks, console.Clean(r.Configuration))
	}
	fmt.Fprintf(out, "%d better, %d worse of %d queries; nDCG@10 %+.4f ± %.4f%s\n", c.Better, c.Worse, c.Compared, c.Gain, c.Error, chance(c))
	for _, d := range c.Differences[:min(differencesShown, len(c.Differences))] {
		fmt.Fprintf(out, "  %+.3f  %s → %s  %s\n", d.Gain, rankText(d.Before.Rank), rankText(d.Now.Rank), console.Clean(d.Query))
	}
	if more := len(c.Differences) - differencesShown; more > 0 {
		fmt.Fprintf(out, "  and %d more, see --json\n", more)
	}
	return nil
}

// chance says that a difference is too small to tell.
func chance(c eval.SideBySide) string {
	if c.Better+c.Worse > 0 && math.Abs(c.Gain) < 2*c.Error {
		return ", which may be chance"
	}
	return ""
}

func rankText(rank int) string {
	if rank == 0 {
		return " –"
	}
	return fmt.Sprintf("%2d", rank)
}
