package slack

import (
	"context"
	"maps"
	"sync"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Who may read a document is told twice: by Sync, which sends it, and by Grants,
// which corrects what was sent where a channel was opened or closed since its last
// account. Sync sends nothing for more people than that account: a channel that is
// public for an hour between two accounts is private in both, and nothing would
// ever close what was sent in that hour.

// In an account, a channel of which some documents may be told otherwise than
// others is unsettled, and one whose documents were all closed is nobody's. Neither
// is ever how a channel is now, so both are told anew.
const (
	unsettled = "?"
	nobodys   = "n"
)

// accounts is what one process knows of them.
type accounts struct {
	mu      sync.Mutex
	told    map[string]string // by the last account, by the ids of channels
	differs map[string]bool   // channels of which Sync sent something otherwise
}

func (a *accounts) settle(told map[string]string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told = maps.Clone(told)
}

func (a *accounts) differ(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.differs[id]
}

func (a *accounts) agree(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.differs, id)
}

// sendTo is who may read what Sync sends of a channel: those who may now, and no
// more than the last account said.
func (s *Source) sendTo(c channel) sdk.Access {
	now := s.access(c)
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	told, known := s.accounts.told[c.id]
	if !known || told == s.openness(c) {
		return now
	}
	if s.accounts.differs == nil {
		s.accounts.differs = map[string]bool{}
	}
	s.accounts.differs[c.id] = true
	now.Workspace = now.Workspace && told == "w"
	return now
}

// send sends a document for those who may read it at this moment: with few requests
// a minute one page of a channel, or its old threads, take long.
func (p *channelPass) send(ctx context.Context, d sdk.Document) error {
	if err := p.look(ctx, &p.c); err != nil {
		return err
	}
	d.Access = p.src.sendTo(p.c)
	return p.out.Document(d)
}
