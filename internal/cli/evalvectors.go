package cli

import (
	"fmt"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/eval"
	"github.com/footnote-bot/footnote/core/ingest/embed"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// evalVectors is where the vectors of a measured test set come from.
type evalVectors struct {
	record *eval.Recorded // nil asks the configured endpoint, if any
}

// evalVectors reads what the flags and the configuration say about searching. Of
// the configuration nothing else counts.
func (inv *invocation) evalVectors(f evalFlags, all config.Config) (cfg config.Config, v evalVectors, err error) {
	cfg.Retrieval = all.Retrieval
	if f.share == 1 && f.out == "" { // words alone need no vectors
		return cfg, v, nil
	}
	cfg.Embeddings = all.Embeddings
	if f.share > 0 {
		cfg.Embeddings.KeywordShare = f.share
	}
	switch {
	case f.vectors != "" && f.out != "":
		return cfg, v, core.Errorf(core.KindUsage, "--vectors takes from a file what --record would write; leave out one of both")
	case f.vectors != "":
		v.record, err = eval.ReadRecorded(inv.path(f.vectors))
		if err != nil {
			return cfg, v, err
		}
		cfg.Embeddings.BaseURL, cfg.Embeddings.Name, cfg.Embeddings.Dimensions = f.vectors, v.record.Model, v.record.Dimensions
	case f.out != "":
		if !cfg.Embeddings.Configured() {
			return cfg, v, core.Errorf(core.KindConfig, "there are no vectors to record: set embeddings.base_url and embeddings.name")
		}
		endpoint, err := model.New(model.Config{
			BaseURL: cfg.Embeddings.BaseURL, Name: cfg.Embeddings.Name, APIKey: cfg.Embeddings.APIKey,
			Profile: cfg.Embeddings.Profile, Section: "embeddings",
		})
		if err != nil {
			return cfg, v, err
		}
		v.record = eval.Record(cfg.Embeddings.Name, endpoint)
	}
	return cfg, v, nil
}

// stand puts the record in the place of the endpoint.
func (v evalVectors) stand(a *app) {
	if v.record != nil {
		a.vectors = func(model.Config) (embed.Model, error) { return v.record, nil }
	}
}

func (inv *invocation) printShares(s *eval.Shares) error {
	if s == nil {
		return nil
	}
	out := inv.streams.Out
	if _, err := fmt.Fprintf(out, "words count %.2f beside vectors; other shares, over %d queries:\n", s.Used, s.Queries); err != nil {
		return err
	}
	for _, t := range s.Tried {
		if _, err := fmt.Fprintf(out, "  %.2f  nDCG@10 %.4f  Recall@100 %.4f\n", t.KeywordShare, t.NDCG10, t.Recall); err != nil {
			return err
		}
	}
	text := "the share in use is as good as any"
	if s.Proposed != s.Used {
		text = fmt.Sprintf("for questions like these, set embeddings.keyword_share: %g", s.Proposed)
	}
	_, err := fmt.Fprintln(out, text)
	return err
}
