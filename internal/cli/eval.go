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

	"github.com/footnote-bot/footnote/core/eval"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

func (inv *invocation) evalCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "eval DIR",
		Short: "Measure retrieval on a test set in BEIR form",
		Long: `Measure retrieval on a folder with corpus.jsonl, queries.jsonl and qrels.tsv. The
documents go through the same reading, cutting and indexing as any source, into
a temporary folder. With acl.tsv in the folder and users.json in it or above it,
every query is also asked as every user, and forbidden documents are counted.`,
		Args: exactly(1, "a folder with a test set"),
		RunE: func(c *cobra.Command, args []string) error {
			set, err := eval.Read(inv.path(args[0]))
			if err != nil {
				return err
			}
			return inv.eval(c.Context(), set, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func (inv *invocation) eval(ctx context.Context, set eval.Set, asJSON bool) (err error) {
	dir, err := os.MkdirTemp("", "footnote-eval-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	log, err := inv.logger()
	if err != nil {
		return err
	}
	a, err := openApp(ctx, config.Config{DataDir: dir}, inv.exe, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	report, err := eval.Run(ctx, set, &engine{app: a, progress: inv.progress("eval")})
	if err != nil {
		return err
	}
	if asJSON {
		return inv.printJSON(report)
	}
	return inv.printEval(report)
}

func (inv *invocation) printEval(r eval.Report) error {
	_, err := fmt.Fprintf(inv.streams.Out,
		"%d documents, indexed in %.1f s\nnDCG@10 %.4f  Recall@100 %.4f  MRR@10 %.4f  over %d queries\nlatency p50 %.1f ms, p95 %.1f ms\nleaks %d\n",
		r.Documents, r.IndexSeconds, r.NDCG10, r.Recall, r.MRR10, r.Queries, r.Latency.P50, r.Latency.P95, r.Leaks)
	if g := r.Readers; g != nil && err == nil {
		_, err = fmt.Fprintf(inv.streams.Out, "readers together (%s): leaks %d, after changes %d, recall behind a full scan %.4f\n",
			strings.Trim(fmt.Sprint(g.Sizes), "[]"), g.Leaks, g.LeaksAfter, g.RecallGap)
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
