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
	w.failed = func(name string, err error) error {
		info, statErr := root.dir.Lstat(name)
		if statErr == nil && info.IsDir() {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil // one file, or a link that leads nowhere
	}
	return w.walk(ctx)
}
