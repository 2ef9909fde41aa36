package github

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/go-github/v80/github"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// List names all that is there, without reading any text. A repository that is
// named in the configuration and cannot be seen makes it void: it must not look as
// if all of its documents were deleted.
func (s *Source) List(ctx context.Context, out *sdk.Listing) error {
	return s.list(ctx, func(_ repo, id string) error { return out.Document(id, "") })
}

func (s *Source) list(ctx context.Context, document func(r repo, id string) error) error {
	repos, lost, err := s.resolve(ctx)
	if err != nil {
		return err
	}
	if len(lost) > 0 {
		return sdk.Denied(fmt.Errorf("nothing is deleted while a repository cannot be seen: %w", lost[0].err))
	}
	for _, r := range repos {
		if err := s.ids(ctx, r, func(id string) error { return document(r, id) }); err != nil {
			return voided(err)
		}
	}
	return nil
}

// voided keeps the loss of one thing from reading as the loss of the whole.
func voided(err error) error {
	if sdk.KindOf(err) == "gone" {
		return sdk.Denied(fmt.Errorf("nothing is deleted: %w", err))
	}
	return err
}

// ids names the documents of one repository, each once.
func (s *Source) ids(ctx context.Context, r repo, each func(id string) error) error {
	named := map[string]bool{}
	once := func(id string) error {
		if named[id] {
			return nil
		}
		named[id] = true
		return each(id)
	}
	if s.kinds[issues] || s.kinds[pulls] {
		if err := s.changed(ctx, r, time.Time{}, func(batch []*github.Issue, _ time.Time) error {
			for _, i := range batch {
				if !s.kinds[kindOf(i)] {
					continue
				}
				if err := once(itemID(r, i)); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	if s.kinds[discussions] && r.discusses {
		if err := s.talkIDs(ctx, r, once); err != nil {
			return err
		}
	}
	if s.kinds[releases] {
		list, err := s.published(ctx, r)
		if err != nil {
			return err
		}
		for _, v := range list {
			if err := once(releaseID(r, v)); err != nil {
				return err
			}
		}
	}
	if s.kinds[files] {
		return s.fileIDs(ctx, r, once)
	}
	return nil
}

func (s *Source) fileIDs(ctx context.Context, r repo, each func(id string) error) error {
	head, err := s.head(ctx, r)
	if err != nil {
		return err
	}
	tree, err := s.tree(ctx, r, head)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(tree))
	for name := range tree {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := each(r.document("blob", name)); err != nil {
			return err
		}
	}
	return nil
}

func itemID(r repo, i *github.Issue) string {
	path := "issues"
	if i.IsPullRequest() {
		path = "pull"
	}
	return r.document(path, strconv.Itoa(i.GetNumber()))
}
