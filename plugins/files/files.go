// Package files is the connector for a folder of files, on this machine or in a
// git repository: Markdown, text, HTML, data and source files as documents, PDF
// files as attachments.
package files

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gofrs/flock"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Source is one folder, or one branch of a git repository. Its exported fields
// are the configuration.
type Source struct {
	Dir       string     `help:"folder to read, with everything below it; either this or git"`
	Git       string     `help:"address of a git repository to read instead of a folder: https://HOST/PATH, ssh://HOST/PATH or USER@HOST:PATH"`
	Branch    string     `help:"branch to read; without it the one that the repository names as its own"`
	Subfolder string     `help:"folder of the repository to read; without it all of it"`
	Token     sdk.Secret `help:"access token for an https address that not everybody may read"`
	User      string     `help:"user name that goes with the token; without it the one that the host expects of tokens"`
	MaxClone  Size       `default:"2GiB" help:"refuse a repository that takes more than this, packed or unpacked"`

	Include []string `help:"read only files that match one of these globs; a glob without a slash matches names in any folder"`
	Exclude []string `help:"leave out what matches, in the syntax of .gitignore; .gitignore and .footnoteignore files count too"`
	MaxSize Size     `default:"20MiB" help:"leave out larger files, and record them as failed"`
	URLBase string   `help:"address that a file's path is added to for its link; without it links are file:// addresses, or lead to the host of the repository where that is known"`

	URLTemplate string `help:"address of a file of the repository, with {path} and {branch} in it, for hosts that are not known"`

	Access map[string][]string `help:"who may read what: globs of paths relative to dir or subfolder, each with a list of public, workspace, nobody, user:EMAIL, group:NAME; a glob that matches a folder covers all in it; the most specific glob wins; files that none matches follow the source's own access"`

	exclude []ignoreRule
	access  []accessRule
	base    *url.URL
	repo    *repository // nil for a folder
	local   bool        // a repository may be a file:// address, in tests
	data    string      // the source's own folder
	log     *slog.Logger
}

// New makes an unconfigured source, for sdk.Serve.
func New() sdk.Source { return new(Source) }

// Help describes the connector.
func (s *Source) Help() string {
	return "Reads a folder of files: Markdown, text, HTML, CSV, JSON, YAML and source code; PDF, Office files, books and mails as attachments. " +
		"Hidden files and folders are left out. The folder is on this machine, or a branch of a git repository, " +
		"which the machine's own git keeps a shallow copy of."
}

// Start checks the configuration as far as that needs no file and no network.
func (s *Source) Start(_ context.Context, env *sdk.Env) error {
	if s.log = slog.New(slog.DiscardHandler); env != nil && env.Log != nil {
		s.log = env.Log
	}
	if env != nil {
		s.data = env.Dir
	}
	if err := s.parsePlace(); err != nil {
		return err
	}
	for _, glob := range s.Include {
		if !validGlob(glob) {
			return sdk.Config("include", fmt.Errorf("%q is not a valid glob", glob))
		}
	}
	rules, bad := parseIgnore(strings.Join(s.Exclude, "\n"), "")
	if len(bad) > 0 {
		return sdk.Config("exclude", fmt.Errorf("%q is not a valid pattern", bad[0]))
	}
	s.exclude = rules
	var err error
	if s.access, err = parseAccess(s.Access); err != nil {
		return sdk.Config("access", err)
	}
	return s.parseBase()
}

var likeAddress = regexp.MustCompile(`(^|/)(https?|ssh|git):/`)

// parsePlace reads where the files are.
func (s *Source) parsePlace() error {
	switch {
	case s.Dir == "" && s.Git == "":
		return sdk.Config("dir", errors.New("there is neither dir nor git: write the folder to read, or the address of a git repository"))
	case s.Dir != "" && s.Git != "":
		return sdk.Config("git", errors.New("there are both dir and git: a source reads one of them; make a second source for the other"))
	case s.Git != "":
		return s.parseGit()
	case likeAddress.MatchString(s.Dir): // perhaps behind the path of the folder where the command ran
		return sdk.Config("dir", errors.New("it is an address and no folder: write it as git, for example with --set git=https://…"))
	case !filepath.IsAbs(s.Dir):
		// A relative path would mean a folder inside the host's data folder.
		return sdk.Config("dir", fmt.Errorf("%q is not an absolute path", s.Dir))
	}
	for _, field := range []struct{ name, value string }{
		{"branch", s.Branch}, {"subfolder", s.Subfolder}, {"token", string(s.Token)}, {"user", s.User}, {"url_template", s.URLTemplate},
	} {
		if field.value != "" {
			return sdk.Config(field.name, errors.New("it belongs to a git repository, and this source reads a folder: remove it, or write git instead of dir"))
		}
	}
	return nil
}

func (s *Source) parseBase() error {
	if s.URLBase == "" {
		return nil
	}
	base, err := url.Parse(s.URLBase)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
		return sdk.Config("url_base", fmt.Errorf("%q is not an absolute http or https address", s.URLBase))
	}
	s.base = base
	return nil
}

// Check tells whether the folder can be read, or the branch be fetched.
func (s *Source) Check(ctx context.Context) error {
	if s.repo != nil {
		return s.checkRemote(ctx)
	}
	root, err := s.open(ctx)
	if err != nil {
		return sdk.Config("dir", err)
	}
	entries, err := os.ReadDir(root.real)
	if err := errors.Join(err, root.Close()); err != nil {
		return sdk.Config("dir", err)
	}
	if len(entries) == 0 {
		return sdk.Warning(fmt.Sprintf("the folder %s is empty", s.Dir))
	}
	return nil
}

// root is the opened folder. Nothing outside can be opened through it, whatever
// links are swapped while it is read.
type root struct {
	dir   *os.Root
	real  string // absolute, without links
	state *state // of the clone that the folder belongs to; nil for a folder of its own
	tree  *tree  // what the clone's commit holds, once it was asked
	held  *flock.Flock
}

// Close lets go of the folder, and lets a clone be changed again.
func (r root) Close() error {
	err := r.dir.Close()
	if r.held != nil {
		err = errors.Join(err, r.held.Close())
	}
	return err
}

func (s *Source) open(ctx context.Context) (root, error) {
	if s.repo != nil {
		return s.openClone(ctx)
	}
	return openFolder(s.Dir)
}

func openFolder(name string) (root, error) {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return root{}, fmt.Errorf("the folder %s cannot be read: %w", name, cause(err))
	}
	info, err := os.Stat(real)
	if err != nil {
		return root{}, fmt.Errorf("the folder %s cannot be read: %w", name, cause(err))
	}
	if !info.IsDir() {
		return root{}, fmt.Errorf("%s is a file: name the folder that holds it", name)
	}
	dir, err := os.OpenRoot(real)
	if err != nil {
		return root{}, fmt.Errorf("the folder %s cannot be read: %w", name, cause(err))
	}
	return root{dir: dir, real: real}, nil
}

// cause is a file error without the path, which the message around it names.
func cause(err error) error {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
