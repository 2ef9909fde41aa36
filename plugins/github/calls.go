package github

import (
	"context"
	"net/http"

	"github.com/google/go-github/v80/github"
)

// Aliases of what each call takes and gives.
type (
	listing = github.ListOptions
	reply   = github.Response
)

// calls are the calls of the client that are made, as functions. The source holds them
// and not the client, because all of the client's 1,200 methods get into a program in
// which a value that holds it becomes an interface: 2 MB.
type calls struct {
	Apps          appCalls
	Git           gitCalls
	Issues        issueCalls
	Organizations organizationCalls
	PullRequests  pullCalls
	Repositories  repositoryCalls
	Users         userCalls

	NewRequest func(method, address string, body any, opts ...github.RequestOption) (*http.Request, error)
	Do         func(context.Context, *http.Request, any) (*reply, error)
}

type appCalls struct {
	ListRepos func(context.Context, *listing) (*github.ListRepositories, *reply, error)
}

type gitCalls struct {
	GetBlob func(ctx context.Context, owner, repo, sha string) (*github.Blob, *reply, error)
	GetTree func(ctx context.Context, owner, repo, sha string, recursive bool) (*github.Tree, *reply, error)
}

type issueCalls struct {
	ListByRepo   func(ctx context.Context, owner, repo string, opts *github.IssueListByRepoOptions) ([]*github.Issue, *reply, error)
	Get          func(ctx context.Context, owner, repo string, number int) (*github.Issue, *reply, error)
	ListComments func(ctx context.Context, owner, repo string, number int, opts *github.IssueListCommentsOptions) ([]*github.IssueComment, *reply, error)
}

type organizationCalls struct {
	ListMembers func(ctx context.Context, org string, opts *github.ListMembersOptions) ([]*github.User, *reply, error)
}

type pullCalls struct {
	List         func(ctx context.Context, owner, repo string, opts *github.PullRequestListOptions) ([]*github.PullRequest, *reply, error)
	ListReviews  func(ctx context.Context, owner, repo string, number int, opts *listing) ([]*github.PullRequestReview, *reply, error)
	ListComments func(ctx context.Context, owner, repo string, number int, opts *github.PullRequestListCommentsOptions) ([]*github.PullRequestComment, *reply, error)
}

type repositoryCalls struct {
	Get                     func(ctx context.Context, owner, repo string) (*github.Repository, *reply, error)
	ListReleases            func(ctx context.Context, owner, repo string, opts *listing) ([]*github.RepositoryRelease, *reply, error)
	ListCollaborators       func(ctx context.Context, owner, repo string, opts *github.ListCollaboratorsOptions) ([]*github.User, *reply, error)
	ListByOrg               func(ctx context.Context, org string, opts *github.RepositoryListByOrgOptions) ([]*github.Repository, *reply, error)
	ListByUser              func(ctx context.Context, user string, opts *github.RepositoryListByUserOptions) ([]*github.Repository, *reply, error)
	ListByAuthenticatedUser func(ctx context.Context, opts *github.RepositoryListByAuthenticatedUserOptions) ([]*github.Repository, *reply, error)
}

type userCalls struct {
	Get func(ctx context.Context, user string) (*github.User, *reply, error)
}

// searchCalls are made by a client of their own, with the limit of searches.
type searchCalls struct {
	Issues func(ctx context.Context, query string, opts *github.SearchOptions) (*github.IssuesSearchResult, *reply, error)
}

func callsOf(c *github.Client) calls {
	return calls{
		Apps:          appCalls{c.Apps.ListRepos},
		Git:           gitCalls{c.Git.GetBlob, c.Git.GetTree},
		Issues:        issueCalls{c.Issues.ListByRepo, c.Issues.Get, c.Issues.ListComments},
		Organizations: organizationCalls{c.Organizations.ListMembers},
		PullRequests:  pullCalls{c.PullRequests.List, c.PullRequests.ListReviews, c.PullRequests.ListComments},
		Repositories: repositoryCalls{
			c.Repositories.Get, c.Repositories.ListReleases, c.Repositories.ListCollaborators,
			c.Repositories.ListByOrg, c.Repositories.ListByUser, c.Repositories.ListByAuthenticatedUser,
		},
		Users:      userCalls{c.Users.Get},
		NewRequest: c.NewRequest, Do: c.Do,
	}
}

// installationCalls are an App's own, which it signs with its key.
type installationCalls struct {
	CreateInstallationToken      func(ctx context.Context, id int64, opts *github.InstallationTokenOptions) (*github.InstallationToken, *reply, error)
	FindOrganizationInstallation func(ctx context.Context, org string) (*github.Installation, *reply, error)
	FindUserInstallation         func(ctx context.Context, user string) (*github.Installation, *reply, error)
	FindRepositoryInstallation   func(ctx context.Context, owner, repo string) (*github.Installation, *reply, error)
}

func installationCallsOf(c *github.Client) installationCalls {
	return installationCalls{
		c.Apps.CreateInstallationToken, c.Apps.FindOrganizationInstallation,
		c.Apps.FindUserInstallation, c.Apps.FindRepositoryInstallation,
	}
}
