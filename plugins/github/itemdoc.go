package github

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-github/v80/github"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// maxText is how many bytes of a conversation go into one document; what it has
// beyond that is counted.
const maxText = sdk.MaxBody - 64<<10

// facts is what an item's line in a list tells of its document.
func (s *Source) facts(r repo, i *github.Issue) sdk.Document {
	kind, path := "issue", "issues"
	if i.IsPullRequest() {
		kind, path = "pull request", "pull"
	}
	number := strconv.Itoa(i.GetNumber())
	d := sdk.Document{
		ID: r.document(path, number), Title: i.GetTitle() + " (" + r.name + "#" + number + ")",
		URL: cmp.Or(i.GetHTMLURL(), r.page+"/"+path+"/"+number), Kind: kind, Author: i.GetUser().GetLogin(),
		Created: past(i.GetCreatedAt().Time), Updated: past(i.GetUpdatedAt().Time),
		Folders: r.folders(), Access: s.access(r),
		Meta: map[string]string{"repository": r.full(), "number": number, "state": stateOf(i)},
	}
	optional(d.Meta, "labels", names(i.Labels, func(l *github.Label) string { return l.GetName() }))
	optional(d.Meta, "assignees", names(i.Assignees, func(u *github.User) string { return u.GetLogin() }))
	optional(d.Meta, "milestone", i.GetMilestone().GetTitle())
	if i.GetStateReason() == "not_planned" || i.GetStateReason() == "duplicate" {
		d.Meta["reason"] = i.GetStateReason()
	}
	return d
}

func stateOf(i *github.Issue) string {
	switch {
	case i.IsPullRequest() && !i.GetPullRequestLinks().GetMergedAt().IsZero():
		return "merged"
	case i.IsPullRequest() && i.GetDraft() && i.GetState() == "open":
		return "draft"
	}
	return i.GetState()
}

func optional(meta map[string]string, key, value string) {
	if value != "" {
		meta[key] = value
	}
}

func names[T any](list []T, name func(T) string) string {
	var out []string
	for _, one := range list {
		if n := name(one); n != "" {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// item is the document of an issue or a pull request, with all that was said.
// With an error it has all but the text.
func (s *Source) item(ctx context.Context, r repo, i *github.Issue) (sdk.Document, error) {
	d := s.facts(r, i)
	said, err := s.said(ctx, r, i)
	if err != nil {
		return d, explain(fmt.Sprintf("what was said to %s#%d", r.full(), i.GetNumber()), err)
	}
	for _, m := range said {
		if !r.holds(m.link) { // an issue that was moved since it was listed is answered from elsewhere
			return d, sdk.Gone(fmt.Errorf("%s#%d was moved to another repository", r.full(), i.GetNumber()))
		}
	}
	var left int
	d.Body, left = conversation(i.GetBody(), said)
	if left > 0 {
		d.Meta["left_out"] = fmt.Sprintf("%d comments", left)
	}
	return d, nil
}

// remark is one thing that was said.
type remark struct {
	who, did string // such as ann, commented
	when     time.Time
	link     string
	where    string // of a review comment: the file
	text     string
}

// said reads comments, and reviews with their comments, in the order of time.
func (s *Source) said(ctx context.Context, r repo, i *github.Issue) ([]remark, error) {
	var out []remark
	number := i.GetNumber()
	if i.GetComments() > 0 {
		list, err := settled(ctx, func(c *github.IssueComment) int64 { return c.GetID() }, func(o github.ListOptions) ([]*github.IssueComment, *github.Response, error) {
			return s.api.Issues.ListComments(ctx, r.owner, r.name, number, &github.IssueListCommentsOptions{ListOptions: o})
		})
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			out = append(out, remark{who: c.GetUser().GetLogin(), did: "commented", when: c.GetCreatedAt().Time, link: c.GetHTMLURL(), text: c.GetBody()})
		}
	}
	if i.IsPullRequest() {
		reviewed, err := s.reviewed(ctx, r, number)
		if err != nil {
			return nil, err
		}
		out = append(out, reviewed...)
	}
	slices.SortStableFunc(out, func(a, b remark) int { return cmp.Or(a.when.Compare(b.when), cmp.Compare(a.link, b.link)) })
	return out, nil
}

var verbs = map[string]string{"APPROVED": "approved", "CHANGES_REQUESTED": "asked for changes", "DISMISSED": "reviewed (dismissed)"}

func (s *Source) reviewed(ctx context.Context, r repo, number int) ([]remark, error) {
	var out []remark
	reviews, err := settled(ctx, func(v *github.PullRequestReview) int64 { return v.GetID() }, func(o github.ListOptions) ([]*github.PullRequestReview, *github.Response, error) {
		return s.api.PullRequests.ListReviews(ctx, r.owner, r.name, number, &o)
	})
	if err != nil {
		return nil, err
	}
	for _, v := range reviews {
		verb := cmp.Or(verbs[v.GetState()], "reviewed")
		if v.GetState() == "PENDING" || verb == "reviewed" && v.GetBody() == "" {
			continue // not published, or nothing but the frame of its comments
		}
		out = append(out, remark{who: v.GetUser().GetLogin(), did: verb, when: v.GetSubmittedAt().Time, link: v.GetHTMLURL(), text: v.GetBody()})
	}
	comments, err := settled(ctx, func(c *github.PullRequestComment) int64 { return c.GetID() }, func(o github.ListOptions) ([]*github.PullRequestComment, *github.Response, error) {
		return s.api.PullRequests.ListComments(ctx, r.owner, r.name, number, &github.PullRequestListCommentsOptions{ListOptions: o})
	})
	if err != nil {
		return nil, err
	}
	for _, c := range comments {
		out = append(out, remark{
			who: c.GetUser().GetLogin(), did: "commented on the code", when: c.GetCreatedAt().Time, link: c.GetHTMLURL(), where: c.GetPath(), text: c.GetBody(),
		})
	}
	return out, nil
}

// conversation puts a text and what was said to it into one Markdown document,
// and tells how many remarks found no room.
func conversation(text string, said []remark) (body string, left int) {
	var b strings.Builder
	b.WriteString(cut(text, maxText))
	for n, m := range said {
		part := m.markdown()
		if b.Len()+len(part) > maxText {
			return b.String(), len(said) - n
		}
		b.WriteString(part)
	}
	return b.String(), 0
}

func (m remark) markdown() string {
	head := fmt.Sprintf("\n\n## %s %s on %s\n\n", cmp.Or(m.who, "ghost"), m.did, m.when.UTC().Format("2 January 2006"))
	if m.where != "" {
		head += "File: `" + m.where + "`\n\n"
	}
	if m.link != "" {
		head += "[permalink](" + m.link + ")\n\n"
	}
	return head + m.text
}

// cut shortens a text at a character.
func cut(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}
