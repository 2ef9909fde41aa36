package plugins

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// program tells what serves the connector. A pinned one is read whole and must
// have the sum that it was installed with, at every launch: what is on the disk
// may have changed since.
func (h *Host) program(connector string) (exe string, args []string, err error) {
	if h.opts.Pin == nil {
		return h.opts.Command(connector)
	}
	path, want, ok := h.opts.Pin(connector)
	if !ok {
		return h.opts.Command(connector)
	}
	got, err := sumOf(path)
	if err != nil {
		return "", nil, core.Wrap(core.KindNotFound, err, fmt.Sprintf(
			"connector %q cannot be started: its program cannot be read (%v): install it again with: footnote plugin install", connector, err))
	}
	if !strings.EqualFold(got, want) {
		return "", nil, core.Errorf(core.KindConfig,
			"connector %q was not started: %s has SHA-256 %s and was installed with %s. It was changed or replaced after it was installed: if that is your doing, install it again with: footnote plugin install",
			connector, path, got, strings.ToLower(want))
	}
	return path, nil, nil
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
