package index

import (
	"errors"
	"time"

	zap "github.com/blevesearch/zapx/v17"
)

// The system counts pages of mapped files that a process has touched as its memory for
// as long as they stay mapped, whether or not anybody reads them again: after a few
// hundred searches that is all of the text. The keeper gives them back when nobody
// searches. They stay in the system's cache, and who reads one again has it after some
// microseconds. While somebody searches that is too much: some milliseconds for
// each search.
const (
	firstLook   = time.Second // after the index was opened, which reads some of each segment
	lookEvery   = 10 * time.Second
	leftForGood = time.Minute // after the last search the next one may begin a little slower
)

// keeper gives back what the text takes of this process's memory while nobody searches.
type keeper struct {
	end   chan struct{}
	ended chan struct{}
}

// keep begins to look whether somebody searches. Close ends it.
func (x *Index) keep() {
	if !canGiveBack {
		return
	}
	x.keeper = newKeeper()
	go x.keeper.run(x.pace, func() {
		if err := x.giveBack(); err != nil {
			x.log.Debug("the search index gives no memory back", "dir", x.dir, "error", err)
		}
	})
}

func newKeeper() *keeper {
	return &keeper{end: make(chan struct{}), ended: make(chan struct{})}
}

// stop ends the looking and waits for it. There may be no keeper.
func (k *keeper) stop() {
	if k == nil {
		return
	}
	close(k.end)
	<-k.ended
}

// run gives back also where nothing was read since the last time, which costs nothing.
func (k *keeper) run(p *pace, giveBack func()) {
	defer close(k.ended)
	next := time.NewTimer(firstLook)
	defer next.Stop()
	for {
		select {
		case <-k.end:
			return
		case <-next.C:
		}
		if p.quietFor(leftForGood) {
			giveBack()
		}
		next.Reset(lookEvery)
	}
}

// giveBack takes the text's pages out of this process. Searches may read them meanwhile:
// the mappings stay, and the snapshot holds those of segments that a merge replaces.
func (x *Index) giveBack() (err error) {
	snap, err := x.snapshot()
	if err != nil {
		return err
	}
	defer func() { err = closeAfter(snap, err) }()
	for _, seg := range snap.Segments() {
		// These alone are mapped files. The others are nowhere but in memory.
		if s, ok := seg.Segment().(*zap.Segment); ok && len(s.Data()) > 0 {
			err = errors.Join(err, giveBackPages(s.Data()))
		}
	}
	return err
}
