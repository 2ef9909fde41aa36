package history

import (
	"maps"
	"slices"
)

// Pages puts together the messages of whole hours, which come in pages back in time.
// M is a message, T a moment as the system counts.
type Pages[M any, T ~int64] struct {
	From T         // where the reading ends
	Hour T         // how long one is
	At   func(M) T // when a message was written

	held []M
}

// Add takes a page, with which all from down on was seen. It returns the messages of
// hours that are whole now, the latest hour first, and from when on all are.
func (p *Pages[M, T]) Add(list []M, down T) (whole [][]M, edge T) {
	if edge = down; down > p.From {
		edge = down - down%p.Hour + p.Hour // the hour that the page ends in may go on
	}
	byHour, rest := map[T][]M{}, []M(nil)
	for _, m := range append(p.held, list...) {
		if at := p.At(m); at < edge {
			rest = append(rest, m)
		} else {
			byHour[at-at%p.Hour] = append(byHour[at-at%p.Hour], m)
		}
	}
	p.held = rest
	for _, h := range slices.Backward(slices.Sorted(maps.Keys(byHour))) {
		whole = append(whole, byHour[h])
	}
	return whole, edge
}

// The bounds of a window.
const (
	windowMinutes  = 10
	windowMessages = 30
	windowText     = 1600 // bytes, about 400 tokens
)

// Windows groups the messages of one hour, the oldest first, by where the talk
// paused. A window does not leave its hour: so its beginning, by which it is called,
// does not depend on what lies before that.
func Windows[M any, T ~int64](list []M, minute T, at func(M) T, text func(M) string) [][]M {
	var out [][]M
	size := 0
	for n, m := range list {
		fits := n > 0 && at(m)-at(list[n-1]) < windowMinutes*minute && len(out[len(out)-1]) < windowMessages && size+len(text(m)) <= windowText
		if !fits {
			out, size = append(out, nil), 0
		}
		size += len(text(m))
		out[len(out)-1] = append(out[len(out)-1], m)
	}
	return out
}
