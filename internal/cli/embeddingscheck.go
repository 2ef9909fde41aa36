package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// embeddingsPatience is how long doctor waits for a vector.
const embeddingsPatience = 10 * time.Second

// checkEmbeddings tells whether searches use vectors, what waits for one and why.
func (a *app) checkEmbeddings(ctx context.Context) check {
	k := check{Name: "embeddings", Outcome: passed}
	e := a.embeddings
	if !e.configured() {
		k.Detail = "none are configured: search is by words only"
		k.Fix = "nothing has to be done; docs/embeddings.md says what vectors add"
		k.Outcome = unknown
		return k
	}
	k.Detail = a.cfg.Embeddings.Name + " at " + a.cfg.Embeddings.BaseURL
	limited, cancel := context.WithTimeout(ctx, a.within(embeddingsPatience))
	defer cancel()
	vectors, err := e.embedder.Model.Embed(limited, []string{a.cfg.Embeddings.PassagePrefix + "footnote"})
	if err != nil {
		k.Outcome, k.Detail = failed, k.Detail+": "+err.Error()
		k.Fix = "mend that; until then search is by words, and passages wait"
		return k.with(a.waitingText(ctx))
	}
	wanted, sets, known, err := a.wantedSet(ctx)
	switch live, inUse := e.embedder.Live(); {
	case err != nil:
		k.Outcome, k.Detail = failed, err.Error()
		return k
	case known && len(vectors[0]) != wanted.Dimensions:
		k.Outcome = failed
		k.Detail += fmt.Sprintf(" makes vectors of %d numbers, those of the passages have %d", len(vectors[0]), wanted.Dimensions)
		k.Fix = "set embeddings.name back to the model that they were made with, or embeddings.dimensions to the new length, which embeds all passages anew"
	case !inUse && sets.Live == (core.VectorSet{}):
		k.Outcome, k.Detail = warned, k.Detail+"; search is by words until the first vectors are complete"
		k.Fix = "footnote serve makes them in the background, footnote sync before it ends"
	case inUse && live.Model != e.embedder.Name:
		k.Outcome, k.Detail = warned, fmt.Sprintf("%s; search uses the vectors of %s until the new ones are complete", k.Detail, live.Model)
		k.Fix = "nothing to do: footnote serve changes over by itself"
	}
	waiting := a.waitingText(ctx)
	k = k.with(waiting)
	if waiting != "" && core.KindOf(a.embeddingsHeld(ctx)) == core.KindBusy {
		k.Fix = "raise the limit under quotas in footnote.yaml, then: footnote reload while footnote serve runs; else: footnote sync"
	}
	return k
}

func (k check) with(text string) check {
	if text != "" {
		k.Detail += "; " + text
		if k.Outcome == passed {
			k.Outcome = warned
			k.Fix = "nothing to do while footnote serve runs; else: footnote sync"
		}
	}
	return k
}

// waitingText says how many passages have no vector, and why; "" if all have one.
func (a *app) waitingText(ctx context.Context) string {
	wanted, _, _, err := a.wantedSet(ctx)
	if err != nil {
		return err.Error()
	}
	counts, err := a.store.VectorCounts(ctx, wanted, "")
	if err != nil {
		return err.Error()
	}
	return a.countsText(ctx, counts)
}

func (a *app) countsText(ctx context.Context, c core.VectorCounts) string {
	text := ""
	if c.Waiting() > 0 {
		text = fmt.Sprintf("%d of %s wait for a vector", c.Waiting(), counted(c.Passages, "passage"))
		if t, stopped := a.embeddingsTrouble(ctx); stopped {
			text += " since " + t.Since.Format(time.DateTime) + ": " + t.Text
		}
	}
	if c.Refused > 0 {
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("%s got none, for instance: %s", counted(c.Refused, "passage"), c.Reason)
	}
	return text
}

// sourceVectors is how many of a source's passages wait for a vector, and what
// there is to say about it; nothing without a model.
func (a *app) sourceVectors(ctx context.Context, source string) (core.VectorCounts, string, error) {
	if !a.embeddings.configured() {
		return core.VectorCounts{}, "", nil
	}
	wanted, _, _, err := a.wantedSet(ctx)
	if err != nil {
		return core.VectorCounts{}, "", err
	}
	counts, err := a.store.VectorCounts(ctx, wanted, source)
	return counts, a.countsText(ctx, counts), err
}
