package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/footnote-bot/footnote/core/model"
)

// rerankCheckPatience is how long doctor waits for a reranker.
const rerankCheckPatience = 10 * time.Second

// openReranker makes the client of the reranker, if there is one. It asks nothing.
func (a *app) openReranker() error {
	cfg := a.cfg.Retrieval.Rerank
	if !cfg.Configured() {
		return nil
	}
	client, err := model.New(model.Config{
		BaseURL: cfg.BaseURL, Name: cfg.Name, APIKey: cfg.APIKey, Section: "retrieval.rerank", Retries: -1, Log: a.log,
	})
	if err == nil {
		a.reranker = model.NewReranker(client)
	}
	return err
}

// checkReranker asks it which of two texts answers a question.
func (a *app) checkReranker(ctx context.Context) []check {
	if a.reranker == nil {
		return nil // it is an extra that nobody has to have
	}
	cfg := a.cfg.Retrieval.Rerank
	k := check{Name: "reranker", Outcome: passed, Detail: cfg.Name + " at " + cfg.BaseURL}
	limited, cancel := context.WithTimeout(ctx, a.within(rerankCheckPatience))
	defer cancel()
	started := time.Now()
	ranked, err := a.reranker.Rerank(limited, "Where is the office?", []string{"Soup is served on Mondays.", "The office is in Lisbon."})
	switch took := time.Since(started); {
	case err != nil:
		k.Outcome, k.Detail = failed, k.Detail+": "+err.Error()
		k.Fix = "mend that, or remove retrieval.rerank; until then searches keep their own order"
	case len(ranked) != 2:
		k.Outcome, k.Detail = warned, k.Detail+fmt.Sprintf(" said something of %d of 2 texts", len(ranked))
		k.Fix = "check that retrieval.rerank.name is a reranking model"
	case ranked[0].Index != 1:
		k.Outcome, k.Detail = warned, k.Detail+" takes soup for a better answer than the address to where the office is"
		k.Fix = "check that retrieval.rerank.name is a reranking model"
	case took > time.Second:
		k.Outcome, k.Detail = warned, k.Detail+fmt.Sprintf(" took %.1f s for two texts; a search waits 1.5 s for a hundred", took.Seconds())
		k.Fix = "use a smaller model or a faster machine"
	}
	return []check{k}
}
