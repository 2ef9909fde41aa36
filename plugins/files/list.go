package files

import (
	"context"
	"errors"
	"fmt"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// List names every file that Sync would send or record as failed. A folder
// that cannot be read makes the whole list fail: it must not look emptied.
func (s *Source) List(ctx context.Context, out *sdk.Listing) error {
	root, err := s.open()
	if err != nil {
		return err
	}
	defer root.dir.Close()
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
		return out.Document(e.name, revision(e.info))
	}
	w.failed = func(name string, err error) error { return listFailure(root, name, err) }
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
