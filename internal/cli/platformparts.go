package cli

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/extract"
)

// readableCitations are those of a turn's sources that a person may read alone.
func (a *app) readableCitations(ctx context.Context, viewer core.Viewer, t core.Turn) ([]core.Citation, error) {
	var ids []string
	for _, c := range t.Answer.Citations {
		ids = append(ids, c.DocumentID)
	}
	own := access.Audience(core.Place{Kind: core.PlaceDirect}, viewer)
	readable, err := access.ReadableNow(ctx, a.store, own, ids)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(t.Answer.Citations), func(c core.Citation) bool { return !readable[c.DocumentID] }), nil
}

// fileText reads files that come with questions.
type fileText struct{ extract *extract.Extractor }

// Extract joins what was read of the file into one text.
func (f fileText) Extract(ctx context.Context, name, mediaType string, content []byte) (string, error) {
	read, err := f.extract.File(ctx, name, mediaType, bytes.NewReader(content))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, block := range read.Blocks {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		if block.Level > 0 {
			b.WriteString(strings.Repeat("#", block.Level) + " ")
		}
		b.WriteString(block.Text)
	}
	return b.String(), nil
}
