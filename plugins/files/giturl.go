package files

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"regexp"
	"strings"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// repository is where a clone comes from.
type repository struct {
	url    string // as git gets it: without credentials
	scheme string // the one protocol that git may use
	host   string // with a port that is not the scheme's own
	path   string // on the host, without slashes around it and without .git
	user   string // that stood in an https address
}

// likeSCP is USER@HOST:PATH, the short form of ssh addresses.
var likeSCP = regexp.MustCompile(`^[A-Za-z0-9_][\w.-]*@([A-Za-z0-9][A-Za-z0-9.-]*):([^\s:\\-][^\s\\]*)$`)

// parseGit reads the settings of a repository.
func (s *Source) parseGit() error {
	repo, err := parseRepository(s.Git, s.local)
	if err != nil {
		return sdk.Config("git", err)
	}
	if !validBranch(s.Branch) {
		return sdk.Config("branch", fmt.Errorf("%q cannot be the name of a branch: write it as the host shows it, such as main", s.Branch))
	}
	if s.Subfolder, err = parseSubfolder(s.Subfolder); err != nil {
		return sdk.Config("subfolder", err)
	}
	switch user := cmp.Or(s.User, repo.user); {
	case s.Token != "" && repo.scheme != "https" && repo.scheme != "http":
		return sdk.Config("token", errors.New("a token goes with https addresses only: ssh uses the keys of the account that Footnote runs under"))
	case s.Token == "" && s.User != "":
		return sdk.Config("user", errors.New("a user name needs a token beside it"))
	case strings.ContainsAny(user, ":\r\n"):
		return sdk.Config("user", errors.New("it holds a colon or a line break"))
	case strings.ContainsAny(string(s.Token), "\r\n \t"):
		return sdk.Config("token", errors.New("it holds a space or a line break: copy it anew"))
	default:
		repo.user = cmp.Or(user, tokenUser(repo.host))
	}
	if err := s.parseTemplate(); err != nil {
		return sdk.Config("url_template", err)
	}
	s.repo = &repo
	return nil
}

// parseRepository reads an address. Protocols that are not encrypted are
// possible on this machine only.
func parseRepository(text string, local bool) (repository, error) {
	if m := likeSCP.FindStringSubmatch(text); m != nil && !strings.Contains(text, "://") {
		return repository{url: text, scheme: "ssh", host: strings.ToLower(m[1]), path: bare(m[2])}, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" {
		// The text itself could hold a password.
		return repository{}, errors.New("it is not an address: write https://HOST/PATH, ssh://HOST/PATH or USER@HOST:PATH")
	}
	if _, has := u.User.Password(); has {
		return repository{}, errors.New("it holds a password: take it out, and write it as token")
	}
	repo := repository{scheme: u.Scheme, host: strings.ToLower(u.Host), path: bare(u.Path)}
	switch {
	case u.Scheme == "file" && local:
	case u.Scheme != "https" && u.Scheme != "ssh" && (u.Scheme != "http" || !loopback(u.Hostname())):
		return repository{}, fmt.Errorf("addresses with %s:// are not possible: write one with https:// or ssh://", u.Scheme)
	case u.Hostname() == "" || strings.HasPrefix(u.Host, "-") || strings.HasPrefix(u.User.Username(), "-"):
		return repository{}, errors.New("it names no host")
	}
	switch {
	case repo.path == "":
		return repository{}, errors.New("it names a host and no repository on it")
	case u.RawQuery != "" || u.Fragment != "":
		return repository{}, errors.New("it has something after ? or #, which is no part of a repository's address")
	}
	if u.Scheme != "ssh" { // where the user is part of how to get in
		repo.user, u.User = u.User.Username(), nil
	}
	repo.url = u.String()
	return repo, nil
}

func bare(p string) string { return strings.TrimSuffix(strings.Trim(p, "/"), ".git") }

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// tokenUser is the user name under which hosts take an access token.
func tokenUser(host string) string {
	switch forgeOf(host) {
	case gitlab:
		return "oauth2"
	case bitbucket:
		return "x-token-auth"
	}
	return "x-access-token"
}

// validBranch follows git's rules for names, as far as they matter here: what
// passes is never taken for an option, a range or a pattern.
func validBranch(name string) bool {
	return name == "" || !strings.HasPrefix(name, "-") && !strings.HasSuffix(name, ".") && !strings.HasSuffix(name, ".lock") &&
		name != "@" && path.Clean("/"+name) == "/"+name && !strings.Contains(name, "/.") && !strings.HasPrefix(name, ".") &&
		!strings.Contains(name, "..") && !strings.Contains(name, "@{") && len(name) <= 250 &&
		!strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) })
}

func parseSubfolder(name string) (string, error) {
	clean := strings.TrimPrefix(path.Clean("/"+name), "/")
	switch {
	case strings.Trim(name, "/") == "" || strings.Trim(name, "/") == ".":
		return "", nil
	case clean != strings.TrimPrefix(strings.Trim(name, "/"), "./") || strings.ContainsAny(name, "\x00\\"):
		return "", fmt.Errorf("%q is not a path inside a repository: write one such as docs/guide", name)
	}
	return clean, nil
}
