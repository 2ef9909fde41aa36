package ingest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
)

// granter is a script that also tells who may read what. Its cursor counts the
// changes that a checkpoint covers.
type granter struct {
	script
	account         []core.AccessChange
	checkpointEvery int
	cut             int // breaks off after so many changes, where it is not 0
	failed          error
	whole           *core.AccessWhole // nil: as the SDK does, everything if it began at the beginning
	since           []string          // cursors that it was given
}

func (g *granter) CanGrants() bool { return true }

func (g *granter) Grants(_ context.Context, since core.Cursor, each func(core.AccessChange) error) error {
	g.since = append(g.since, string(since))
	start := 0
	if len(since) > 0 {
		fmt.Sscan(string(since), &start)
	}
	if g.failed != nil {
		return g.failed
	}
	for i, ch := range g.account {
		if i < start {
			continue
		}
		if g.cut > 0 && i == g.cut {
			return nil
		}
		if err := each(ch); err != nil {
			return err
		}
		if g.checkpointEvery > 0 && (i+1)%g.checkpointEvery == 0 {
			if err := each(core.Checkpoint{Cursor: fmt.Append(nil, i+1)}); err != nil {
				return err
			}
		}
	}
	if g.whole != nil {
		return each(*g.whole)
	}
	return each(core.AccessWhole{AllGroups: len(since) == 0, AllDocuments: len(since) == 0})
}

func readers(id string, access ...core.Principal) core.Readers {
	return core.Readers{ExternalID: id, Access: access}
}

func people(name string, users ...string) core.GroupMembers {
	return core.GroupMembers{Source: "wiki", Name: name, Users: users}
}

// newGranted is a world with a clock of its own.
func newGranted(t testing.TB) (*world, *time.Time) {
	w := newWorld(t)
	clock := time.Now()
	w.store.Now = func() time.Time { return clock }
	return w, &clock
}

// reads is what the person may read now, with the groups that they are in now.
func (w *world) reads(email string) map[string]string {
	w.t.Helper()
	m, err := w.store.Memberships(w.t.Context(), []string{email}, w.store.Now())
	w.check(err)
	return w.texts(append(m.Groups, core.User(email))...)
}

func (w *world) granted(g *granter, opts ingest.SyncOptions) ingest.Report {
	w.t.Helper()
	report, err := w.sync.Sync(w.t.Context(), w.src, g, opts)
	w.check(err)
	return report
}

var (
	alpha   = map[string]string{"a": "alpha"}
	nothing = map[string]string{}
)
