package files

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// forge is a kind of host, by how it shows a file to people.
type forge int

const (
	otherForge forge = iota
	github
	gitlab
	bitbucket
	gitea
)

// forgeOf guesses by the host's name: code.example.com says nothing, and
// gitlab.example.com does.
func forgeOf(host string) forge {
	name, _, _ := strings.Cut(host, ":")
	for label := range strings.SplitSeq(name, ".") {
		switch label {
		case "github":
			return github
		case "gitlab":
			return gitlab
		case "gitea", "forgejo", "codeberg":
			return gitea
		}
	}
	if strings.TrimPrefix(name, "altssh.") == "bitbucket.org" {
		return bitbucket // what runs elsewhere under that name has other addresses
	}
	return otherForge
}

var forgePages = map[forge]string{
	github: "/blob/{branch}/{path}", gitlab: "/-/blob/{branch}/{path}", bitbucket: "/src/{branch}/{path}", gitea: "/src/branch/{branch}/{path}",
}

// template is the address of a file on the repository's host, "" if it is not
// known.
func (r repository) template() string {
	page := forgePages[forgeOf(r.host)]
	if page == "" || r.scheme == "file" {
		return ""
	}
	scheme, host := "https", r.host
	switch r.scheme {
	case "http":
		scheme = "http"
	case "ssh": // whose port and name are not those of the pages
		host, _, _ = strings.Cut(host, ":")
		host = strings.TrimPrefix(strings.TrimPrefix(host, "altssh."), "ssh.")
	}
	return scheme + "://" + host + "/" + escaped(r.path) + page
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

func (s *Source) parseTemplate() error {
	if s.URLTemplate == "" {
		return nil
	}
	if s.URLBase != "" {
		return errors.New("there are both url_base and url_template: remove one of them")
	}
	for _, name := range placeholder.FindAllString(s.URLTemplate, -1) {
		if name != "{path}" && name != "{branch}" {
			return fmt.Errorf("it knows no %s: what can stand in it is {path} and {branch}", name)
		}
	}
	u, err := url.Parse(placeholder.ReplaceAllString(s.URLTemplate, "x"))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("it is not an absolute http or https address")
	}
	if !strings.Contains(s.URLTemplate, "{path}") {
		return errors.New("{path} is missing: every file would have the same address")
	}
	return nil
}

// webLink is the page that shows a file of the repository, "" if none is known.
func (s *Source) webLink(branch, name string) string {
	template := s.URLTemplate
	if template == "" {
		template = s.repo.template()
	}
	head, query, asked := strings.Cut(template, "?")
	out := fill(head, branch, name, escaped)
	if asked {
		out += "?" + fill(query, branch, name, url.QueryEscape)
	}
	return out
}

func fill(text, branch, name string, escape func(string) string) string {
	return strings.NewReplacer("{branch}", escape(branch), "{path}", escape(name)).Replace(text)
}
