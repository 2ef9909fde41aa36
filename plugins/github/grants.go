package github

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-github/v80/github"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Names of groups stay when a repository or an organisation is renamed.
func readersOf(id int64) string  { return "readers-" + strconv.FormatInt(id, 10) }
func membersOf(org int64) string { return "members-" + strconv.FormatInt(org, 10) }

// Grants tells who may read the documents of each repository, and who its readers
// are. It tells all of that every time, and no text is read for it: the host closes
// repositories that are not named any more, and keeps Sync from sending for more than
// it says.
func (s *Source) Grants(ctx context.Context, _ sdk.Cursor, out *sdk.Grants) error {
	return s.grants(ctx, out)
}

// readerSink is the part of sdk.Grants that takes who may read what.
type readerSink interface {
	Folder(id string, readers sdk.Access) error
	AllFolders() error
	Group(sdk.Group) error
	AllGroups()
}

func (s *Source) grants(ctx context.Context, out readerSink) error {
	repos, lost, err := s.resolve(ctx)
	if err != nil {
		return err
	}
	for _, r := range repos {
		if err := out.Folder(r.folder(), s.access(r)); err != nil {
			return err
		}
	}
	if err := out.AllFolders(); err != nil {
		return err
	}
	if len(repos) == 0 && len(lost) > 0 {
		return sdk.Denied(lost[0].err)
	}
	out.AllGroups()
	return s.grantGroups(ctx, repos, out.Group)
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
