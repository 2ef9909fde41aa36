package bot

import (
	"context"
	"log/slog"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

// Policy says what becomes of a question in a thread that has a turn running.
type Policy int

const (
	Wait    Policy = iota // until the turns before it have ended
	Replace               // stop them; what they had said is kept
)

// Options are the parts and limits of a Desk. Answerer, Turns and NewID are
// required; other zero values mean the defaults.
type Options struct {
	Answerer Answerer
	Turns    Turns
	NewID    func() string // makes turn ids

	// Audience tells who can read a reply in the place now. It is asked when a turn
	// starts to run and again and again while it shows something, so it keeps what it
	// learned, for a minute at most. An error means that it is not known: then the
	// strictest class counts. Nil computes it from the question's place.
	Audience func(ctx context.Context, place core.Place, viewer core.Viewer) (core.Audience, error)
	// Documents tells what may be read now. Nil: earlier turns are judged by their
	// readers alone, and nothing can be shared.
	Documents Documents
	// Audit is told of every turn that ended or was withdrawn, and of what was
	// shared. It is called on the turn's own goroutine; nil keeps nothing.
	Audit func(ctx context.Context, e core.AuditEntry)

	Running   int           // turns at the same time, default 64; more wait
	Open      int           // turns running or waiting, default 320; more are refused
	PerThread int           // turns running or waiting in one thread, default 6
	Heartbeat time.Duration // a status event after so long a silence, default 15 s
	Keep      time.Duration // finished turns can be replayed for so long, default 10 min
	TurnBytes int           // of one turn's events in memory, default 16 MiB
	KeptBytes int           // of all finished turns' events in memory, default 64 MiB

	Now func() time.Time // default time.Now
	Log *slog.Logger     // nil discards
}

// Documents is the ledger's word on documents as they are now. *store.Store is
// one.
type Documents interface {
	access.Reader
	// Around returns the passages of each window, in the order of the windows; none
	// of a document that the filter does not allow.
	Around(ctx context.Context, f core.Filter, windows []core.Window) ([][]core.Result, error)
}

func (o Options) withDefaults() Options {
	setDefault(&o.Running, 64)
	setDefault(&o.Open, 320)
	setDefault(&o.PerThread, 6)
	setDefault(&o.Heartbeat, 15*time.Second)
	setDefault(&o.Keep, 10*time.Minute)
	setDefault(&o.TurnBytes, 16<<20)
	setDefault(&o.KeptBytes, 64<<20)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func setDefault[T int | time.Duration](v *T, value T) {
	if *v <= 0 {
		*v = value
	}
}
