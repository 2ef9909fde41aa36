package githubtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// question is a request to GraphQL. The server knows the few questions that the
// connector asks, by their fields.
type question struct {
	Query     string         `json:"query"`
	Variables map[string]any `json:"variables"`
}

func (q question) text(name string) string {
	text, _ := q.Variables[name].(string)
	return text
}

func (c *call) graphql() {
	var q question
	if err := json.NewDecoder(c.r.Body).Decode(&q); err != nil || q.Query == "" {
		c.refuse(http.StatusBadRequest, "Problems parsing JSON")
		return
	}
	switch {
	case c.token == nil:
		c.refuse(http.StatusUnauthorized, "This endpoint requires you to be authenticated.")
	case strings.Contains(q.Query, "discussions("):
		c.talks(q)
	case strings.Contains(q.Query, "node(id:"):
		c.moreTalk(q)
	case strings.Contains(q.Query, "samlIdentityProvider"):
		c.signOn(q)
	case strings.Contains(q.Query, "user(login:"):
		c.addresses(q)
	default:
		c.failed("", nil, "a question that this server does not know")
	}
}

// failed is an error of GraphQL, which has the status 200.
func (c *call) failed(kind string, data any, message string) {
	c.json(map[string]any{"data": data, "errors": []any{map[string]any{"type": kind, "message": message}}})
}

const talksAtOnce = 2 // discussions on a page, and comments, so that there are pages

func (c *call) talks(q question) {
	var r *Repository
	for _, one := range c.repos {
		if strings.EqualFold(one.Full(), q.text("owner")+"/"+q.text("name")) && !one.Gone && c.sees(one) {
			r = one
		}
	}
	switch {
	case r == nil:
		c.failed("NOT_FOUND", map[string]any{"repository": nil}, "Could not resolve to a Repository with the name")
		return
	case c.lacks("discussions"):
		c.failed("FORBIDDEN", map[string]any{"repository": map[string]any{"discussions": nil}}, "Resource not accessible by personal access token")
		return
	}
	list := slices.Clone(r.Talks)
	slices.SortStableFunc(list, func(a, b *Talk) int {
		if strings.Contains(q.Query, "UPDATED_AT, direction: DESC") {
			return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.Number, b.Number))
		}
		return cmp.Compare(a.Number, b.Number)
	})
	nodes, info := slice(list, q.text("after"), func(t *Talk) any { return c.talkShape(r, t, strings.Contains(q.Query, "body")) })
	c.json(map[string]any{"data": map[string]any{"repository": map[string]any{"discussions": map[string]any{"pageInfo": info, "nodes": nodes}}}})
}

func slice[T any](list []T, after string, shape func(T) any) (nodes []any, info map[string]any) {
	from, _ := strconv.Atoi(after)
	from = min(from, len(list))
	to := min(from+talksAtOnce, len(list))
	nodes = []any{}
	for _, one := range list[from:to] {
		nodes = append(nodes, shape(one))
	}
	return nodes, map[string]any{"hasNextPage": to < len(list), "endCursor": strconv.Itoa(to)}
}

func (c *call) talkShape(r *Repository, t *Talk, whole bool) map[string]any {
	if !whole {
		return map[string]any{"number": t.Number}
	}
	link := fmt.Sprintf("%s%s/discussions/%d", host, r.Full(), t.Number)
	return map[string]any{
		"id": fmt.Sprintf("D_%d_%d", r.ID, t.Number), "number": t.Number, "title": t.Title, "body": t.Body, "url": link, "closed": t.Closed,
		"createdAt": stamp(t.Created), "updatedAt": stamp(t.Updated), "author": map[string]any{"login": t.Author},
		"category": map[string]any{"name": t.Category}, "labels": map[string]any{"nodes": []any{}}, "comments": talkComments(t, link, ""),
	}
}

func talkComments(t *Talk, link, after string) map[string]any {
	nodes, info := slice(t.Comments, after, func(m Remark) any {
		replies := []any{}
		for _, reply := range m.Replies {
			replies = append(replies, saidShape(reply, link))
		}
		shape := saidShape(m, link)
		shape["isAnswer"], shape["replies"] = m.Answer, map[string]any{"totalCount": len(replies), "nodes": replies}
		return shape
	})
	return map[string]any{"pageInfo": info, "nodes": nodes}
}

func saidShape(m Remark, link string) map[string]any {
	return map[string]any{
		"body": m.Body, "url": fmt.Sprintf("%s#discussioncomment-%d", link, m.ID), "createdAt": stamp(m.At), "author": map[string]any{"login": m.Author},
	}
}

func (c *call) moreTalk(q question) {
	for _, r := range c.repos {
		for _, t := range r.Talks {
			if fmt.Sprintf("D_%d_%d", r.ID, t.Number) == q.text("id") {
				link := fmt.Sprintf("%s%s/discussions/%d", host, r.Full(), t.Number)
				c.json(map[string]any{"data": map[string]any{"node": map[string]any{"comments": talkComments(t, link, q.text("after"))}}})
				return
			}
		}
	}
	c.failed("NOT_FOUND", map[string]any{"node": nil}, "Could not resolve to a node")
}

// signOn is told to owners of the organisation only.
func (c *call) signOn(q question) {
	if c.lacks("saml") || c.token.App {
		c.failed("FORBIDDEN", map[string]any{"organization": map[string]any{"samlIdentityProvider": nil}}, "Resource not accessible by integration")
		return
	}
	nodes := []any{}
	if o := c.orgs[strings.ToLower(q.text("org"))]; o != nil {
		for _, login := range o.Members {
			if u := c.users[strings.ToLower(login)]; u != nil && u.SignOn != "" {
				nodes = append(nodes, map[string]any{"user": map[string]any{"login": login}, "samlIdentity": map[string]any{"nameId": u.SignOn, "emails": []any{}}})
			}
		}
	}
	c.json(map[string]any{"data": map[string]any{"organization": map[string]any{"samlIdentityProvider": map[string]any{
		"externalIdentities": map[string]any{"pageInfo": map[string]any{"hasNextPage": false, "endCursor": nil}, "nodes": nodes},
	}}}})
}

var oneUser = regexp.MustCompile(`(u\d+): user\(login: "([^"]+)"\)([^}]*)`)

func (c *call) addresses(q question) {
	data, missing := map[string]any{}, false
	for _, m := range oneUser.FindAllStringSubmatch(q.Query, -1) {
		u := c.users[strings.ToLower(m[2])]
		if u == nil {
			data[m[1]], missing = nil, true
			continue
		}
		shape := map[string]any{"login": u.Login, "email": u.Email}
		if strings.Contains(m[3], "o0: organizationVerifiedDomainEmails") {
			shape["o0"] = append([]string{}, u.Verified...)
		}
		data[m[1]] = shape
	}
	if missing {
		c.failed("NOT_FOUND", data, "Could not resolve to a User with the login")
		return
	}
	c.json(map[string]any{"data": data})
}
