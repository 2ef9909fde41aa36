// Package files is the connector for a folder of files: Markdown, text, HTML,
// data and source files as documents, PDF files as attachments.
package files

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Source is one folder. Its exported fields are the configuration.
type Source struct {
	Dir     string   `required:"true" help:"folder to read, with everything below it"`
	Include []string `help:"read only files that match one of these globs; a glob without a slash matches names in any folder"`
	Exclude []string `help:"leave out what matches, in the syntax of .gitignore; .gitignore and .footnoteignore files count too"`
	MaxSize Size     `default:"20MiB" help:"leave out larger files, and record them as failed"`
	URLBase string   `help:"address that a file's path is added to for its link; without it links are file:// addresses"`

	Access map[string][]string `help:"who may read what: globs of paths relative to dir, each with a list of public, workspace, nobody, user:EMAIL, group:NAME; a glob that matches a folder covers all in it; the most specific glob wins; files that none matches follow the source's own access"`

	exclude []ignoreRule
	access  []accessRule
	base    *url.URL
}

// New makes an unconfigured source, for sdk.Serve.
func New() sdk.Source { return new(Source) }

// Help describes the connector.
func (s *Source) Help() string {
	return "Reads a folder of files: Markdown, text, HTML, CSV, JSON, YAML and source code, and PDF files as attachments. " +
		"Hidden files and folders are left out."
}

// Start checks the configuration as far as that needs no file.
func (s *Source) Start(context.Context, *sdk.Env) error {
	if !filepath.IsAbs(s.Dir) {
		// A relative path would mean a folder inside the host's data folder.
		return sdk.Config("dir", fmt.Errorf("%q is not an absolute path", s.Dir))
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

// Check tells whether the folder can be read.
func (s *Source) Check(context.Context) error {
	root, err := s.open()
	if err != nil {
		return sdk.Config("dir", err)
	}
	entries, err := os.ReadDir(root.real)
	if err := errors.Join(err, root.dir.Close()); err != nil {
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
	dir  *os.Root
	real string // absolute, without links
}

func (s *Source) open() (root, error) {
	real, err := filepath.EvalSymlinks(s.Dir)
	if err != nil {
		return root{}, fmt.Errorf("the folder %s cannot be read: %w", s.Dir, cause(err))
	}
	info, err := os.Stat(real)
	if err != nil {
		return root{}, fmt.Errorf("the folder %s cannot be read: %w", s.Dir, cause(err))
	}
	if !info.IsDir() {
		return root{}, fmt.Errorf("%s is a file: name the folder that holds it", s.Dir)
	}
	dir, err := os.OpenRoot(real)
	if err != nil {
		return root{}, fmt.Errorf("the folder %s cannot be read: %w", s.Dir, cause(err))
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
