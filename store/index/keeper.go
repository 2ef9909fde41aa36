package index

import (
	"errors"
	"time"

	zap "github.com/blevesearch/zapx/v17"
)

// The system counts pages of mapped files that a process has touched as its memory for
// as long as they stay mapped, whether or not anybody reads them again: after a few
// hundred searches that is all of the text. The keeper gives them back when nobody
// searches, and when there are too many. They stay in the system's cache, and who reads
// some again has them after some microseconds: over 100,000 passages that is a sixth of
// the time of a search, of ten milliseconds. A text that is many times larger than what
// may stay would be read again for each search, so the rest of it may stay as well.
const (
	firstLook   = time.Second // after the index was opened, which reads some of each segment
	lookEvery   = 10 * time.Second
	lookBusy    = time.Second // while somebody searches
	leftForGood = time.Minute // after the last search the next one may begin a little slower

	mayStay  = 64 << 20  // bytes
	restFrom = 160 << 20 // bytes more of a text than this may stay
)

// keeper gives back what the text takes of this process's memory.
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
	go x.keeper.run(x.pace, x.holdsTooMuch, func() {
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
func (k *keeper) run(p *pace, tooMuch func() bool, giveBack func()) {
	defer close(k.ended)
	next := time.NewTimer(firstLook)
	defer next.Stop()
	for {
		select {
		case <-k.end:
			return
		case <-p.begun:
			next.Reset(lookBusy)
			continue
		case <-next.C:
		}
		if p.quietFor(leftForGood) || tooMuch() {
			giveBack()
		}
		if p.searched() {
			next.Reset(lookBusy)
		} else {
			next.Reset(lookEvery)
		}
	}
}

// holdsTooMuch tells that more of the text counts as memory of this process than may
// stay.
func (x *Index) holdsTooMuch() bool {
	var files [][]byte // of which only the place counts: they may be gone by now
	var size, held int64
	err := x.eachMapping(func(mapped []byte) error {
		files, size = append(files, mapped), size+int64(len(mapped))
		return nil
	})
	if err != nil || size <= mayStay {
		return false
	}
	said, err := mappings()
	for _, f := range files {
		held += resident(said, f)
	}
	return err == nil && held > max(mayStay, size-restFrom)
}

// giveBack takes the text's pages out of this process. Searches may read them meanwhile:
// the mappings stay, and the snapshot holds those of segments that a merge replaces.
func (x *Index) giveBack() error { return x.eachMapping(giveBackPages) }

// eachMapping hands over the text's mapped files.
func (x *Index) eachMapping(each func(mapped []byte) error) (err error) {
	snap, err := x.snapshot()
	if err != nil {
		return err
	}
	defer func() { err = closeAfter(snap, err) }()
	for _, seg := range snap.Segments() {
		// These alone are mapped files. The others are nowhere but in memory.
		if s, ok := seg.Segment().(*zap.Segment); ok && len(s.Data()) > 0 {
			err = errors.Join(err, each(s.Data()))
		}
	}
	return err
}
