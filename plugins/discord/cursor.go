package discord

import (
	"fmt"
	"slices"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// cursor is how far Sync got, by the ids of channels.
type cursor struct {
	Settings string            `json:"s"` // other settings begin anew
	Rooms    map[string]*place `json:"r"`
}

// place is how far Sync got in one channel. It is kept short: 500 of them have to
// fit into a cursor.
type place struct {
	Name string    `json:"n"`
	Done snowflake `json:"d,omitempty"` // all up to here was sent by the last pass that ended
	To   snowflake `json:"t,omitempty"` // up to here goes the pass that has not ended
	At   snowflake `json:"a,omitempty"` // and all messages from here on it has sent: it goes back in time
	Next snowflake `json:"x,omitempty"` // then threads, the newest first: all from this one on
	// Retry are threads that could not be read and may be next time.
	Retry []string `json:"e,omitempty"`
}

const mostRetries = 60 // of all channels

func (s *Source) settings() string {
	return fmt.Sprintf("1 %d %s %t", max(0, s.Since.Unix()), s.base.Host, s.PrivateThreads)
}

// readCursor takes one that cannot be read as empty. One of other settings keeps
// no more than which channels there were, so that what vanished is noticed.
func (s *Source) readCursor(c sdk.Cursor) *cursor {
	out := &cursor{}
	if err := c.JSON(out); err != nil {
		out = &cursor{}
	}
	if out.Rooms == nil {
		out.Rooms = map[string]*place{}
	}
	for id, p := range out.Rooms {
		if p == nil {
			out.Rooms[id] = &place{}
		} else if out.Settings != s.settings() {
			out.Rooms[id] = &place{Name: p.Name}
		}
	}
	out.Settings = s.settings()
	return out
}

// at returns the place of a channel, a new one where it is new, or is called
// otherwise: then the titles of all its documents have changed.
func (c *cursor) at(r room) *place {
	p := c.Rooms[r.ID]
	if p == nil || p.Name != history.Clip(r.Name, 40) {
		p = &place{Name: history.Clip(r.Name, 40)}
		c.Rooms[r.ID] = p
	}
	return p
}

// retry keeps an unreadable thread in mind, false where there are too many.
func (c *cursor) retry(p *place, id string) bool {
	if slices.Contains(p.Retry, id) {
		return true
	}
	total := 0
	for _, one := range c.Rooms {
		total += len(one.Retry)
	}
	if total >= mostRetries {
		return false
	}
	p.Retry = append(p.Retry, id)
	return true
}

// known is what was sent of a channel: windows in the time that is looked at again,
// and all threads, each with a mark of its state. It lies in the source's own
// folder, written before the checkpoint that covers it: it names all that the host
// has, and maybe more, which does no harm. Without it deletions are seen by List
// alone.
type known struct {
	Done    snowflake         `json:"done"` // of the place that the marks belong to
	Windows map[string]string `json:"windows"`
	Threads map[string]string `json:"threads"`
}

func (s *Source) files() history.Files { return history.Files{Dir: s.env.Dir} }

// readKnown gives up the marks, not the ids, where they are of another cursor.
func (s *Source) readKnown(r room, done snowflake) known {
	out := known{}
	if !s.files().Read(r.ID, &out) || out.Windows == nil || out.Threads == nil {
		return known{Done: done, Windows: map[string]string{}, Threads: map[string]string{}}
	}
	if out.Done != done {
		history.Forget(out.Windows)
		history.Forget(out.Threads)
	}
	return out
}
