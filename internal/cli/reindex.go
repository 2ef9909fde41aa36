package cli

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"
)

// reindexed is what footnote reindex did.
type reindexed struct {
	Documents  int    `json:"documents"`
	Passages   int    `json:"passages"`
	Kind       string `json:"kind"`
	Collection string `json:"collection,omitempty"`
	TookMS     int64  `json:"took_ms"`
}

func (inv *invocation) reindexCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "reindex",
		Short: "Build the search index again from the ledger",
		Long: `Build the search index again from what the ledger holds. No source is read. The
index in the data folder is written over in place; on Typesense a new collection
is filled beside the old one and takes its place when it is complete. Questions
are answered meanwhile.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.reindex(ctx, a, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func (inv *invocation) reindex(ctx context.Context, a *app, asJSON bool) error {
	started := time.Now()
	p := inv.progress("reindex")
	stop := a.watchIndexing(ctx, p)
	err := a.dropContexts(ctx)
	if err == nil {
		err = a.rebuildIndex(ctx)
	}
	stop()
	p.done()
	if err == nil { // what was put again may have lost its vectors
		err = a.embeddings.embedder.Recheck(ctx)
	}
	if err != nil {
		return err
	}
	inv.embedNow(ctx, a)
	out := reindexed{Kind: a.indexKind(), TookMS: time.Since(started).Milliseconds()}
	if out.Documents, out.Passages, err = a.index.Count(ctx); err != nil {
		return err
	}
	if a.cluster != nil {
		if out.Collection, err = a.store.Note(ctx, indexNote); err != nil {
			return err
		}
	}
	if asJSON {
		return inv.printJSON(out)
	}
	where := "in the data folder"
	if out.Collection != "" {
		where = "in the collection " + out.Collection + a.whereIndexed()
	}
	_, err = fmt.Fprintf(inv.streams.Out, "indexed %s with %s %s in %s\n",
		counted(out.Documents, "document"), counted(out.Passages, "passage"), where, time.Since(started).Round(time.Millisecond))
	return err
}

// rebuildIndex puts every document again.
func (a *app) rebuildIndex(ctx context.Context) error {
	if a.cluster == nil {
		return a.syncer.Reindex(ctx)
	}
	a.catching.Lock()
	defer a.catching.Unlock()
	if err := a.prepareCluster(ctx, true); err != nil {
		return err
	}
	return a.fillCluster(ctx)
}

// watchIndexing shows how many documents wait, until stop is called.
func (a *app) watchIndexing(ctx context.Context, p *progress) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		for pause(ctx, time.Second) == nil {
			if counts, err := a.store.Counts(ctx); err == nil {
				p.tell(fmt.Sprintf("reindex: %d of %d documents", counts.Documents-counts.NotIndexed, counts.Documents))
			}
		}
	})
	return func() {
		cancel()
		watching.Wait()
	}
}
