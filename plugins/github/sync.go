package github

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// atOnce is how many requests run side by side. GitHub asks clients to be modest.
const atOnce = 4

// Sync sends what changed in each repository since the cursor. What cannot be read
// for want of a right is named at the end, when all else has been sent.
func (s *Source) Sync(ctx context.Context, since sdk.Cursor, out *sdk.Out) error {
	return s.sync(ctx, since, out)
}

func (s *Source) sync(ctx context.Context, since sdk.Cursor, out sink) error {
	repos, lost, err := s.resolve(ctx)
	if err != nil {
		return err
	}
	p := &pass{src: s, out: out, cursor: s.readCursor(since)}
	if err := p.closeVanished(ctx, repos); err != nil {
		return err
	}
	for _, m := range lost {
		p.refused = append(p.refused, m.err)
	}
	for _, r := range repos {
		if err := p.repository(ctx, r); err != nil {
			return err
		}
	}
	if err := p.checkpoint(); err != nil {
		return err
	}
	return p.want()
}

// sink is the part of sdk.Out that takes what a pass finds.
type sink interface {
	Document(sdk.Document) error
	Unread(sdk.Document, error) error
	Removed(id string) error
	FolderFailed(folder string, err error) error
	Note(text string) error
	Checkpoint(sdk.Cursor) error
}

// pass is one run of Sync.
type pass struct {
	src     *Source
	out     sink
	cursor  *cursor
	refused []error // rights that were missing
}

// lookEvery is how old the knowledge may be by which a document gets its readers: a
// first sync takes hours.
const lookEvery = time.Minute

// look renews what is known of the repository.
func (p *pass) look(ctx context.Context, r *repo) error {
	if time.Since(r.looked) < p.src.lookEvery {
		return nil
	}
	began := time.Now()
	g, _, err := p.src.api.Repositories.Get(ctx, r.owner, r.name)
	if err != nil {
		return explain("the repository "+r.full(), err)
	}
	now, err := repoOf(g)
	if err != nil {
		return err
	}
	if now.id != r.id {
		return sdk.Gone(fmt.Errorf("the repository %s is another one now", r.full()))
	}
	r.visibility, r.org, r.looked = now.visibility, now.org, began
	return nil
}

// send sends a document for those who may read it at this moment: a pause that
// GitHub calls for may lie between reading and sending.
func (p *pass) send(ctx context.Context, r *repo, d sdk.Document) error {
	if err := p.look(ctx, r); err != nil {
		return err
	}
	d.Access = p.src.access(*r)
	return p.out.Document(d)
}

// unread records a document that cannot be read, the same way.
func (p *pass) unread(ctx context.Context, r *repo, d sdk.Document, why error) error {
	if err := p.look(ctx, r); err != nil {
		return err
	}
	d.Access = p.src.access(*r)
	return p.out.Unread(d, why)
}

func (p *pass) checkpoint() error {
	c, err := sdk.JSONCursor(p.cursor)
	if err != nil {
		return err
	}
	return p.out.Checkpoint(c)
}

// want is nil where no right was missing. It parks the source, with the words of
// the first few refusals.
func (p *pass) want() error {
	if len(p.refused) == 0 {
		return nil
	}
	few := p.refused[:min(len(p.refused), 3)]
	text := errors.Join(few...).Error()
	if more := len(p.refused) - len(few); more > 0 {
		text = fmt.Sprintf("%s\nand %d more", text, more)
	}
	return sdk.Denied(errors.New(text))
}

// closeVanished closes what was sent of repositories that cannot be seen any more.
// They may have been deleted, or made private; who may read them is not known.
func (p *pass) closeVanished(ctx context.Context, repos []repo) error {
	seen := map[int64]bool{}
	for _, r := range repos {
		seen[r.id] = true
	}
	closed := false
	for _, id := range slices.Sorted(maps.Keys(p.cursor.Repos)) {
		if seen[id] {
			continue
		}
		name := p.cursor.Repos[id].Name
		err := sdk.Denied(fmt.Errorf("the repository %s is not to be seen any more: it was deleted, moved out of what is configured, or is closed to the token", name))
		if err := p.out.FolderFailed(repo{id: id}.folder(), err); err != nil {
			return err
		}
		if err := p.out.Note(fmt.Sprintf("nobody may read what was read of %s: the repository is not to be seen any more", name)); err != nil {
			return err
		}
		delete(p.cursor.Repos, id) // its documents are sent anew when it is back
		closed = true
	}
	if !closed || ctx.Err() != nil {
		return ctx.Err()
	}
	return p.checkpoint()
}

// repository sends one repository, kind by kind.
func (p *pass) repository(ctx context.Context, r repo) error {
	at := p.cursor.at(r)
	if err := p.look(ctx, &r); err != nil {
		return p.refuse(err)
	}
	for _, step := range []struct {
		wanted bool
		run    func(context.Context, *repo, *place) error
	}{
		{p.src.kinds[issues] || p.src.kinds[pulls], p.items},
		{p.src.kinds[discussions] && r.discusses, p.discussions},
		{p.src.kinds[releases], p.releases},
		{p.src.kinds[files], p.files},
	} {
		if !step.wanted {
			continue
		}
		if err := step.run(ctx, &r, at); err != nil {
			if err := p.refuse(err); err != nil {
				return err
			}
			continue
		}
		if err := p.checkpoint(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// refuse keeps the want of a right for the end, and returns any other error.
func (p *pass) refuse(err error) error {
	if kind := sdk.KindOf(err); kind == "denied" || kind == "gone" {
		p.refused = append(p.refused, err)
		return nil
	}
	return err
}

// access is who may read a repository's documents.
func (s *Source) access(r repo) sdk.Access {
	switch {
	case r.visibility == "public" && s.public() == "public":
		return sdk.Public
	case r.visibility == "public" && s.public() == "workspace":
		return sdk.Workspace
	case r.visibility == "internal" && r.org != 0:
		return sdk.Access{Groups: []string{readersOf(r.id), membersOf(r.org)}}
	}
	return sdk.Access{Groups: []string{readersOf(r.id)}}
}

// past keeps a time that a clock ahead of ours wrote from lying in the future.
func past(t time.Time) time.Time {
	if now := time.Now(); t.After(now) {
		return now.Truncate(time.Second)
	}
	return t
}
