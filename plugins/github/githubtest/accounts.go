package githubtest

import (
	"cmp"
	"crypto/rsa"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// App is a GitHub App with one installation.
type App struct {
	ID, Installation int64
	Key              *rsa.PublicKey
}

// SetApp sets the only App that there is.
func (s *Server) SetApp(a App) { s.Change(func(time.Time) { s.app = &a }) }

func (c *call) user() {
	login := c.r.PathValue("owner")
	if c.users[strings.ToLower(login)] == nil && c.orgs[strings.ToLower(login)] == nil {
		c.refuse(http.StatusNotFound, "Not Found")
		return
	}
	c.json(c.ownerShape(login))
}

func (c *call) self() {
	if c.token == nil {
		c.refuse(http.StatusUnauthorized, "Requires authentication")
		return
	}
	c.json(c.userShape(c.token.Login))
}

func (c *call) owned() {
	owner := cmp.Or(c.r.PathValue("owner"), c.login())
	var list []*Repository
	for _, r := range c.repos {
		if strings.EqualFold(r.Owner, owner) && !r.Gone && c.sees(r) {
			list = append(list, r)
		}
	}
	page(c, list, func(r *Repository) any { return c.repositoryShape(r) })
}

func (c *call) login() string {
	if c.token == nil {
		return ""
	}
	return c.token.Login
}

func (c *call) installed() {
	list := []any{}
	for _, r := range c.repos {
		if !r.Gone {
			list = append(list, c.repositoryShape(r))
		}
	}
	c.json(map[string]any{"total_count": len(list), "repositories": list})
}

func (c *call) members() {
	o := c.orgs[strings.ToLower(c.r.PathValue("owner"))]
	if o == nil {
		c.missing()
		return
	}
	page(c, o.Members, func(login string) any { return c.userShape(login) })
}

// asserted checks what an App says of itself, by the server's clock.
func (c *call) asserted() bool {
	text, _ := strings.CutPrefix(c.r.Header.Get("Authorization"), "Bearer ")
	claims := jwt.RegisteredClaims{}
	_, err := jwt.ParseWithClaims(text, &claims, func(*jwt.Token) (any, error) { return c.app.Key, nil },
		jwt.WithValidMethods([]string{"RS256"}), jwt.WithTimeFunc(func() time.Time { return c.now }), jwt.WithIssuedAt(), jwt.WithExpirationRequired(),
		jwt.WithIssuer(strconv.FormatInt(c.app.ID, 10)))
	if err == nil && claims.ExpiresAt.Sub(c.now) > 10*time.Minute {
		err = fmt.Errorf("'Expiration time' claim ('exp') is too far in the future")
	}
	if err != nil {
		c.refuse(http.StatusUnauthorized, err.Error())
	}
	return err == nil
}

func (c *call) exchange() {
	if !c.asserted() {
		return
	}
	secret := fmt.Sprintf("ghs_%d", c.counted["exchange"])
	c.tokens[secret] = &Token{App: true}
	c.send(http.StatusCreated, map[string]any{"token": secret, "expires_at": stamp(c.now.Add(time.Hour)), "permissions": map[string]string{"metadata": "read"}})
}

func (c *call) installation() {
	if c.asserted() {
		c.json(map[string]any{"id": c.app.Installation, "app_id": c.app.ID})
	}
}

// search finds items that hold all words, in the one repository or owner that the
// query names.
func (c *call) search() {
	var words []string
	place, kind := "", ""
	from, to := time.Time{}, time.Now().AddDate(100, 0, 0)
	for _, part := range strings.Fields(c.r.URL.Query().Get("q")) {
		key, value, qualified := strings.Cut(part, ":")
		switch {
		case !qualified:
			words = append(words, strings.ToLower(part))
		case key == "repo", key == "user", key == "org":
			if place != "" {
				c.refuse(http.StatusUnprocessableEntity, "Validation Failed")
				return
			}
			place = strings.ToLower(value)
		case key == "is":
			kind = value
		case key == "updated":
			low, high, _ := strings.Cut(value, "..")
			if t, err := time.Parse(time.RFC3339, low); err == nil {
				from = t
			}
			if t, err := time.Parse(time.RFC3339, high); err == nil {
				to = t
			}
		}
	}
	if kind != "issue" && kind != "pull-request" {
		c.refuse(http.StatusUnprocessableEntity, "Query must include 'is:issue' or 'is:pull-request'")
		return
	}
	found := []any{}
	for _, r := range c.repos {
		if r.Gone || !c.sees(r) || place != "" && place != strings.ToLower(r.Full()) && place != strings.ToLower(r.Owner) {
			continue
		}
		for _, i := range r.Items {
			text := strings.ToLower(i.Title + " " + i.Body)
			all := !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
			if all && i.Moved == "" && i.Pull == (kind == "pull-request") && !i.Updated.Before(from) && !i.Updated.After(to) {
				shape := c.itemShape(r, i)
				shape["score"] = 1.0
				if strings.Contains(c.r.Header.Get("Accept"), "text-match") {
					shape["text_matches"] = []any{map[string]any{"object_type": "Issue", "property": "body", "fragment": i.Body, "matches": []any{}}}
				}
				found = append(found, shape)
			}
		}
	}
	size, err := strconv.Atoi(c.r.URL.Query().Get("per_page"))
	if err != nil {
		size = 30
	}
	c.json(map[string]any{"total_count": len(found), "incomplete_results": false, "items": found[:min(size, len(found))]})
}
