package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// List names every file that Sync would send or record as failed. A folder
// that cannot be read makes the whole list fail: it must not look emptied.
func (s *Source) List(ctx context.Context, out *sdk.Listing) error {
	return s.list(ctx, out.Document)
}

func (s *Source) list(ctx context.Context, document func(id, revision string) error) error {
	if s.repo != nil { // what was removed on the host since the last sync is no more
		if err := s.update(ctx); err != nil {
			return err
		}
	}
	root, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer root.Close()
	if root.tree, err = s.treeOf(ctx, root); err != nil {
		return s.explained(err)
	}
	w := s.walker(root)
	w.each = func(e entry) error {
		kind, _ := classify(e.name)
		if kind == binary {
			return nil
		}
		if kind == unknown && Size(e.info.Size()) <= s.MaxSize {
			if err := sniff(root, e.actual); errors.Is(err, errBinary) {
				return nil
			}
		}
		if elsewhere(root, e) {
			return nil
		}
		return document(e.name, root.revision(e))
	}
	w.failed = func(name string, err error) error { return listFailure(root, name, err) }
	w.closed = func(name string, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	return w.walk(ctx)
}

// listFailure lets a list go on without a file that vanished or a link that
// leads nowhere, and not without a folder that is there and cannot be read.
func listFailure(r root, name string, err error) error {
	info, statErr := r.dir.Lstat(name)
	if statErr == nil && info.IsDir() {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
