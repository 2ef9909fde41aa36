package control

import (
	"slices"
	"sync"
)

// Interrupts hands the user's Ctrl-C to whoever cares most at the moment: a
// running answer stops itself, and only without one does the command end.
type Interrupts struct {
	mu       sync.Mutex
	handlers []*func()
}

// Catch sends interrupts to the handler until the returned function is called.
// A handler caught later goes first. Handlers must not block.
func (i *Interrupts) Catch(handler func()) (release func()) {
	if i == nil {
		return func() {}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	entry := &handler
	i.handlers = append(i.handlers, entry)
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.handlers = slices.DeleteFunc(i.handlers, func(h *func()) bool { return h == entry })
	}
}

// Signal delivers one interrupt. Without a handler it is dropped.
func (i *Interrupts) Signal() {
	i.mu.Lock()
	var top func()
	if n := len(i.handlers); n > 0 {
		top = *i.handlers[n-1]
	}
	i.mu.Unlock()
	if top != nil {
		top()
	}
}
