package github

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"regexp"
	"slices"
	"strings"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// parsePeople reads the table of logins. Case does not count in them.
func (s *Source) parsePeople() error {
	table := map[string]string{}
	for login, email := range s.People {
		key := strings.ToLower(strings.TrimSpace(login))
		if !likeLogin.MatchString(key) {
			return sdk.Config("people", fmt.Errorf("%q is not a GitHub login", login))
		}
		if !likeEmail(email) {
			return sdk.Config("people", fmt.Errorf("%q, for %s, is not an e-mail address", email, login))
		}
		if _, twice := table[key]; twice {
			return sdk.Config("people", fmt.Errorf("%q is there twice", login))
		}
		table[key] = email
	}
	s.People = table
	return nil
}

var likeLogin = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

func likeEmail(text string) bool {
	a, err := mail.ParseAddress(text)
	return err == nil && a.Address == text
}

// address book: from lower-case login to the addresses of that person.
type book map[string][]string

func (b book) add(login string, emails ...string) {
	key := strings.ToLower(login)
	for _, e := range emails {
		if e = strings.ToLower(e); likeEmail(e) && !slices.Contains(b[key], e) {
			b[key] = append(b[key], e)
		}
	}
}

// emailsOf finds the addresses of all logins: those of the configuration, and for
// others what an organisation's single sign-on tells, addresses in its verified
// domains, and the one that a person shows. Whoever has none gets nothing.
func (s *Source) emailsOf(ctx context.Context, rosters []roster, repos []repo) (book, error) {
	found, asked, orgs := book{}, []string(nil), []string(nil)
	for _, one := range rosters {
		for _, login := range one.logins {
			key := strings.ToLower(login)
			if email, ok := s.People[key]; ok {
				found.add(key, email)
			} else if likeLogin.MatchString(key) {
				asked = append(asked, key)
			}
		}
	}
	slices.Sort(asked)
	asked = slices.Compact(asked)
	if len(asked) == 0 || s.api.auth == nil {
		return found, nil
	}
	for _, r := range repos {
		if r.org != 0 && !slices.Contains(orgs, r.owner) {
			orgs = append(orgs, r.owner)
		}
	}
	signedOn := book{}
	for _, org := range orgs {
		if err := s.signOn(ctx, org, signedOn); err != nil {
			return nil, err
		}
	}
	for login, emails := range signedOn {
		if slices.Contains(asked, login) {
			found.add(login, emails...)
		}
	}
	for part := range slices.Chunk(asked, 40) {
		if err := s.shown(ctx, part, orgs, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

const signOnQuery = `query($org: String!, $after: String) {
  organization(login: $org) {
    samlIdentityProvider {
      externalIdentities(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { user { login } samlIdentity { nameId emails { value } } }
      }
    }
  }
}`

// signOn reads whom an organisation's single sign-on knows. Only its owners may
// ask, so that a refusal is usual.
func (s *Source) signOn(ctx context.Context, org string, into book) error {
	variables := map[string]any{"org": org}
	for {
		var page struct {
			Organization *struct {
				SamlIdentityProvider *struct {
					ExternalIdentities struct {
						PageInfo pageInfo
						Nodes    []struct {
							User         *author
							SamlIdentity *struct {
								NameID string `json:"nameId"`
								Emails []struct{ Value string }
							}
						}
					}
				}
			}
		}
		err := s.api.query(ctx, signOnQuery, variables, &page)
		if refusedQuietly(err) {
			s.log.Debug("single sign-on is not to be seen", "organisation", org, "error", err.Error())
			return nil
		}
		if err != nil {
			return explain("the single sign-on of "+org, err)
		}
		if page.Organization == nil || page.Organization.SamlIdentityProvider == nil {
			return nil
		}
		list := page.Organization.SamlIdentityProvider.ExternalIdentities
		for _, n := range list.Nodes {
			if n.User == nil || n.SamlIdentity == nil {
				continue
			}
			into.add(n.User.Login, n.SamlIdentity.NameID)
			for _, e := range n.SamlIdentity.Emails {
				into.add(n.User.Login, e.Value)
			}
		}
		if !list.PageInfo.HasNextPage {
			return nil
		}
		variables["after"] = list.PageInfo.EndCursor
	}
}

// refusedQuietly tells of a right that is missing or a thing that is not there.
// Everything else is an error: to go on would take people's access away.
func refusedQuietly(err error) bool {
	var graph graphErrors
	return errors.As(err, &graph) && graph[0].Type != "RATE_LIMITED" && (denied(graph) || graph.only("NOT_FOUND"))
}

// shown reads the addresses that people show, and those that their organisations
// have verified, 40 people in one question.
func (s *Source) shown(ctx context.Context, logins, orgs []string, into book) error {
	var b strings.Builder
	b.WriteString("query {\n")
	for n, login := range logins {
		fmt.Fprintf(&b, "u%d: user(login: %q) { login email", n, login)
		for o, org := range orgs {
			fmt.Fprintf(&b, " o%d: organizationVerifiedDomainEmails(login: %q)", o, org)
		}
		b.WriteString(" }\n")
	}
	b.WriteString("}")
	found := map[string]map[string]any{}
	if err := s.api.query(ctx, b.String(), nil, &found); err != nil && !refusedQuietly(err) {
		return explain("the addresses of people", err)
	}
	for n, login := range logins {
		for field, value := range found[fmt.Sprintf("u%d", n)] {
			switch value := value.(type) {
			case string:
				if field == "email" {
					into.add(login, value)
				}
			case []any:
				for _, one := range value {
					if text, ok := one.(string); ok {
						into.add(login, text)
					}
				}
			}
		}
	}
	return nil
}
