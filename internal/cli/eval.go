package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/eval"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// evalFlags say how searches of a test set use vectors.
type evalFlags struct {
	asJSON       bool
	share        float64 // how much words count; 0 is what is configured
	vectors, out string  // files of recorded vectors to read and to write
}

func (inv *invocation) evalCommand() *cobra.Command {
	var f evalFlags
	var own ownFlags
	c := &cobra.Command{
		Use:   "eval QUESTIONS.jsonl | DIR",
		Short: "Measure search on your own questions, or on a test set in BEIR form",
		Long: `Measure search on a file of your own questions, one JSON object a line:

  {"question": "How much leave is there?", "expect": ["handbook/leave.md"],
   "answer": ["30 days"], "as": "ann@example.com"}

expect names documents by id or address, one of which should be among the first --k;
answer has texts, one of which should stand in what a model would read; as is who
asks. They are asked of the documents in the data folder, without any chat model.
Compare with an earlier report (--json > FILE, then --baseline FILE), with another
configuration (--compare OTHER.yaml), or two (--compare A.yaml,B.yaml), which are tried
on copies. The exit code is 1 if more questions than --tolerate lost what they had.

Or measure retrieval on a folder with corpus.jsonl, queries.jsonl and qrels.tsv. The
documents go through the same reading, cutting and indexing as any source, into
a temporary folder. With acl.tsv in the folder and users.json in it or above it,
every query is also asked as every user, and forbidden documents are counted.
--compare measures two configurations side by side, and tells which queries differ.

With an embedding model in the configuration, or --vectors, searches use vectors as
well; then some queries are asked again with other shares of words and vectors, and
the best share is proposed. --keyword-share 1 measures words alone.`,
		Args: exactly(1, "a file of questions, or a folder with a test set"),
		RunE: func(c *cobra.Command, args []string) error {
			if info, err := os.Stat(inv.path(args[0])); err == nil && info.Mode().IsRegular() {
				own.asJSON = f.asJSON
				return inv.evalOwn(c.Context(), inv.path(args[0]), own)
			}
			if strings.HasSuffix(args[0], ".jsonl") && missing(inv.path(args[0])) {
				return core.Errorf(core.KindNotFound, "there is no file %s; write one question a line into it, as footnote eval --help shows", inv.path(args[0]))
			}
			set, err := eval.Read(inv.path(args[0]))
			if err != nil {
				return err
			}
			if c.Flags().Changed("keyword-share") && (f.share <= 0 || f.share > 1) {
				return core.Errorf(core.KindUsage, "--keyword-share: %g is not above 0 and up to 1", f.share)
			}
			if own.baseline != "" {
				return core.Errorf(core.KindUsage, "--baseline is for a file of questions; compare a test set with --compare")
			}
			if len(own.compare) > 0 {
				return inv.evalBeside(c.Context(), set, f, own)
			}
			return inv.eval(c.Context(), set, f)
		},
	}
	c.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object")
	c.Flags().Float64Var(&f.share, "keyword-share", 0, "how much words count beside vectors, above 0 and up to 1 (default embeddings.keyword_share, or 0.75)")
	c.Flags().StringVar(&f.vectors, "vectors", "", "take vectors from this file, which --record wrote, and ask no model")
	c.Flags().StringVar(&f.out, "record", "", "write the vectors that were used to this file")
	c.Flags().IntVar(&own.k, "k", 10, "how many documents count as found, with a file of questions")
	c.Flags().StringVar(&own.baseline, "baseline", "", "compare with this report of before")
	c.Flags().StringSliceVar(&own.compare, "compare", nil, "compare with this configuration, or two of them, comma between")
	c.Flags().Float64Var(&own.tolerate, "tolerate", 0, "share of the questions that may lose what they had")
	return c
}

func (inv *invocation) eval(ctx context.Context, set eval.Set, f evalFlags) error {
	all, err := inv.config()
	if err != nil {
		return err
	}
	report, err := inv.evalAs(ctx, set, f, all)
	if err != nil {
		return err
	}
	if f.asJSON {
		return inv.printJSON(report)
	}
	return inv.printEval(report)
}

// evalAs measures with what a configuration says about searching.
func (inv *invocation) evalAs(ctx context.Context, set eval.Set, f evalFlags, all config.Config) (report eval.Report, err error) {
	cfg, source, err := inv.evalVectors(f, all)
	if err != nil {
		return report, err
	}
	dir, err := os.MkdirTemp("", "footnote-eval-")
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	log, err := inv.logger()
	if err != nil {
		return report, err
	}
	cfg.DataDir = dir
	a, err := openApp(ctx, cfg, inv.exe, log, source.stand)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	if report, err = eval.Run(ctx, set, &engine{app: a, progress: inv.progress("eval")}); err == nil && f.out != "" {
		err = source.record.Write(inv.path(f.out))
	}
	return report, err
}

func (inv *invocation) printEval(r eval.Report) error {
	_, err := fmt.Fprintf(inv.streams.Out,
		"%d documents, indexed in %.1f s\nnDCG@10 %.4f  Recall@100 %.4f  MRR@10 %.4f  over %d queries\nlatency p50 %.1f ms, p95 %.1f ms\nleaks %d\n",
		r.Documents, r.IndexSeconds, r.NDCG10, r.Recall, r.MRR10, r.Queries, r.Latency.P50, r.Latency.P95, r.Leaks)
	if g := r.Readers; g != nil && err == nil {
		_, err = fmt.Fprintf(inv.streams.Out, "readers together (%s): leaks %d, after changes %d, recall behind a full scan %.4f\n",
			strings.Trim(fmt.Sprint(g.Sizes), "[]"), g.Leaks, g.LeaksAfter, g.RecallGap)
	}
	if err == nil {
		err = inv.printShares(r.Shares)
	}
	if err != nil || len(r.ByLanguage) < 2 {
		return err
	}
	for _, language := range slices.Sorted(maps.Keys(r.ByLanguage)) {
		q := r.ByLanguage[language]
		if _, err := fmt.Fprintf(inv.streams.Out, "  %-7s nDCG@10 %.4f  Recall@100 %.4f  over %d queries\n",
			language, q.NDCG10, q.Recall, q.Queries); err != nil {
			return err
		}
	}
	return nil
}
