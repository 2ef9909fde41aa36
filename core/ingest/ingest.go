// Package ingest brings documents in: it takes a connector's changes, finds out
// which of them need work, extracts and cuts those into passages, and writes
// them to the ledger together with the cursor. The index follows the ledger and
// never leads: what it lacks is read from the ledger, in a normal run just as
// after a crash.
package ingest

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/extract"
)

// Connector is one source's running connector. Fetch may be called while Sync runs.
type Connector interface {
	// CanList tells whether List may be called.
	CanList() bool
	// Sync hands over the changes since the cursor. It ends when each returns an
	// error, and returns nil only when the source has nothing more to tell.
	Sync(ctx context.Context, since core.Cursor, reason core.SyncReason, each func(core.Change) error) error
	// List names every document that exists. Unless it returns nil the listing
	// is void.
	List(ctx context.Context, each func(externalID, revision string) error) error
	// Fetch opens an attachment of at most limit bytes. The reference that it
	// returns says what came, where the source knows better by now.
	Fetch(ctx context.Context, ref string, limit int64) (io.ReadCloser, core.FileRef, error)
}

// Extractor turns files into text.
type Extractor interface {
	Text(ctx context.Context, name, mediaType, body string) (extract.Content, error)
	File(ctx context.Context, name, mediaType string, r io.Reader) (extract.Content, error)
}

// Ledger is where documents are kept.
type Ledger interface {
	SyncState(ctx context.Context, source string) (core.SyncState, error)
	Known(ctx context.Context, source string, external []string) (map[string]core.Known, error)
	SyncedIDs(ctx context.Context, source string) (stored, failed []string, err error)
	Commit(ctx context.Context, b core.Batch) error
	SaveRun(ctx context.Context, run core.SyncRun) (int64, error)
}

// Granter is a Connector that may also tell who may read what and who is in which
// group, apart from its documents.
type Granter interface {
	// CanGrants tells whether Grants may be called.
	CanGrants() bool
	// Grants hands over what changed since its own cursor, all if that is empty.
	// Unless it ended with core.AccessWhole the account broke off.
	Grants(ctx context.Context, since core.Cursor, each func(core.AccessChange) error) error
}

// AccessLedger keeps what a Granter tells.
type AccessLedger interface {
	BeginAccess(ctx context.Context, source string, fromStart bool) (core.AccessState, error)
	CommitAccess(ctx context.Context, b core.AccessBatch) (core.AccessCounts, error)
	// ToldFolders is what the source told of its folders, in any pass.
	ToldFolders(ctx context.Context, source string) (core.ToldFolders, error)
}

// Outbox is the ledger's account of what the index does not have yet.
type Outbox interface {
	Backlog(ctx context.Context, limit, limitBytes int) (core.Backlog, error)
	Confirm(ctx context.Context, b core.Backlog) error
	Unconfirm(ctx context.Context) error
	Facts(ctx context.Context, each func([]core.Facts) error) error
	RenewFacts(ctx context.Context) error
}

// Options set up a Syncer. Ledger, Outbox and Access are sides of the same store.
type Options struct {
	Ledger    Ledger
	Outbox    Outbox
	Access    AccessLedger // nil asks no Granter
	Index     core.Index
	Fresh     bool // the index came up empty: Reconcile puts every document
	Extractor Extractor
	// AgainAfter is how long to wait before each further try of documents that could
	// not be read for a reason that may pass; nil means 1 s and 10 s.
	AgainAfter []time.Duration
	MaxFile    int64            // largest attachment that is fetched, in bytes; 0 means 64 MiB
	Now        func() time.Time // the clock that what is told ages by; nil means time.Now
	Log        *slog.Logger     // nil discards
}

// Syncer runs syncs, one at a time for a source and several sources side by side.
type Syncer struct {
	Options

	indexing chan struct{} // held by whoever brings the index up to date
	large    chan struct{} // held by whoever reads a large text

	mu      sync.Mutex
	fresh   bool
	running map[string]*tracker      // by source name
	lines   map[string]chan struct{} // of pushes, by source name
}

// New makes a Syncer. Call Reconcile before the first search or sync.
func New(o Options) *Syncer {
	if o.MaxFile <= 0 {
		o.MaxFile = 64 << 20
	}
	if o.AgainAfter == nil {
		o.AgainAfter = []time.Duration{time.Second, 10 * time.Second}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Syncer{Options: o, fresh: o.Fresh, indexing: make(chan struct{}, 1), large: make(chan struct{}, 1), running: map[string]*tracker{}, lines: map[string]chan struct{}{}}
}

// claim keeps a second sync of the same source out until release is called.
func (s *Syncer) claim(source string) (t *tracker, release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[source] != nil {
		return nil, nil, core.Errorf(core.KindConflict, "A sync of source %q is running already; watch it with: footnote sync %s --watch", source, source)
	}
	t = &tracker{}
	s.running[source] = t
	return t, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, source)
	}, nil
}
