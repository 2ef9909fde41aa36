package slack

import (
	"fmt"
	"slices"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// cursor is how far Sync got, by the ids of channels.
type cursor struct {
	Settings string            `json:"s"` // other settings begin anew
	Channels map[string]*place `json:"c"`
}

// place is how far Sync got in one channel. It is kept short: 500 of them have
// to fit into a cursor. Times are in seconds, of whole hours where they part work.
type place struct {
	Name string `json:"n"`
	Done int64  `json:"d,omitempty"` // all up to here was sent by the last pass that ended
	To   int64  `json:"t,omitempty"` // up to here goes the pass that has not ended
	At   int64  `json:"a,omitempty"` // and all from here on it has sent: it goes back in time
	// Live are threads that began so long ago that a pass will not come by them, and
	// in which somebody wrote lately; each is asked for apart.
	Live []string `json:"l,omitempty"`
	// Retry are threads that could not be read and may be next time.
	Retry []string `json:"r,omitempty"`
}

// They have to fit into a cursor.
const (
	mostLive    = 40 // of one channel
	mostLiveAll = 500
	mostRetries = 60 // of all channels
)

// settings decide what is sent.
func (s *Source) settings() string {
	since := int64(0)
	if !s.Since.IsZero() {
		since = s.Since.Unix()
	}
	return fmt.Sprintf("1 %d %s", since, s.base.Host)
}

// readCursor takes one that cannot be read as empty. One of other settings keeps
// no more than which channels there were, so that what vanished is noticed.
func (s *Source) readCursor(c sdk.Cursor) *cursor {
	out := &cursor{}
	if err := c.JSON(out); err != nil {
		out = &cursor{}
	}
	if out.Channels == nil {
		out.Channels = map[string]*place{}
	}
	for id, p := range out.Channels {
		if p == nil {
			out.Channels[id] = &place{}
		} else if out.Settings != s.settings() {
			out.Channels[id] = &place{Name: p.Name}
		}
	}
	out.Settings = s.settings()
	return out
}

// at returns the place of a channel, a new one where it is new, or is called
// otherwise: then the titles of all its documents have changed.
func (c *cursor) at(ch channel) *place {
	p := c.Channels[ch.id]
	if p == nil || p.Name != ch.name {
		p = &place{Name: ch.name}
		c.Channels[ch.id] = p
	}
	return p
}

// retry keeps an unreadable thread in mind, false where there are too many.
func (c *cursor) retry(p *place, ts string) bool {
	if slices.Contains(p.Retry, ts) {
		return true
	}
	total := 0
	for _, one := range c.Channels {
		total += len(one.Retry)
	}
	if total >= mostRetries {
		return false
	}
	p.Retry = append(p.Retry, ts)
	return true
}

// live keeps a thread in mind, the newest where there are too many.
func (c *cursor) live(p *place, ts string) {
	if slices.Contains(p.Live, ts) {
		return
	}
	p.Live = append(p.Live, ts)
	slices.Sort(p.Live)
	total := 0
	for _, one := range c.Channels {
		total += len(one.Live)
	}
	if len(p.Live) > mostLive || total > mostLiveAll {
		p.Live = p.Live[1:]
	}
}

// known is what was sent of a channel in the time that is looked at again: by the
// ts of a document's first message a mark of its state. It says what is no more
// there. It lies in the source's own folder, written before the checkpoint that
// covers it: it names all that the host has, and maybe more, which does no harm.
// Without it deletions are seen by List alone.
type known struct {
	Done int64             `json:"done"` // of the place that the marks belong to
	IDs  map[string]string `json:"ids"`
}

func (s *Source) files() history.Files { return history.Files{Dir: s.env.Dir} }

// readKnown gives up the marks, not the ids, where they are of another cursor.
func (s *Source) readKnown(c channel, done int64) known {
	out := known{}
	if !s.files().Read(c.id, &out) || out.IDs == nil {
		return known{Done: done, IDs: map[string]string{}}
	}
	if out.Done != done {
		history.Forget(out.IDs)
	}
	return out
}

// settle writes, once the host has it, what is there and in which state. What a
// stopped run of this pass had sent keeps its place without a state.
func (p *channelPass) settle() error {
	all := known{Done: p.at.Done, IDs: map[string]string{}}
	for id, mark := range p.now {
		if p.keeps(id) {
			all.IDs[id] = mark
		}
	}
	for id := range p.was.IDs {
		t, _ := stampOf(id)
		if _, ok := all.IDs[id]; !ok && p.keeps(id) && t >= p.begun {
			all.IDs[id] = ""
		}
	}
	return p.src.files().Write(p.c.id, all)
}
