package find

import (
	"context"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

const (
	aroundFew   = 2   // passages on each side that neighbours means
	aroundMany  = 40  // passages on each side that are looked at of a whole document
	padded      = 3   // so many of the best sections of paged documents are read on
	frameTokens = 75  // what stands around a section's text: title, time, number
	mostAtOnce  = 500 // passages that are read on at once

	mayNotBeRead = "may no longer be read"
)

// reader fills the room of a result with sections: first the sections themselves,
// best first, then what stands around them. What does not fit is passed over, and
// the next one is tried.
type reader struct {
	passages Passages
	query    Query
	count    func(string) int
	room     int
	recheck  bool // time passed since the gate let the sections out
	left     int
}

// read gives the sections that fit. It never gives nothing where there is a
// section that may still be read: the best one is given whatever its size.
func (r *reader) read(ctx context.Context, sections []*section, limit int) (taken []*section, why map[*section]string, err error) {
	r.left, why = r.room, map[*section]string{}
	if err := r.reload(ctx, sections, why); err != nil {
		return nil, nil, err
	}
	for _, s := range sections {
		switch {
		case why[s] != "":
		case len(taken) >= limit:
			why[s] = "enough others"
		case r.fits(s, len(taken) == 0):
			taken = append(taken, s)
		default:
			why[s] = "no room"
		}
	}
	if err := r.readOn(ctx, taken, why); err != nil {
		return nil, nil, err
	}
	var out []*section
	for _, s := range taken {
		if why[s] != "" {
			continue
		}
		out = append(unite(out, &s), s)
	}
	slices.SortFunc(out, func(a, b *section) int { return a.rank - b.rank })
	for _, s := range taken {
		if why[s] == "" && !slices.Contains(out, s) {
			why[s] = "read with a better one"
		}
	}
	return out, why, nil
}

// fits takes the section's room, or that of its best passage alone.
func (r *reader) fits(s *section, must bool) bool {
	need := frameTokens
	for _, p := range s.passages {
		need += r.count(p.Text)
	}
	if need > r.left {
		s.passages = []core.Passage{s.center.Passage}
		need = frameTokens + r.count(s.center.Passage.Text)
	}
	if need > r.left && !must {
		return false
	}
	r.left -= need
	return true
}

// reload reads the sections' passages again, as the gate lets them out now, where time
// passed since it did. A section whose best passage is not among them is left out.
func (r *reader) reload(ctx context.Context, sections []*section, why map[*section]string) error {
	again := slices.DeleteFunc(slices.Clone(sections), func(s *section) bool { return s.center.Passage.ID <= 0 })
	if !r.recheck || len(again) == 0 {
		return nil
	}
	found, err := r.passages.Around(ctx, r.query, windowsOf(again, func(*section) int { return 0 }))
	if err != nil {
		return err
	}
	for i, s := range again {
		if !s.renew(found[i]) {
			why[s] = mayNotBeRead
		}
	}
	return nil
}

// windowsOf are the places of sections, each with so much on both sides.
func windowsOf(sections []*section, reach func(*section) int) []core.Window {
	out := make([]core.Window, len(sections))
	for i, s := range sections {
		out[i] = core.Window{Document: s.center.Document.ID, From: max(0, s.first()-reach(s)), To: s.last() + reach(s)}
	}
	return out
}

// renew keeps of a section what is among the passages.
func (s *section) renew(found []core.Result) bool {
	var kept []core.Passage
	still := false
	for _, r := range found {
		if r.Passage.ID == s.center.Passage.ID {
			still = true
			score, coverage := s.center.Score, s.center.Coverage
			s.center = r
			s.center.Score, s.center.Coverage = score, coverage
		}
		if s.has(r.Passage.Ordinal) {
			kept = append(kept, r.Passage)
		}
	}
	if still {
		s.passages = kept
	}
	return still
}

// readOn reads around the sections while there is room.
func (r *reader) readOn(ctx context.Context, taken []*section, why map[*section]string) error {
	var onward []*section
	for i, s := range taken {
		pages := i < padded && s.center.Passage.Page > 0
		if s.center.Passage.ID > 0 && (s.extent != alone || pages) {
			onward = append(onward, s)
		}
	}
	for len(onward) > 0 && r.left > 0 {
		windows := atOnce(windowsOf(onward, (*section).reach))
		found, err := r.passages.Around(ctx, r.query, windows)
		if err != nil {
			return err
		}
		for i, s := range onward[:len(windows)] {
			if !s.renew(found[i]) {
				why[s] = mayNotBeRead
				continue
			}
			r.grow(s, s.near(found[i]), taken)
		}
		onward = onward[len(windows):]
	}
	return nil
}

// atOnce are the windows to read at once: mostly all, and fewer where they are wide,
// for memory and for the message to a censor.
func atOnce(windows []core.Window) []core.Window {
	passages := 0
	for i, w := range windows {
		if passages += w.To - w.From + 1; passages > mostAtOnce && i > 0 {
			return windows[:i]
		}
	}
	return windows
}

// reach is how many passages are looked at on each side of a section.
func (s *section) reach() int {
	if s.extent == whole {
		return aroundMany
	}
	return aroundFew
}

// near is what a section may grow by. One that stands alone is read on for the sake of
// its pages only.
func (s *section) near(found []core.Result) []core.Result {
	if s.extent != alone {
		return found
	}
	return slices.DeleteFunc(found, func(f core.Result) bool { return !s.nextPage(f.Passage.Page) })
}

// nextPage tells whether a page is one of the section's or next to them: text that
// a page break cuts goes on there.
func (s *section) nextPage(page int) bool {
	return page > 0 && page >= s.passages[0].Page-1 && page <= s.passages[len(s.passages)-1].Page+1
}

// grow adds passages on both sides in turn, each side until one does not fit or is
// another section's.
func (r *reader) grow(s *section, found []core.Result, taken []*section) {
	byOrdinal := map[int]core.Passage{}
	for _, f := range found {
		byOrdinal[f.Passage.Ordinal] = f.Passage
	}
	free := func(ordinal int) bool {
		return !slices.ContainsFunc(taken, func(o *section) bool {
			return o != s && o.center.Document.ID == s.center.Document.ID && o.center.Passage.ID > 0 && o.has(ordinal)
		})
	}
	step := func(ordinal int) bool {
		p, ok := byOrdinal[ordinal]
		if !ok || !free(ordinal) {
			return false
		}
		need := r.count(p.Text)
		if need > r.left {
			return false
		}
		r.left -= need
		s.take([]core.Passage{p})
		return true
	}
	for up, down := true, true; up || down; {
		down = down && step(s.last()+1)
		up = up && step(s.first()-1)
	}
}
