package github

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Who may read a document is told twice: by Sync, which sends it, and by Grants,
// which corrects what was sent where a repository was opened or closed since its
// last account. Sync sends nothing for more people than that account: a repository
// that is public for an hour between two accounts is private in both, and nothing
// would ever close what was sent in that hour.

// unsettled stands in an account for a repository of which some documents may be
// told otherwise than others. It is never how one is now, and told anew.
const unsettled = "?"

// openness is who may read a repository's documents, in short.
func (s *Source) openness(r repo) string { return opennessOf(s.access(r)) }

func opennessOf(a sdk.Access) string {
	switch {
	case a.Public:
		return "p"
	case a.Workspace:
		return "w"
	}
	return "g " + strings.Join(a.Groups, " ") // before the others in order
}

// breadth orders who may read: the readers of a repository, its organisation, the
// team, anybody.
func breadth(openness string) int {
	switch {
	case openness == "p":
		return 3
	case openness == "w":
		return 2
	case strings.Count(openness, " ") > 1:
		return 1
	}
	return 0
}

// sendTo is who may read what Sync sends of a repository: those who may now, and no
// more than the last account said.
func (s *Source) sendTo(r repo) sdk.Access {
	now := s.access(r)
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	told, known := s.memory.told[r.id]
	if !known || told == opennessOf(now) {
		return now
	}
	s.memory.differs[r.id] = true
	switch have := breadth(told); {
	case have >= breadth(opennessOf(now)) && have != 1:
		return now
	case have == 2:
		return sdk.Workspace
	case have == 1 && breadth(opennessOf(now)) > 1:
		return sdk.Access{Groups: strings.Fields(told)[1:]}
	}
	return sdk.Access{Groups: []string{readersOf(r.id)}}
}

// account keeps in mind what Grants told, by the ids of repositories.
func (s *Source) account(told map[int64]string) {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	s.memory.told = map[int64]string{}
	for id, openness := range told {
		s.memory.told[id] = openness
	}
}

// differs tells whether Sync sent documents otherwise than the last account had
// them; agreed that they were told anew.
func (s *Source) differs(r repo) bool {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	return s.memory.differs[r.id]
}

func (s *Source) agreed(r repo) {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	delete(s.memory.differs, r.id)
}

// A mark in the source's folder tells that documents of a repository were sent and
// not closed.
func (s *Source) sentMark(id int64) string {
	return filepath.Join(s.env.Dir, "sent-"+repo{id: id}.folder())
}

func (s *Source) markSent(r repo) error {
	if s.env.Dir == "" {
		return nil
	}
	if err := os.WriteFile(s.sentMark(r.id), nil, 0o600); err != nil {
		return fmt.Errorf("a mark in the source's own folder cannot be written: %w", err)
	}
	return nil
}

func (s *Source) markClosed(id int64) error {
	if s.env.Dir == "" {
		return nil
	}
	if err := os.Remove(s.sentMark(id)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("a mark in the source's own folder cannot be removed: %w", err)
	}
	return nil
}

func (s *Source) wasSent(id int64) bool {
	if s.env.Dir == "" {
		return false
	}
	_, err := os.Stat(s.sentMark(id))
	return !errors.Is(err, os.ErrNotExist)
}

// vanished keeps in an account the repositories that are out of sight until Sync
// has closed what was sent of them: back, and closed by then, they have to be told.
// What more than a repository's own readers could read is an error: their group is
// told no more, which closes the others.
func (s *Source) vanished(told map[int64]string, repos []repo) (open error) {
	for id, openness := range told {
		if slices.ContainsFunc(repos, func(r repo) bool { return r.id == id }) {
			continue
		}
		if breadth(openness) == 0 && openness != unsettled || !s.wasSent(id) {
			delete(told, id)
			continue
		}
		open = fmt.Errorf("the repository %d, which more people could read, is out of sight: the next sync closes it", id)
	}
	return open
}
