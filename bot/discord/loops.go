package discord

import "sync"

// mostLoops is how many channels are remembered.
const mostLoops = 5000

// loops counts what machines asked in a channel since a person wrote there. The
// ledger counts conversations; a machine that never replies begins another one with
// each message.
type loops struct {
	mu    sync.Mutex
	turns map[string]int // by channel
}

func newLoops() *loops { return &loops{turns: map[string]int{}} }

// person notes that a person wrote in the channel.
func (l *loops) person(channel string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.turns, channel)
}

// machine notes that one is answered there.
func (l *loops) machine(channel string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.turns) >= mostLoops {
		l.turns = map[string]int{}
	}
	l.turns[channel]++
}

func (l *loops) count(channel string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.turns[channel]
}
