package extract

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
)

// Describer puts into words what a picture shows, for search. The words are kept
// as text of the document, like any other text of a stranger.
type Describer interface {
	Describe(ctx context.Context, mediaType string, image []byte) (string, error)
}

const (
	maxImage     = 8 << 20 // bytes of a picture that is described
	describeTime = time.Minute
	maxDescribed = 8 << 10 // bytes of a description
)

// imageType is the type that a picture's first bytes tell, "" if it is none that
// can be described.
func imageType(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(head, []byte("\xFF\xD8\xFF")):
		return "image/jpeg"
	case bytes.HasPrefix(head, []byte("RIFF")) && len(head) >= 12 && string(head[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

// image reads a picture: its name, and what a model says of it where there is one.
// Whatever keeps the model from that is a note, never an error.
func (x *Extractor) image(ctx context.Context, name string, head []byte, r io.Reader) (Content, error) {
	kind := imageType(head)
	if kind == "" {
		return Content{}, unlike(name, "a picture (PNG, JPEG or WebP)")
	}
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	c := Content{Title: base, Blocks: []Block{{Kind: KindImage, Text: mdImage(base, "")}}}
	if x.describer == nil {
		return c, ctx.Err()
	}
	raw, err := io.ReadAll(io.LimitReader(r, maxImage+1))
	if err != nil {
		return Content{}, fmt.Errorf("read %s: %w", name, err)
	}
	if len(raw) > maxImage {
		c.Notes = append(c.Notes, "This picture is larger than "+size(maxImage)+" and can be found by its name only.")
		return c, ctx.Err()
	}
	limited, cancel := context.WithTimeout(ctx, describeTime)
	defer cancel()
	text, err := x.describer.Describe(limited, kind, raw)
	if ctx.Err() != nil {
		return Content{}, ctx.Err()
	}
	if text = strings.TrimSpace(normalise(text)); err != nil || text == "" {
		x.log.Warn("a picture was not described", "error", err)
		c.Notes = append(c.Notes, "The vision model did not describe this picture, so that it can be found by its name only; footnote sync --full tries again.")
		return c, nil
	}
	if len(text) > maxDescribed {
		text = strings.ToValidUTF8(text[:maxDescribed], "") + "…"
	}
	c.Blocks = append(c.Blocks, paragraphs(text)...)
	c.Language = Language(prose(c.Blocks))
	return c, nil
}
