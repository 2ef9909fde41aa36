package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-github/v80/github"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// entry is one line of the configured repositories.
type entry struct{ owner, name string }

var likeEntry = regexp.MustCompile(`^[A-Za-z0-9_-]+/[A-Za-z0-9._*-]+$`)

func parseEntry(written string) (entry, error) {
	if !likeEntry.MatchString(written) {
		return entry{}, fmt.Errorf("%q is not a repository: write OWNER/NAME, such as acme/handbook, or acme/* for all of acme", written)
	}
	owner, name, _ := strings.Cut(written, "/")
	return entry{owner, name}, nil
}

func (e entry) String() string { return e.owner + "/" + e.name }

func wild(name string) bool { return strings.Contains(name, "*") }

// covers tells whether the entry stands for a repository.
func (e entry) covers(owner, name string) bool {
	ok, err := path.Match(strings.ToLower(e.name), strings.ToLower(name))
	return err == nil && ok && strings.EqualFold(e.owner, owner)
}

// repo is what is known of a repository.
type repo struct {
	id          int64
	owner, name string // as they are called now
	visibility  string // public, private, internal
	org         int64  // id of the organisation that owns it, 0 if a person does
	branch      string // the default one
	page        string // its address for people
	empty       bool   // as far as its size tells
	discusses   bool
	looked      time.Time // before the server was asked for it
}

func (r repo) full() string { return r.owner + "/" + r.name }

// folder is an id that stays when the repository is renamed.
func (r repo) folder() string { return strconv.FormatInt(r.id, 10) }

// id is the id of a document. It begins with the repository's number, because
// names change and may be given to another one.
func (r repo) document(kind, key string) string { return r.folder() + "/" + kind + "/" + key }

func (r repo) folders(more ...string) []string {
	return append([]string{r.folder(), r.full()}, more...)
}

// holds tells whether an address for people lies in the repository.
func (r repo) holds(link string) bool {
	return strings.HasPrefix(strings.ToLower(link), strings.ToLower(r.page)+"/")
}

// errOdd says that an answer is not what was asked for, although its status is 200.
var errOdd = errors.New("the answer is not what GitHub documents")

func repoOf(g *github.Repository) (repo, error) {
	owner, visibility := g.GetOwner(), g.GetVisibility()
	if visibility == "" && g.Private != nil {
		visibility = map[bool]string{true: "private", false: "public"}[g.GetPrivate()]
	}
	if g.GetID() == 0 || owner.GetLogin() == "" || g.GetName() == "" || visibility == "" {
		return repo{}, fmt.Errorf("a repository without id, name or visibility: %w", errOdd)
	}
	if g.GetPrivate() && visibility == "public" {
		visibility = "private" // of two words the stricter one counts
	}
	r := repo{
		id: g.GetID(), owner: owner.GetLogin(), name: g.GetName(), visibility: visibility,
		branch: g.GetDefaultBranch(), page: g.GetHTMLURL(), empty: g.GetSize() == 0, discusses: g.GetHasDiscussions(),
	}
	if owner.GetType() == "Organization" {
		r.org = owner.GetID()
	}
	return r, nil
}

// missing is an entry whose repository cannot be seen.
type missing struct {
	entry
	err error
}

// mostRepositories is how many repositories one source may hold: the cursor has
// a line for each.
const mostRepositories = 250

// resolve finds the configured repositories, in the order of their ids. Those that
// are named and cannot be seen come apart; an error says that nothing is known.
func (s *Source) resolve(ctx context.Context) ([]repo, []missing, error) {
	found, lost, began := map[int64]repo{}, []missing(nil), time.Now()
	for _, e := range s.entries {
		list, err := s.resolveEntry(ctx, e)
		if kind := sdk.KindOf(err); kind == "gone" || kind == "denied" {
			lost = append(lost, missing{e, err})
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		for _, r := range list {
			r.looked = began
			found[r.id] = r
		}
	}
	if len(found) > mostRepositories {
		return nil, nil, sdk.Config("repositories", fmt.Errorf("they stand for %d repositories, a source holds %d: make several sources of them", len(found), mostRepositories))
	}
	return slices.SortedFunc(maps.Values(found), func(a, b repo) int { return cmp.Compare(a.id, b.id) }), lost, nil
}

func (s *Source) resolveEntry(ctx context.Context, e entry) ([]repo, error) {
	if !wild(e.name) {
		g, _, err := s.api.Repositories.Get(ctx, e.owner, e.name) // follows the redirect of one that was renamed
		if err != nil {
			return nil, explain("the repository "+e.String(), err)
		}
		r, err := repoOf(g)
		return []repo{r}, err
	}
	list, err := s.owned(ctx, e.owner)
	if err != nil {
		return nil, explain("the repositories of "+e.owner, err)
	}
	var out []repo
	for _, g := range list {
		r, err := repoOf(g)
		if err != nil {
			return nil, err
		}
		if e.covers(r.owner, r.name) {
			out = append(out, r)
		}
	}
	return out, nil
}

// owned lists the repositories of an owner that the credentials see.
func (s *Source) owned(ctx context.Context, owner string) ([]*github.Repository, error) {
	key := func(g *github.Repository) int64 { return g.GetID() }
	if s.AppID != 0 {
		return settled(ctx, key, func(o github.ListOptions) ([]*github.Repository, *github.Response, error) {
			list, resp, err := s.api.Apps.ListRepos(ctx, &o)
			if err == nil && list.TotalCount == nil {
				err = errOdd
			}
			if err != nil {
				return nil, resp, err
			}
			return list.Repositories, resp, nil
		})
	}
	account, _, err := s.api.Users.Get(ctx, owner)
	if err != nil {
		return nil, err
	}
	switch {
	case account.GetType() == "Organization":
		return settled(ctx, key, func(o github.ListOptions) ([]*github.Repository, *github.Response, error) {
			return s.api.Repositories.ListByOrg(ctx, owner, &github.RepositoryListByOrgOptions{Type: "all", ListOptions: o})
		})
	case s.api.auth != nil:
		self, _, err := s.api.Users.Get(ctx, "")
		if err == nil && strings.EqualFold(self.GetLogin(), owner) {
			return settled(ctx, key, func(o github.ListOptions) ([]*github.Repository, *github.Response, error) {
				return s.api.Repositories.ListByAuthenticatedUser(ctx, &github.RepositoryListByAuthenticatedUserOptions{Affiliation: "owner", ListOptions: o})
			})
		}
		if err != nil {
			return nil, err
		}
	}
	return settled(ctx, key, func(o github.ListOptions) ([]*github.Repository, *github.Response, error) {
		return s.api.Repositories.ListByUser(ctx, owner, &github.RepositoryListByUserOptions{Type: "owner", ListOptions: o})
	})
}

const (
	perPage      = 100
	mostReadings = 4
)

// settled reads all pages of a list. A list that shrinks while it is read loses an
// entry at a page's edge, and one that grows shows some twice: a list of several
// pages is read until two readings agree.
func settled[T any, K cmp.Ordered](ctx context.Context, key func(T) K, page func(github.ListOptions) ([]T, *github.Response, error)) ([]T, error) {
	var before map[K]bool
	for range mostReadings {
		var all []T
		now := map[K]bool{}
		opts, pages := github.ListOptions{PerPage: perPage}, 0
		for {
			list, resp, err := page(opts)
			if err != nil {
				return nil, err
			}
			for _, one := range list {
				if k := key(one); !now[k] {
					now[k], all = true, append(all, one)
				}
			}
			if pages++; resp.NextPage == 0 {
				break
			}
			opts.Page = resp.NextPage
		}
		if pages == 1 || before != nil && maps.Equal(before, now) {
			return all, nil
		}
		before = now
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return nil, sdk.Busy(0, errors.New("a list changes faster than it can be read"))
}
