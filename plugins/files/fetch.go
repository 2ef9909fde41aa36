package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Fetch opens the file of a reference that Sync made. References to anything
// outside the folder, to hidden and to excluded files are refused.
func (s *Source) Fetch(ctx context.Context, ref string) (*sdk.File, error) {
	_, name, ok := strings.Cut(ref, ":")
	if !ok || !s.fetchable(name) {
		return nil, sdk.Denied(fmt.Errorf("%q is not a file of this source", ref))
	}
	root, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	actual, err := s.resolve(root, name)
	if err != nil {
		return nil, err
	}
	f, err := openFile(root, actual)
	if err != nil {
		return nil, gone(err)
	}
	info, err := f.Stat()
	if err == nil && Size(info.Size()) > s.MaxSize {
		err = sdk.TooLarge(fmt.Errorf("the file has %s, the limit is %s", Size(info.Size()), s.MaxSize))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	_, mediaType := classify(name)
	return &sdk.File{Name: path.Base(name), MediaType: mediaType, Size: info.Size(), Content: f}, nil
}

func (s *Source) fetchable(name string) bool {
	if !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name || !included(s.Include, name) {
		return false
	}
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, ".") || ignored(s.exclude, path.Join(parts[:i+1]...), i+1 < len(parts)) {
			return false
		}
	}
	return true
}

// resolve follows links and refuses those that lead out of the folder or to
// what is left out.
func (s *Source) resolve(r root, name string) (string, error) {
	target, err := filepath.EvalSymlinks(filepath.Join(r.real, filepath.FromSlash(name)))
	if err != nil {
		return "", gone(err)
	}
	rel, err := filepath.Rel(r.real, target)
	if err != nil || !filepath.IsLocal(rel) {
		return "", sdk.Denied(fmt.Errorf("%q leads out of the folder", name))
	}
	actual := filepath.ToSlash(rel)
	if s.walker(r).hides(actual) {
		return "", sdk.Denied(fmt.Errorf("%q leads to a file that is left out", name))
	}
	return actual, nil
}

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return sdk.Gone(errors.New("the file no longer exists"))
	}
	return fmt.Errorf("the file cannot be read: %w", cause(err))
}
