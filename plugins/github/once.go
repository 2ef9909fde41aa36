package github

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Discussions are left out where the credentials do not open them, and then there
// is nothing to list. Where they were open once, documents were made of them, and
// a list without them would delete these for want of a right. A mark in the
// source's folder tells the two apart.

func (s *Source) mark(r repo) string { return filepath.Join(s.env.Dir, "discussions-"+r.folder()) }

// readable notes that a repository's discussions could be read.
func (s *Source) readable(r repo) error {
	s.memory.mu.Lock()
	known := s.memory.discussed[r.id]
	s.memory.discussed[r.id] = true
	s.memory.mu.Unlock()
	if known || s.env.Dir == "" {
		return nil
	}
	if err := os.WriteFile(s.mark(r), nil, 0o600); err != nil {
		return fmt.Errorf("a mark in the source's own folder cannot be written: %w", err)
	}
	return nil
}

func (s *Source) wereReadable(r repo) bool {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	if s.memory.discussed[r.id] || s.env.Dir == "" {
		return s.memory.discussed[r.id]
	}
	_, err := os.Stat(s.mark(r))
	return !errors.Is(err, os.ErrNotExist)
}

// talkIDs names the discussions of a repository.
func (s *Source) talkIDs(ctx context.Context, r repo, each func(id string) error) error {
	after := ""
	for {
		list, info, err := s.talks(ctx, talkNumbersQuery, r, after)
		if closedTo(err) && !s.wereReadable(r) {
			return nil
		}
		if err != nil {
			return sdkDenied(err)
		}
		for _, t := range list {
			if err := each(talkID(r, t)); err != nil {
				return err
			}
		}
		if !info.HasNextPage {
			return nil
		}
		after = info.EndCursor
	}
}

// sdkDenied gives the want of a token the kind of the want of a right.
func sdkDenied(err error) error {
	if errors.Is(err, errNoToken) {
		return sdk.Denied(err)
	}
	return err
}
