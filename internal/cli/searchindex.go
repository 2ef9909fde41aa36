package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/store/index"
	"github.com/footnote-bot/footnote/store/typesense"
)

const (
	// indexFolder is the embedded index inside the data folder.
	indexFolder = "index"
	// indexNote is the ledger's note of the index that its account of what is
	// indexed belongs to: embeddedIndex, or a collection's name. "" is from before
	// there was a choice.
	indexNote     = "search_index"
	embeddedIndex = "embedded"
	// catchUpTime is how long a start waits for a cluster to get what it lacks.
	catchUpTime = 20 * time.Second
	// indexLook is how often footnote serve looks whether a cluster lacks something.
	indexLook = 15 * time.Second
)

// searchIndex is the index of an open folder, of whichever kind.
type searchIndex interface {
	core.VectorIndex
	Count(ctx context.Context) (documents, passages int, err error)
	Close() error
}

// embedded is the index in the data folder.
type embedded struct{ *index.Index }

// Count never fails.
func (x embedded) Count(context.Context) (documents, passages int, err error) {
	documents, passages = x.Index.Count()
	return documents, passages, nil
}

// openIndex opens the configured index. A cluster is not asked anything yet.
func (a *app) openIndex(ctx context.Context) error {
	install, err := a.store.InstallID(ctx)
	if err != nil {
		return err
	}
	if a.cfg.Index.Kind != config.IndexTypesense {
		return a.openEmbedded(ctx, install)
	}
	i := a.cfg.Index
	a.cluster, err = typesense.New(typesense.Options{
		URLs: i.Nodes(), APIKey: i.APIKey, Install: install, Name: i.Collection, Timeout: i.Timeout, Log: a.log,
	})
	if err == nil {
		a.index = a.cluster
	}
	return err
}

// openEmbedded throws the index away that was left behind when another kind came
// into use: what changed meanwhile went to the other one only.
func (a *app) openEmbedded(ctx context.Context, install string) error {
	dir := filepath.Join(a.cfg.DataDir, indexFolder)
	noted, err := a.store.Note(ctx, indexNote)
	if err != nil {
		return err
	}
	if noted != "" && noted != embeddedIndex {
		if err := os.RemoveAll(dir); err != nil {
			return core.Errorf(core.KindDisk, "the search index in %s is out of date and cannot be removed: %w", dir, err)
		}
	}
	x, err := index.Open(ctx, dir, index.Options{Install: install, Log: a.log, VectorsLost: a.vectorsLost})
	if err != nil {
		return err
	}
	a.index, a.freshIndex, a.store.Asking = embedded{x}, x.Fresh(), x.Asking
	return nil
}

// reconcile makes the index agree with the ledger at start. A cluster that does not
// answer, or has a lot to get, holds up no start.
func (a *app) reconcile(ctx context.Context) error {
	if a.cluster == nil {
		if err := a.tellRebuilding(ctx); err != nil {
			return err
		}
		if err := a.syncer.Reconcile(ctx); err != nil {
			return err
		}
		return a.noteIndex(ctx, embeddedIndex)
	}
	limited, cancel := context.WithTimeout(ctx, catchUpTime)
	defer cancel()
	err := a.catchUp(limited)
	if ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
		a.log.WarnContext(ctx, "the search index is being filled; footnote serve goes on with it, and footnote doctor tells how far it is")
		return nil
	}
	return a.later(ctx, err)
}

// manyToIndex documents take so long to index that whoever waits wants to know why.
func (a *app) manyToIndex() int { return cmp.Or(a.many, 2000) }

// tellRebuilding says that an index is built from the ledger, or gets what an earlier
// process did not come to, before which nothing else happens.
func (a *app) tellRebuilding(ctx context.Context) error {
	if a.tell == nil {
		return nil
	}
	text, count := "the search index gets %s from the ledger that it lacks; 100,000 take a minute or two", a.store.NotIndexed
	if a.freshIndex {
		text, count = "the search index is built from the ledger, which has %s; 100,000 take a minute or two", a.documents
	}
	n, err := count(ctx)
	if err == nil && n >= a.manyToIndex() {
		a.tell(fmt.Sprintf(text, counted(n, "document")))
	}
	return err
}

func (a *app) documents(ctx context.Context) (int, error) {
	counts, err := a.store.Counts(ctx)
	return counts.Documents, err
}

func (a *app) noteIndex(ctx context.Context, name string) error {
	noted, err := a.store.Note(ctx, indexNote)
	if err != nil || noted == name {
		return err
	}
	return a.store.SetNote(ctx, indexNote, name)
}

// later takes an error of a cluster that is out of reach as something that passes:
// the ledger has it all, and footnote serve, or the next start, tries again.
func (a *app) later(ctx context.Context, err error) error {
	if kind := core.KindOf(err); a.cluster != nil && (kind == core.KindUnavailable || kind == core.KindBusy || kind == core.KindAuth) {
		a.log.WarnContext(ctx, "the search index is behind and catches up later", "kind", kind, "error", err)
		return nil
	}
	return err
}

// settle brings the index up to the ledger after a change.
func (a *app) settle(ctx context.Context) error { return a.later(ctx, a.syncer.Settle(ctx)) }

// catchUp prepares a cluster, gives it what it lacks and, where a new collection was
// filled, puts that in the place of the old one.
func (a *app) catchUp(ctx context.Context) error {
	a.catching.Lock()
	defer a.catching.Unlock()
	if !a.cluster.Ready() {
		if err := a.prepareCluster(ctx, false); err != nil {
			return err
		}
	}
	return a.fillCluster(ctx)
}

// fillCluster gives a prepared cluster all that the ledger says it lacks. The caller
// holds catching.
func (a *app) fillCluster(ctx context.Context) error {
	if err := a.syncer.Settle(ctx); err != nil {
		return err
	}
	if err := a.cluster.Switch(ctx); err != nil {
		return err
	}
	if !a.vectorsDue || a.embeddings == nil {
		return nil
	}
	err := a.embeddings.embedder.Restore(ctx)
	a.vectorsDue = err != nil
	return err
}

// prepareCluster finds or makes the collection to fill. That nothing counts as
// indexed stands in the ledger before the collection's name does: a crash between
// the two begins once more.
func (a *app) prepareCluster(ctx context.Context, renew bool) error {
	return a.syncer.Exclusive(ctx, func(ctx context.Context) error {
		noted, err := a.store.Note(ctx, indexNote)
		if err != nil {
			return err
		}
		p, err := a.cluster.Prepare(ctx, noted, renew)
		if err != nil {
			return err
		}
		a.vectorsDue = true
		if p.Empty {
			if err := a.store.Unconfirm(ctx); err != nil {
				return err
			}
		}
		return a.noteIndex(ctx, p.Collection)
	})
}

// restoreVectors makes searches use vectors as they did before. Where the cluster is
// out of reach that is done once it is not.
func (a *app) restoreVectors(ctx context.Context) error {
	err := a.openEmbeddings(ctx)
	if a.cluster != nil {
		a.catching.Lock()
		defer a.catching.Unlock()
		a.vectorsDue = err != nil
	}
	return a.later(ctx, err)
}

// keepIndex gives a cluster what it lacks, again and again until ctx ends. An index
// in the data folder lacks nothing.
func (a *app) keepIndex(ctx context.Context) {
	if a.cluster == nil {
		return
	}
	behind := false
	for {
		err := a.catchUp(ctx)
		if ctx.Err() != nil {
			return
		}
		switch {
		case err != nil && !behind:
			a.log.WarnContext(ctx, "the search index is behind", "kind", core.KindOf(err), "error", err)
		case err == nil && behind:
			a.log.InfoContext(ctx, "the search index has caught up")
		}
		behind = err != nil
		if pause(ctx, indexLook) != nil {
			return
		}
	}
}
