package github

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-github/v80/github"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// mostChecked is of how many repositories Check tries every kind of reading: each
// takes a few requests.
const mostChecked = 10

// Check tries each kind of reading that is configured, and tells of how many
// people the address is not known.
func (s *Source) Check(ctx context.Context) error {
	repos, lost, err := s.resolve(ctx)
	if err != nil {
		return err
	}
	var problems []error
	for _, m := range lost {
		problems = append(problems, m.err)
	}
	if len(repos) == 0 && len(problems) == 0 {
		problems = append(problems, fmt.Errorf("there is no repository in %s that the token sees", strings.Join(s.Repositories, ", ")))
	}
	if len(problems) > 0 {
		return sdk.Config("repositories", fmt.Errorf("%w; a private one needs a token with the right to read it", errors.Join(problems...)))
	}
	for _, r := range repos[:min(len(repos), mostChecked)] {
		if err := s.checkKinds(ctx, r); err != nil {
			return voided(err)
		}
	}
	return s.warnings(ctx, repos)
}

// checkKinds asks for one thing of each kind. Discussions may be missing.
func (s *Source) checkKinds(ctx context.Context, r repo) error {
	one := github.ListOptions{PerPage: 1}
	if s.kinds[issues] || s.kinds[pulls] {
		if _, _, err := s.api.Issues.ListByRepo(ctx, r.owner, r.name, &github.IssueListByRepoOptions{State: "all", ListOptions: one}); err != nil {
			return explain("the issues of "+r.full(), err)
		}
	}
	if s.kinds[pulls] {
		if _, _, err := s.api.PullRequests.List(ctx, r.owner, r.name, &github.PullRequestListOptions{State: "all", ListOptions: one}); err != nil {
			return explain("the pull requests of "+r.full(), err)
		}
	}
	if s.kinds[releases] {
		if _, _, err := s.api.Repositories.ListReleases(ctx, r.owner, r.name, &one); err != nil {
			return explain("the releases of "+r.full(), err)
		}
	}
	if s.kinds[files] {
		if _, err := s.head(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// warnings are what works less than it might.
func (s *Source) warnings(ctx context.Context, repos []repo) error {
	var out []error
	warn := func(format string, args ...any) { out = append(out, sdk.Warning(fmt.Sprintf(format, args...))) }
	if s.api.auth == nil {
		warn("there is no token: GitHub allows 60 requests an hour, and discussions cannot be read")
	}
	if s.kinds[discussions] && s.api.auth != nil {
		if i := slices.IndexFunc(repos, func(r repo) bool { return r.discusses }); i >= 0 {
			if _, _, err := s.talks(ctx, talkNumbersQuery, repos[i], ""); closedTo(err) {
				warn("discussions are left out: %v", err)
			} else if err != nil {
				return err
			}
		}
	}
	if err := s.peopleWarnings(ctx, repos, warn); err != nil {
		return err
	}
	return errors.Join(out...)
}

// mostAsked is of how many repositories Check asks for the readers.
const mostAsked = 50

// peopleWarnings tells whose readers are not to be seen, and which readers have no
// known address.
func (s *Source) peopleWarnings(ctx context.Context, repos []repo, warn func(string, ...any)) error {
	closed := slices.DeleteFunc(slices.Clone(repos), func(r repo) bool { return len(s.access(r).Groups) == 0 })
	rosters, hidden, err := s.rosters(ctx, closed[:min(len(closed), mostAsked)])
	if err != nil {
		return err
	}
	for n, h := range hidden {
		if n == 3 {
			warn("the same of %d more", len(hidden)-n)
			break
		}
		warn("not everybody may read what comes of %s who might, for its people are not to be seen: %v; a token's owner needs the right to write there, an App the permissions metadata: read and members: read", h.what, h.err)
	}
	emails, err := s.emailsOf(ctx, rosters, repos)
	if err != nil {
		return err
	}
	all, unknown := map[string]bool{}, []string(nil)
	for _, one := range rosters {
		for _, login := range one.logins {
			if key := strings.ToLower(login); !all[key] {
				if all[key] = true; len(emails[key]) == 0 {
					unknown = append(unknown, login)
				}
			}
		}
	}
	few := ""
	if len(closed) > mostAsked {
		few = fmt.Sprintf(" (of the first %d)", mostAsked)
	}
	if slices.Sort(unknown); len(unknown) > 0 {
		warn("%d of %d people who may read private repositories%s have no known e-mail address and get nothing of these: %s; name them under people",
			len(unknown), len(all), few, clip(strings.Join(unknown, ", "), 300))
	}
	return nil
}

// Guards against a method that is misspelt.
var (
	_ sdk.Starter    = (*Source)(nil)
	_ sdk.Checker    = (*Source)(nil)
	_ sdk.Lister     = (*Source)(nil)
	_ sdk.Granter    = (*Source)(nil)
	_ sdk.Searcher   = (*Source)(nil)
	_ sdk.Limited    = (*Source)(nil)
	_ sdk.Authorizer = (*Source)(nil)
	_ sdk.Helper     = (*Source)(nil)
)
