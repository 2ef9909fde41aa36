package github

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-github/v80/github"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Names of groups stay when a repository or an organisation is renamed.
func readersOf(id int64) string  { return "readers-" + strconv.FormatInt(id, 10) }
func membersOf(org int64) string { return "members-" + strconv.FormatInt(org, 10) }

// granted is how far Grants got: what was told of each repository's documents.
type granted struct {
	Whole bool             `json:"w,omitempty"` // an account from the beginning that has not ended
	Repos map[int64]string `json:"r"`           // see openness, and unsettled
}

// Grants tells who reads which repository, and of the documents of those that
// were opened or closed since. No text is read for it.
func (s *Source) Grants(ctx context.Context, since sdk.Cursor, out *sdk.Grants) error {
	return s.grants(ctx, since, out)
}

// readerSink is the part of sdk.Grants that takes who may read what.
type readerSink interface {
	Document(id string, readers sdk.Access) error
	Group(sdk.Group) error
	AllGroups()
	Checkpoint(sdk.Cursor) error
}

func (s *Source) grants(ctx context.Context, since sdk.Cursor, out readerSink) error {
	repos, lost, err := s.resolve(ctx)
	if err != nil {
		return err
	}
	open, err := s.grantDocuments(ctx, since, repos, out)
	if err != nil {
		return err
	}
	if len(repos) == 0 && len(lost) > 0 {
		return sdk.Denied(lost[0].err)
	}
	out.AllGroups()
	if err := s.grantGroups(ctx, repos, out.Group); err != nil {
		return err
	}
	return open
}

// grantDocuments does not take long where nothing changed: what a repository's
// documents are for was told before. Those that fewer people may read come first.
// open tells of a repository that only the next sync can close.
func (s *Source) grantDocuments(ctx context.Context, since sdk.Cursor, repos []repo, out readerSink) (open, err error) {
	was := granted{}
	if err := since.JSON(&was); err != nil || len(since) == 0 {
		was = granted{Whole: true}
	}
	now := granted{Whole: was.Whole, Repos: map[int64]string{}}
	maps.Copy(now.Repos, was.Repos)
	var told []repo
	for _, r := range repos {
		before, known := was.Repos[r.id]
		switch {
		case known && before == s.openness(r) && !s.differs(r):
		case known || was.Whole:
			told = append(told, r)
			now.Repos[r.id] = unsettled // until all of it was told
		default:
			now.Repos[r.id] = s.openness(r) // Sync sends all of its documents
		}
	}
	open = s.vanished(now.Repos, repos)
	slices.SortStableFunc(told, func(a, b repo) int { return strings.Compare(s.openness(a), s.openness(b)) })
	checkpoint := func() error {
		s.account(now.Repos)
		c, err := sdk.JSONCursor(now)
		if err != nil {
			return err
		}
		return out.Checkpoint(c)
	}
	if len(told) > 0 {
		if err := checkpoint(); err != nil {
			return nil, err
		}
	}
	for _, r := range told {
		access := s.access(r)
		if err := s.ids(ctx, r, func(id string) error { return out.Document(id, access) }); err != nil {
			return nil, voided(err)
		}
		s.agreed(r)
		now.Repos[r.id] = s.openness(r)
		if err := checkpoint(); err != nil {
			return nil, err
		}
	}
	now.Whole = false
	return open, checkpoint()
}

// roster is who is in a group, by login.
type roster struct {
	group  string
	repo   int64 // of which these are the readers; 0 for an organisation
	logins []string
}

func (s *Source) grantGroups(ctx context.Context, repos []repo, tell func(sdk.Group) error) error {
	rosters, unseen, err := s.rosters(ctx, repos)
	if err != nil {
		return err
	}
	for _, u := range unseen { // Check tells people
		s.log.Warn("who may read cannot be seen, so nobody may", "of", u.what, "error", u.err.Error())
	}
	emails, err := s.emailsOf(ctx, rosters, repos)
	if err != nil {
		return err
	}
	readers := map[int64]map[string]bool{}
	for _, one := range rosters {
		var users []string
		for _, login := range one.logins {
			users = append(users, emails[strings.ToLower(login)]...)
		}
		slices.Sort(users)
		users = slices.Compact(users)
		if err := tell(sdk.Group{Name: one.group, Users: users}); err != nil {
			return err
		}
		if one.repo == 0 {
			continue
		}
		readers[one.repo] = map[string]bool{}
		for _, u := range users {
			readers[one.repo][strings.ToLower(u)] = true
		}
	}
	s.memory.mu.Lock()
	s.memory.members = readers
	s.memory.mu.Unlock()
	return nil
}

// outOfSight is a repository or an organisation whose people are not to be seen.
type outOfSight struct {
	what string
	err  error
}

// rosters are the readers of all repositories that are not for everybody. Where
// the credentials may not see them the group is empty: nobody reads.
func (s *Source) rosters(ctx context.Context, repos []repo) (out []roster, hidden []outOfSight, err error) {
	add := func(one roster, what string, logins []string, err error) error {
		if kind := sdk.KindOf(err); kind == "denied" || kind == "gone" {
			logins, hidden, err = nil, append(hidden, outOfSight{what, err}), nil
		}
		one.logins = logins
		out = append(out, one)
		return err
	}
	orgs := map[int64]bool{}
	for _, r := range repos {
		groups := s.access(r).Groups
		if len(groups) == 0 {
			continue
		}
		logins, err := s.collaborators(ctx, r)
		if err := add(roster{group: readersOf(r.id), repo: r.id}, r.full(), logins, err); err != nil {
			return nil, nil, err
		}
		if len(groups) == 1 || orgs[r.org] {
			continue
		}
		orgs[r.org] = true
		logins, err = s.organisation(ctx, r.owner)
		if err := add(roster{group: membersOf(r.org)}, r.owner, logins, err); err != nil {
			return nil, nil, err
		}
	}
	return out, hidden, nil
}

// collaborators are all who may read a repository: outside collaborators, members
// of its teams, members whom the organisation's base permission lets in, owners.
func (s *Source) collaborators(ctx context.Context, r repo) ([]string, error) {
	list, err := settled(ctx, (*github.User).GetLogin, func(o github.ListOptions) ([]*github.User, *github.Response, error) {
		return s.api.Repositories.ListCollaborators(ctx, r.owner, r.name, &github.ListCollaboratorsOptions{Affiliation: "all", ListOptions: o})
	})
	return people(list), explain("the collaborators of "+r.full(), err)
}

func (s *Source) organisation(ctx context.Context, login string) ([]string, error) {
	list, err := settled(ctx, (*github.User).GetLogin, func(o github.ListOptions) ([]*github.User, *github.Response, error) {
		return s.api.Organizations.ListMembers(ctx, login, &github.ListMembersOptions{ListOptions: o})
	})
	return people(list), explain("the members of "+login, err)
}

// people are the accounts of persons that may read.
func people(list []*github.User) []string {
	var out []string
	for _, u := range list {
		reads := u.Permissions == nil || u.GetPermissions()["pull"] || u.GetPermissions()["admin"]
		if u.GetLogin() != "" && u.GetType() != "Bot" && reads {
			out = append(out, u.GetLogin())
		}
	}
	return out
}

// closedFor tells of a repository whether it is known that a person may not read
// it. What this process was not told is left to the host.
func (s *Source) closedFor(r repo, email string) bool {
	if len(s.access(r).Groups) != 1 {
		return false
	}
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	readers, known := s.memory.members[r.id]
	return known && !readers[strings.ToLower(email)]
}
