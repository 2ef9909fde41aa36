package githubtest

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// routes names what is answered. The names are those of Requests.
func (s *Server) routes() {
	s.mux = http.NewServeMux()
	for pattern, route := range map[string]struct {
		name   string
		answer func(*call)
	}{
		"GET /api/v3/users/{owner}":                            {"user", (*call).user},
		"GET /api/v3/user":                                     {"user", (*call).self},
		"GET /api/v3/orgs/{owner}/repos":                       {"owned", (*call).owned},
		"GET /api/v3/users/{owner}/repos":                      {"owned", (*call).owned},
		"GET /api/v3/user/repos":                               {"owned", (*call).owned},
		"GET /api/v3/orgs/{owner}/members":                     {"members", (*call).members},
		"GET /api/v3/installation/repositories":                {"owned", (*call).installed},
		"GET /api/v3/search/issues":                            {"search", (*call).search},
		"POST /api/v3/app/installations/{id}/access_tokens":    {"exchange", (*call).exchange},
		"GET /api/v3/orgs/{owner}/installation":                {"installation", (*call).installation},
		"GET /api/v3/users/{owner}/installation":               {"installation", (*call).installation},
		"GET /api/v3/repos/{owner}/{name}/installation":        {"installation", (*call).installation},
		"GET /api/v3/repos/{owner}/{name}":                     {"repository", in((*call).repository)},
		"GET /api/v3/repos/{owner}/{name}/issues":              {"issues", in((*call).issues)},
		"GET /api/v3/repos/{owner}/{name}/issues/{n}":          {"issue", of((*call).issue)},
		"GET /api/v3/repos/{owner}/{name}/issues/{n}/comments": {"comments", of((*call).comments)},
		"GET /api/v3/repos/{owner}/{name}/pulls":               {"pulls", in((*call).pulls)},
		"GET /api/v3/repos/{owner}/{name}/pulls/{n}/reviews":   {"reviews", of((*call).reviews)},
		"GET /api/v3/repos/{owner}/{name}/pulls/{n}/comments":  {"codecomments", of((*call).codeComments)},
		"GET /api/v3/repos/{owner}/{name}/releases":            {"releases", in((*call).releases)},
		"GET /api/v3/repos/{owner}/{name}/collaborators":       {"collaborators", in((*call).collaborators)},
		"GET /api/v3/repos/{owner}/{name}/branches/{branch}":   {"branch", in((*call).branch)},
		"GET /api/v3/repos/{owner}/{name}/git/trees/{sha}":     {"tree", in((*call).gitTree)},
		"GET /api/v3/repos/{owner}/{name}/git/blobs/{sha}":     {"blob", in((*call).gitBlob)},
		"GET /api/v3/repositories/{id}":                        {"repository", byID((*call).repository)},
		"POST /api/graphql":                                    {"graphql", (*call).graphql},
	} {
		s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			c, ok := w.(*call)
			if !ok {
				panic("githubtest: a request came past the server")
			}
			c.r = r // with the values of the path
			c.counted[route.name]++
			route.answer(c)
		})
	}
}

// in finds the repository of the path, redirects from a former name, and answers
// 404 to whoever may not see it.
func in(answer func(*call, *Repository)) func(*call) {
	return func(c *call) {
		full := c.r.PathValue("owner") + "/" + c.r.PathValue("name")
		for _, r := range c.repos {
			switch {
			case r.Gone || !c.sees(r):
			case strings.EqualFold(r.Full(), full):
				answer(c, r)
				return
			case slices.ContainsFunc(r.Former, func(f string) bool { return strings.EqualFold(f, full) }):
				rest := strings.SplitN(c.r.URL.Path, "/", 7)
				to := "/api/v3/repos/" + r.Full()
				if len(rest) == 7 {
					to += "/" + rest[6]
				}
				if len(rest) < 7 {
					to = "/api/v3/repositories/" + strconv.FormatInt(r.ID, 10)
				}
				http.Redirect(c, c.r, to+query(c.r), http.StatusMovedPermanently)
				return
			}
		}
		c.missing()
	}
}

func query(r *http.Request) string {
	if r.URL.RawQuery == "" {
		return ""
	}
	return "?" + r.URL.RawQuery
}

func byID(answer func(*call, *Repository)) func(*call) {
	return func(c *call) {
		for _, r := range c.repos {
			if strconv.FormatInt(r.ID, 10) == c.r.PathValue("id") && !r.Gone && c.sees(r) {
				answer(c, r)
				return
			}
		}
		c.missing()
	}
}

// missing is the answer to what is not there and to what may not be seen.
func (c *call) missing() {
	if c.token != nil && c.token.Scopes != "" {
		c.Header().Set("X-Accepted-OAuth-Scopes", "repo")
	}
	c.refuse(http.StatusNotFound, "Not Found")
}

// sees tells whether the repository exists for whoever asks.
func (c *call) sees(r *Repository) bool {
	switch {
	case r.Visibility == "public":
		return true
	case c.token == nil || c.token.Scopes != "" && !slices.Contains(strings.Split(c.token.Scopes, ", "), "repo"):
		return false
	}
	return c.token.App || slices.Contains(r.Collaborators, c.token.Login)
}

// denied answers a fine-grained token without a permission.
func (c *call) denied(kind, permission string) bool {
	if !c.lacks(kind) {
		return false
	}
	c.Header().Set("X-Accepted-GitHub-Permissions", permission)
	c.refuse(http.StatusForbidden, "Resource not accessible by personal access token")
	return true
}

// of finds an item of the repository.
func of(answer func(*call, *Repository, *Item)) func(*call) {
	return in(func(c *call, r *Repository) {
		number, err := strconv.Atoi(c.r.PathValue("n"))
		for _, i := range r.Items {
			if err == nil && i.Number == number {
				if i.Moved != "" {
					at := strings.LastIndex(i.Moved, "/")
					_, rest, _ := strings.Cut(c.r.URL.Path, "/issues/"+c.r.PathValue("n"))
					http.Redirect(c, c.r, "/api/v3/repos/"+i.Moved[:at]+"/issues/"+i.Moved[at+1:]+rest, http.StatusMovedPermanently)
					return
				}
				answer(c, r, i)
				return
			}
		}
		c.refuse(http.StatusGone, "This issue was deleted")
	})
}

func (c *call) repository(r *Repository) { c.json(c.repositoryShape(r)) }

func (c *call) issues(r *Repository) {
	if c.denied("issues", "issues=read") {
		return
	}
	q := c.r.URL.Query()
	since, err := time.Parse(time.RFC3339, cmp.Or(q.Get("since"), "1970-01-01T00:00:00Z"))
	if err != nil {
		c.refuse(http.StatusUnprocessableEntity, "Validation Failed")
		return
	}
	var list []*Item
	for _, i := range r.Items {
		state := q.Get("state")
		if i.Moved == "" && !i.Updated.Before(since) && (state == "all" || i.State == cmp.Or(state, "open")) {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b *Item) int {
		by := cmp.Compare(a.Number, b.Number)
		if q.Get("sort") == "updated" {
			by = cmp.Or(a.Updated.Compare(b.Updated), by)
		}
		if q.Get("direction") != "asc" {
			by = -by
		}
		return by
	})
	page(c, list, func(i *Item) any { return c.itemShape(r, i) })
}

func (c *call) pulls(r *Repository) {
	page(c, slices.DeleteFunc(slices.Clone(r.Items), func(i *Item) bool { return !i.Pull }), func(i *Item) any { return c.itemShape(r, i) })
}

func (c *call) issue(r *Repository, i *Item) { c.json(c.itemShape(r, i)) }

func (c *call) comments(r *Repository, i *Item) {
	page(c, i.Comments, func(m Remark) any { return c.remarkShape(r, i, m, "issuecomment-") })
}

func (c *call) reviews(r *Repository, i *Item) {
	page(c, i.Reviews, func(m Remark) any { return c.remarkShape(r, i, m, "pullrequestreview-") })
}

func (c *call) codeComments(r *Repository, i *Item) {
	page(c, i.CodeComments, func(m Remark) any { return c.remarkShape(r, i, m, "discussion_r") })
}

func (c *call) releases(r *Repository) {
	list := slices.Clone(r.Releases)
	slices.Reverse(list)
	page(c, list, func(v *Release) any { return c.releaseShape(r, v) })
}

// collaborators are told to who may write; tokens of Apps need no right to do so.
func (c *call) collaborators(r *Repository) {
	if c.denied("collaborators", "metadata=read") {
		return
	}
	if c.token == nil {
		c.refuse(http.StatusUnauthorized, "Requires authentication")
		return
	}
	page(c, r.Collaborators, func(login string) any {
		shape := c.userShape(login)
		shape["permissions"] = map[string]bool{"admin": false, "maintain": false, "push": false, "triage": false, "pull": true}
		return shape
	})
}

func (c *call) branch(r *Repository) {
	if c.denied("contents", "contents=read") {
		return
	}
	if c.r.PathValue("branch") != "main" || len(r.Files) == 0 {
		c.refuse(http.StatusNotFound, "Branch not found")
		return
	}
	tree := r.tree()
	c.json(map[string]any{"name": "main", "protected": false, "commit": map[string]any{
		"sha": hash("commit", tree), "commit": map[string]any{"tree": map[string]any{"sha": tree}},
	}})
}
