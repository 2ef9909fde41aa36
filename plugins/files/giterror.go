package files

import (
	"errors"
	"fmt"
	"strings"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// gitTrouble is a failure that git told of.
type gitTrouble struct {
	doing string
	said  string // what git said last, without secrets
	kind  trouble
}

// trouble says whose failure it is.
type trouble int

const (
	ownTrouble  trouble = iota // of the clone, or not known
	refused                    // no or wrong credentials
	forbidden                  // known, and not allowed
	missing                    // no such repository
	redirected                 // the host sends on to another address
	busy                       // the host asks for a pause
	strangeHost                // its ssh key is not known
	badTLS                     // its certificate cannot be checked
	unreachable                // no answer, or a broken one
)

// signs are what git, curl and ssh print, in English and in lower case. The
// first that occurs counts.
var signs = []struct {
	text string
	kind trouble
}{
	{"returned error: 429", busy}, {"returned error: 503", busy}, {"returned error: 502", unreachable}, {"returned error: 50", unreachable},
	{"returned error: 401", refused}, {"authentication failed", refused}, {"could not read username", refused},
	{"could not read password", refused}, {"terminal prompts disabled", refused}, {"access denied", refused}, {"permission denied (", refused},
	{"returned error: 403", forbidden},
	{"host key verification failed", strangeHost}, {"host key is known", strangeHost},
	{"returned error: 404", missing}, {"repository not found", missing}, {"does not appear to be a git repository", missing},
	{"project you were looking for could not be found", missing}, {"repository does not exist", missing},
	{"returned error: 301", redirected}, {"returned error: 302", redirected}, {"returned error: 303", redirected},
	{"returned error: 307", redirected}, {"returned error: 308", redirected},
	{"certificate", badTLS},
	{"could not resolve", unreachable}, {"failed to connect", unreachable}, {"couldn't connect", unreachable},
	{"connection refused", unreachable}, {"connection reset", unreachable}, {"connection closed", unreachable}, {"timed out", unreachable},
	{"connection timeout", unreachable}, {"network is unreachable", unreachable}, {"no route to host", unreachable},
	{"the remote end hung up", unreachable}, {"early eof", unreachable}, {"rpc failed", unreachable}, {"empty reply", unreachable},
	{"operation too slow", unreachable}, {"unexpected disconnect", unreachable}, {"remote error", unreachable},
	{"unable to access", unreachable}, {"could not read from remote", unreachable}, {"not valid: is this a git repository", missing},
}

// troubleOf reads what a git command printed on stderr.
func troubleOf(stderr string) trouble {
	low := strings.ToLower(stderr)
	if strings.Contains(low, "' not found") && strings.Contains(low, "repository '") {
		return missing
	}
	for _, s := range signs {
		if strings.Contains(low, s.text) {
			return s.kind
		}
	}
	return ownTrouble
}

func (t *gitTrouble) Error() string { return fmt.Sprintf("%s: %s", t.doing, t.said) }

// ofRemote tells whether making the clone anew cannot help.
func ofRemote(err error) bool {
	var t *gitTrouble
	return !errors.As(err, &t) || t.kind != ownTrouble
}

// explained gives a failure the kind and the way out that the host's owner
// needs. Others stay as they are.
func (s *Source) explained(err error) error {
	var t *gitTrouble
	if !errors.As(err, &t) {
		return err
	}
	switch t.kind {
	case refused:
		return sdk.Auth(fmt.Errorf("%s: %w", s.refusedHint(), t))
	case forbidden:
		return sdk.Denied(fmt.Errorf("the token may not read %s: give it the right to read the repository's content: %w", s.repo.url, t))
	case missing:
		return sdk.Config("git", fmt.Errorf("there is no repository at %s, or the token may not see it: %w", s.repo.url, t))
	case redirected:
		return sdk.Config("git", fmt.Errorf("the host sends on to another address, which is not followed: write that one, often with .git at its end: %w", t))
	case busy:
		return sdk.Busy(0, t)
	case strangeHost:
		return sdk.Config("git", fmt.Errorf("the ssh key of the host is not known to the account that Footnote runs under: "+
			"connect once by hand with ssh and compare it: %w", t))
	case badTLS:
		return fmt.Errorf("the host's certificate cannot be checked; SSL_CERT_FILE names a file with one's own authorities: %w", t)
	}
	return t
}

func (s *Source) refusedHint() string {
	switch {
	case s.repo.scheme == "ssh":
		return "the host does not take the ssh keys of the account that Footnote runs under: add one there as a deploy key"
	case s.Token == "":
		return "the host asks for credentials, as hosts do for repositories that are not there, too: check git, or set token"
	}
	return "the host does not take the token: make a new one that may read the repository"
}
