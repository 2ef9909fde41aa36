package github

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

const talksQuery = `query($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    discussions(first: 20, after: $after, orderBy: {field: UPDATED_AT, direction: DESC}) {
      pageInfo { hasNextPage endCursor }
      nodes {
        id number title body url createdAt updatedAt closed
        author { login } category { name }
        labels(first: 20) { nodes { name } }
        comments(first: 50) { ...spoken }
      }
    }
  }
}` + spoken

const spoken = `
fragment spoken on DiscussionCommentConnection {
  pageInfo { hasNextPage endCursor }
  nodes {
    body url createdAt isAnswer author { login }
    replies(first: 50) { totalCount nodes { body url createdAt author { login } } }
  }
}`

const moreTalkQuery = `query($id: ID!, $after: String) {
  node(id: $id) { ... on Discussion { comments(first: 50, after: $after) { ...spoken } } }
}` + spoken

const talkNumbersQuery = `query($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    discussions(first: 100, after: $after, orderBy: {field: CREATED_AT, direction: ASC}) {
      pageInfo { hasNextPage endCursor }
      nodes { number }
    }
  }
}`

type pageInfo struct {
	HasNextPage bool
	EndCursor   string
}

type author struct{ Login string }

type talk struct {
	ID, Title, Body, URL string
	Number               int
	CreatedAt, UpdatedAt time.Time
	Closed               bool
	Author               author
	Category             struct{ Name string }
	Labels               struct{ Nodes []struct{ Name string } }
	Comments             talkComments
}

type talkComments struct {
	PageInfo pageInfo
	Nodes    []struct {
		talkReply
		IsAnswer bool
		Replies  struct {
			TotalCount int
			Nodes      []talkReply
		}
	}
}

type talkReply struct {
	Body, URL string
	CreatedAt time.Time
	Author    author
}

type talkPage struct {
	Repository *struct {
		Discussions *struct {
			PageInfo pageInfo
			Nodes    []talk
		}
	}
}

// talks reads one page of a repository's discussions.
func (s *Source) talks(ctx context.Context, query string, r repo, after string) ([]talk, pageInfo, error) {
	variables := map[string]any{"owner": r.owner, "name": r.name}
	if after != "" {
		variables["after"] = after
	}
	var page talkPage
	if err := s.api.query(ctx, query, variables, &page); err != nil {
		return nil, pageInfo{}, explain("the discussions of "+r.full(), err)
	}
	if page.Repository == nil || page.Repository.Discussions == nil {
		return nil, pageInfo{}, explain("the discussions of "+r.full(), errOdd)
	}
	d := page.Repository.Discussions
	for _, t := range d.Nodes {
		if t.Number == 0 {
			return nil, pageInfo{}, explain("the discussions of "+r.full(), errOdd)
		}
	}
	return d.Nodes, d.PageInfo, nil
}

// closedTo tells that these credentials read no discussions at all.
func closedTo(err error) bool {
	return errors.Is(err, errNoToken) || sdk.KindOf(err) == "denied"
}

// discussions sends those that changed, the newest first: there is no other way
// to ask for them. One that changes while they are read moves to the front, and the
// next sync begins there.
func (p *pass) discussions(ctx context.Context, r *repo, at *place) error {
	var bottom time.Time
	if at.Talks != 0 {
		bottom = time.Unix(at.Talks, 0).Add(-overlap)
	}
	for {
		if err := p.look(ctx, r); err != nil {
			return err
		}
		list, info, err := p.src.talks(ctx, talksQuery, *r, at.TalksAt)
		var graph graphErrors
		switch {
		case closedTo(err):
			at.Talks, at.TalksTo, at.TalksAt = 0, 0, ""
			return p.out.Note(fmt.Sprintf("the discussions of %s were left out: %s", r.full(), clip(err.Error(), 300)))
		case at.TalksAt != "" && errors.As(err, &graph) && graph[0].Type != "RATE_LIMITED":
			at.TalksAt = "" // a page that GitHub does not know any more
			continue
		case err != nil:
			return err
		}
		if at.TalksTo == 0 && len(list) > 0 {
			at.TalksTo = past(list[0].UpdatedAt).Unix()
		}
		more, err := p.someTalks(ctx, r, list, bottom)
		if err != nil {
			return err
		}
		if !more || !info.HasNextPage {
			at.Talks, at.TalksTo, at.TalksAt = max(at.Talks, at.TalksTo), 0, ""
			return p.src.readable(*r)
		}
		at.TalksAt = info.EndCursor
		if err := p.checkpoint(); err != nil {
			return err
		}
	}
}

// someTalks tells whether there may be more that changed.
func (p *pass) someTalks(ctx context.Context, r *repo, list []talk, bottom time.Time) (more bool, err error) {
	for _, t := range list {
		if t.UpdatedAt.Before(bottom) {
			return false, nil
		}
		d, err := p.src.talkDocument(ctx, *r, t)
		if err != nil {
			return false, err
		}
		if err := p.send(ctx, r, d); err != nil {
			return false, err
		}
	}
	return true, nil
}

func talkID(r repo, t talk) string { return r.document(discussions, strconv.Itoa(t.Number)) }

func (s *Source) talkDocument(ctx context.Context, r repo, t talk) (sdk.Document, error) {
	state := "open"
	if t.Closed {
		state = "closed"
	}
	number := strconv.Itoa(t.Number)
	d := sdk.Document{
		ID: talkID(r, t), Title: t.Title + " (" + r.name + "#" + number + ")", URL: t.URL, Kind: "discussion", Author: t.Author.Login,
		Created: past(t.CreatedAt), Updated: past(t.UpdatedAt), Folders: r.folders(), Access: s.access(r),
		Meta: map[string]string{"repository": r.full(), "number": number, "state": state},
	}
	optional(d.Meta, "category", t.Category.Name)
	optional(d.Meta, "labels", names(t.Labels.Nodes, func(l struct{ Name string }) string { return l.Name }))
	said, unread, err := s.spokenTo(ctx, t)
	if err != nil {
		return d, explain(fmt.Sprintf("discussion %s#%s", r.full(), number), err)
	}
	var left int
	d.Body, left = conversation(t.Body, said)
	if left += unread; left > 0 {
		d.Meta["left_out"] = fmt.Sprintf("%d comments", left)
	}
	return d, nil
}

// spokenTo reads all comments, and of each the first 50 replies; unread counts the
// others.
func (s *Source) spokenTo(ctx context.Context, t talk) (said []remark, unread int, err error) {
	page := t.Comments
	for {
		for _, c := range page.Nodes {
			did := "commented"
			if c.IsAnswer {
				did = "answered"
			}
			said = append(said, remark{who: c.Author.Login, did: did, when: c.CreatedAt, link: c.URL, text: c.Body})
			for _, reply := range c.Replies.Nodes {
				said = append(said, remark{who: reply.Author.Login, did: "replied", when: reply.CreatedAt, link: reply.URL, text: reply.Body})
			}
			unread += max(0, c.Replies.TotalCount-len(c.Replies.Nodes))
		}
		if !page.PageInfo.HasNextPage {
			return said, unread, nil
		}
		var next struct {
			Node *struct{ Comments talkComments }
		}
		if err := s.api.query(ctx, moreTalkQuery, map[string]any{"id": t.ID, "after": page.PageInfo.EndCursor}, &next); err != nil {
			return nil, 0, err
		}
		if next.Node == nil {
			return nil, 0, errOdd
		}
		page = next.Node.Comments
	}
}
