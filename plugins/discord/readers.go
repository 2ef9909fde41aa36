package discord

import (
	"context"
	"maps"
	"sync"

	"github.com/bwmarrin/discordgo"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Who may read a document is told twice: by Sync, which sends it, and by Grants,
// which corrects what was sent where a channel was opened or closed since its last
// account. Sync sends nothing for more people than that account: a channel that is
// public for an hour between two accounts is private in both, and nothing would
// ever close what was sent in that hour.

// unsettled stands in an account for a channel of which some documents may be told
// otherwise than others. It is never how one is now, and told anew.
const unsettled = "?"

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

// sendTo is who may read what Sync sends of a channel or of a thread in it: those
// who may now, and no more than the last account said.
func (s *Source) sendTo(r room, t *discordgo.Channel) sdk.Access {
	now := s.access(r, t)
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	told, known := s.accounts.told[r.ID]
	if !known || told == s.openness(r) {
		return now
	}
	if s.accounts.differs == nil {
		s.accounts.differs = map[string]bool{}
	}
	s.accounts.differs[r.ID] = true
	now.Public = now.Public && told == "p"
	now.Workspace = now.Workspace && (told == "w" || told == "p")
	return now
}

// send sends a document for those who may read it at this moment: a pause that
// Discord calls for may lie between reading and sending.
func (p *roomPass) send(ctx context.Context, d sdk.Document, t *discordgo.Channel) error {
	if err := p.look(ctx, &p.r); err != nil {
		return err
	}
	d.Access = p.src.sendTo(p.r, t)
	return p.out.Document(d)
}
