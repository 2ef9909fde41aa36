// Package index is the embedded search index: search over passages by words and by
// vectors, kept in a folder that can be rebuilt from the ledger at any time.
//
// The terms live in segments of the bleve engine, one engine document for each
// window of a passage. Access and the other facts of documents live in memory
// and are applied inside the search, so that a change of access rewrites no
// text. Scores are BM25 over one field with weak length normalisation; a
// query's word counts once, by whichever of its forms a window holds.
package index

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2/index/scorch"
	bleveindex "github.com/blevesearch/bleve_index_api"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/vector"
)

// Options are the settings of an index.
type Options struct {
	// Install names the ledger that the index belongs to. An index of another
	// install is thrown away.
	Install string
	Log     *slog.Logger // nil discards
	// VectorsLost is told when vectors turn out damaged while the index is open, which
	// then begin empty: they have to be put again. It must not call the index.
	VectorsLost func()
}

// Index implements core.VectorIndex on a folder. Use Open.
type Index struct {
	dir     string
	log     *slog.Logger
	fresh   bool
	engine  bleveindex.Index
	queue   *bleveindex.AnalysisQueue
	damaged atomic.Pointer[error] // what was found of it; nil while nothing is

	function functionWords // never changed
	pace     *pace

	vectors *vector.Sets // changed with write held

	write      sync.Mutex // held by Put, Delete and PutVectors while they change text or vectors
	generation uint32     // of the newest write; guarded by write
	seal       seal       // of the text after the newest write; guarded by write

	mu        sync.RWMutex // guards what follows and orders it against taking a snapshot
	facts     *facts
	languages map[string]bool // in which documents were stemmed
	tables    map[uint64]*table
	inflight  *inflight // the write that is on its way into the engine; nil if none is
	sick      []sickness
	closed    bool

	running  sync.WaitGroup // searches and writes that Close waits for
	endCheck func()         // stops the goroutine that compares checksums; nil if there is none
	checked  chan struct{}  // closed by that goroutine
	keeper   *keeper        // nil where the system takes no pages back
	scratch  sync.Pool      // *accumulator
	reaches  reaches
}

// Fresh tells that the index was created empty by Open: the folder was missing,
// damaged, or belonged to another install or an older form of the index. The
// caller then puts every document again.
func (x *Index) Fresh() bool { return x.fresh }

// Count gives the number of documents and passages in the index.
func (x *Index) Count() (documents, passages int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.facts.documents), x.facts.passages
}

// Damage is an error where something unreadable was met, or files that do not fit
// their checksums: what searches find may be wrong until the next Open.
func (x *Index) Damage() error {
	if err := x.damaged.Load(); err != nil {
		return *err
	}
	return nil
}

// begin registers a running operation, so that Close can wait for it.
func (x *Index) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return core.Errorf(core.KindUnavailable, "The search index is closed.")
	}
	x.running.Add(1)
	return nil
}

// Close waits for running operations and releases the folder. A closed index
// answers every call with an error.
func (x *Index) Close() error {
	x.mu.Lock()
	if x.closed {
		x.mu.Unlock()
		return nil
	}
	x.closed = true
	x.mu.Unlock()
	x.running.Wait()
	if x.endCheck != nil {
		x.endCheck()
	}
	x.keeper.stop()
	x.queue.Close()
	err := x.engine.Close()
	if x.vectors != nil {
		err = errors.Join(err, x.vectors.Close())
	}
	if err != nil {
		return core.Wrap(core.KindDisk, err, "The search index in "+x.dir+" could not be closed cleanly.")
	}
	return nil
}

func (x *Index) path(name string) string { return filepath.Join(x.dir, name) }

// snapshot takes a consistent view of the text. The caller closes it.
func (x *Index) snapshot() (*scorch.IndexSnapshot, error) {
	r, err := x.engine.Reader()
	if err != nil {
		return nil, err
	}
	snap, ok := r.(*scorch.IndexSnapshot)
	if !ok {
		return nil, errors.Join(errors.New("the engine gave an unknown reader"), r.Close())
	}
	return snap, nil
}
