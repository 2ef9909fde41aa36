package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// entry is one file that the configuration asks for.
type entry struct {
	name   string // slash-separated path as a person sees it: the document's id
	actual string // the path to open; differs where links lead to it
	info   fs.FileInfo
}

// walker goes through a folder once. What cannot be read is given to failed, or
// to closed if it is a folder, and the walk goes on unless that returns an error.
type walker struct {
	root    root
	include []string
	exclude []ignoreRule
	each    func(entry) error
	failed  func(name string, err error) error
	closed  func(name string, err error) error

	seen    map[string]bool // actual paths that were visited
	links   []link
	outside int      // links that lead out of the folder
	bad     []string // sentences about lines of .gitignore files that match nothing
	special int      // neither file nor folder: sockets, pipes, devices
}

// link is a symbolic link that waits until all real paths were visited.
type link struct {
	name, actual string
	rules        []ignoreRule
}

// folder is a folder on the way: where it is and which rules hold in it.
type folder struct {
	name, actual string
	rules        []ignoreRule
}

// walk visits real files first and then what only links lead to, each once. So
// a link beside its target makes no second document, and loops end.
func (w *walker) walk(ctx context.Context) error {
	w.seen = map[string]bool{}
	if err := w.folder(ctx, folder{actual: "."}); err != nil {
		return err
	}
	for len(w.links) > 0 {
		next := w.links[0]
		w.links = w.links[1:]
		if err := w.follow(ctx, next); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) folder(ctx context.Context, f folder) error {
	entries, err := w.read(f.actual)
	if err != nil && f.name == "" {
		return fmt.Errorf("the folder %s cannot be read: %w", w.root.real, cause(err))
	}
	if err != nil {
		return w.closed(f.name, fmt.Errorf("the folder cannot be read: %w", cause(err)))
	}
	w.seen[f.actual] = true
	rules, err := w.rulesIn(f, entries)
	if err != nil {
		return err
	}
	f.rules = rules
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if err := w.visit(ctx, f, e); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) read(actual string) ([]fs.DirEntry, error) {
	dir, err := w.root.dir.Open(actual)
	if err != nil {
		return nil, err
	}
	entries, err := dir.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, errors.Join(err, dir.Close())
}

func (w *walker) visit(ctx context.Context, in folder, e fs.DirEntry) error {
	name, actual := path.Join(in.name, e.Name()), path.Join(in.actual, e.Name())
	switch {
	case e.Type()&fs.ModeSymlink != 0:
		w.links = append(w.links, link{name: name, actual: actual, rules: in.rules})
	case e.IsDir():
		if !w.leftOut(in.rules, name, true) {
			return w.folder(ctx, folder{name: name, actual: actual, rules: in.rules})
		}
	case !e.Type().IsRegular():
		w.special++
	case !w.leftOut(in.rules, name, false) && included(w.include, name):
		info, err := e.Info()
		if err != nil {
			return w.failed(name, fmt.Errorf("the file cannot be read: %w", cause(err)))
		}
		return w.file(entry{name: name, actual: actual, info: info})
	}
	return nil
}

// leftOut asks the source's own exclude list first: it beats ignore files.
func (w *walker) leftOut(rules []ignoreRule, name string, isDir bool) bool {
	for i := len(w.exclude) - 1; i >= 0; i-- {
		if w.exclude[i].matches(name, isDir) {
			return !w.exclude[i].keep
		}
	}
	return ignored(rules, name, isDir)
}

func (w *walker) file(e entry) error {
	w.seen[e.actual] = true
	if !utf8.ValidString(e.name) {
		return w.failed(e.name, sdk.Invalid(errors.New("the file's name is not valid UTF-8: rename it")))
	}
	return w.each(e)
}

func (w *walker) follow(ctx context.Context, l link) error {
	target, err := filepath.EvalSymlinks(filepath.Join(w.root.real, filepath.FromSlash(l.actual)))
	if err != nil {
		if w.leftOut(l.rules, l.name, false) || !included(w.include, l.name) {
			return nil
		}
		return w.failed(l.name, fmt.Errorf("the link leads nowhere: %w", cause(err)))
	}
	rel, err := filepath.Rel(w.root.real, target)
	if err != nil || !filepath.IsLocal(rel) {
		w.outside++
		return nil
	}
	actual := filepath.ToSlash(rel)
	if w.seen[actual] || w.hides(actual) {
		return nil
	}
	info, err := w.root.dir.Stat(rel)
	switch {
	case err != nil:
		return w.failed(l.name, fmt.Errorf("the link's target cannot be read: %w", cause(err)))
	case w.leftOut(l.rules, l.name, info.IsDir()):
		return nil
	case info.IsDir():
		return w.folder(ctx, folder{name: l.name, actual: actual, rules: l.rules})
	case !info.Mode().IsRegular():
		w.special++
		return nil
	case !included(w.include, l.name):
		return nil
	}
	return w.file(entry{name: l.name, actual: actual, info: info})
}

// hides tells whether a link's target must not appear under another name: what
// the exclude list leaves out, and what git keeps for itself.
func (w *walker) hides(actual string) bool {
	parts := strings.Split(actual, "/")
	for i, part := range parts {
		name := path.Join(parts[:i+1]...)
		if part == ".git" || ignored(w.exclude, name, true) || ignored(w.exclude, name, i+1 < len(parts)) {
			return true
		}
	}
	return false
}

// ignoreFiles are the files that say what is left out. In a clone there is
// nothing that git ignores: what was committed is meant to be there.
func (w *walker) ignoreFiles() []string {
	if w.root.state != nil {
		return []string{ignoreFile}
	}
	return []string{".gitignore", ignoreFile}
}

const ignoreFile = ".footnoteignore"

const maxIgnoreFile = 256 << 10 // bytes

// rulesIn adds the ignore files of a folder to the rules that hold around it.
func (w *walker) rulesIn(f folder, entries []fs.DirEntry) ([]ignoreRule, error) {
	rules := slices.Clip(f.rules)
	for _, name := range w.ignoreFiles() {
		if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name && e.Type().IsRegular() }) {
			continue
		}
		where := path.Join(f.name, name)
		data, err := w.readAll(path.Join(f.actual, name), maxIgnoreFile)
		if err != nil {
			// Going on would send files that somebody wanted to keep out.
			return nil, fmt.Errorf("%s in %s cannot be read, and without it files would go out that it keeps in: %w",
				where, w.root.real, cause(err))
		}
		more, bad := parseIgnore(string(data), f.name)
		if len(bad) > 0 && name == ignoreFile {
			return nil, fmt.Errorf("%s in %s: %q is not a valid pattern", where, w.root.real, bad[0])
		}
		for _, line := range bad { // git passes over them, too
			w.bad = append(w.bad, fmt.Sprintf("%s: %q is not a valid pattern and leaves nothing out", where, line))
		}
		rules = append(rules, more...)
	}
	return rules, nil
}

func (w *walker) readAll(actual string, limit int64) ([]byte, error) {
	f, err := openFile(w.root, actual)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("it is larger than %s: shorten it, or exclude the folder around it", Size(limit))
	}
	return data, nil
}

// openFile opens a regular file inside the root. It does not wait on a pipe
// that took a file's place.
func openFile(r root, actual string) (*os.File, error) {
	f, err := r.dir.OpenFile(filepath.FromSlash(actual), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
