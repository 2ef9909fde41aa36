package extract

import (
	"bytes"
	"context"
	"io"

	"github.com/footnote-bot/footnote/core"
)

// looksLikePDF allows for the junk that some programs put before the header.
func looksLikePDF(head []byte) bool { return bytes.Contains(head, []byte("%PDF-")) }

func (x *Extractor) pdf(ctx context.Context, name string, head []byte, r io.Reader) (Content, error) {
	return Content{}, core.Errorf(core.KindInvalid, "%s: not yet", name)
}
