package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// rawOffice is what a child said about a file.
type rawOffice struct {
	blocks []Block
	parts  []attachment
	done   rawDone
}

// office reads an Office file, a book or a mail in a child. Flat leaves out the
// attachments of a mail that is itself one.
func (x *Extractor) office(ctx context.Context, name, kind string, r io.Reader, flat bool) (Content, error) {
	c, err := x.pool.take(ctx, true)
	if err != nil {
		if ctx.Err() != nil {
			return Content{}, ctx.Err()
		}
		return Content{}, core.Wrap(core.KindUnavailable, err, name+" was not read: its reader could not be started. The log says why")
	}
	var raw rawOffice
	fault := x.converse(ctx, c, order{Kind: kind, Flat: flat}, r, func() (err error) {
		raw, err = collectOffice(c.out, x.limits)
		return err
	})
	good := fault == nil || errors.As(fault, new(refusal))
	x.pool.give(c, good)
	if fault != nil {
		err := x.explain(ctx, name, c, fault, good)
		x.log.Debug("file not read", "kind", core.KindOf(err), "error", fault, "stderr", c.stderr.String())
		return Content{}, err
	}
	out := Content{
		Title: oneLine(normalise(raw.done.Title)), Meta: raw.done.Meta, Language: raw.done.Language,
		Blocks: raw.blocks, Pages: raw.done.Pages, Notes: raw.done.Notes,
	}
	if out.Title == "" {
		base := path.Base(strings.ReplaceAll(name, `\`, "/"))
		out.Title = strings.TrimSuffix(base, path.Ext(base))
	}
	if lang := Language(prose(out.Blocks)); lang != "" {
		out.Language = lang
	}
	return x.attach(ctx, out, raw.parts)
}

// attach reads a mail's attachments after it. One that cannot be read is a note.
func (x *Extractor) attach(ctx context.Context, c Content, parts []attachment) (Content, error) {
	for _, p := range parts {
		got, err := x.file(ctx, p.name, p.mediaType, bytes.NewReader(p.body), true)
		if ctx.Err() != nil {
			return Content{}, ctx.Err()
		}
		if k := core.KindOf(err); k == core.KindDisk || k == core.KindUnavailable {
			return Content{}, err // of this machine, not of the file
		}
		c.Blocks = append(c.Blocks, Block{Kind: KindHeading, Level: 1, Text: p.name})
		if err != nil {
			c.Notes = append(c.Notes, fmt.Sprintf("The attachment %s was not read: %s.", p.name, strings.TrimSuffix(err.Error(), ".")))
			continue
		}
		for _, b := range got.Blocks {
			b.Page, b.Anchor = 0, "" // of another file than the one that opens
			c.Blocks = append(c.Blocks, b)
		}
		c.Notes = append(c.Notes, got.Notes...)
	}
	return c, nil
}

// Bounds of what a child may say beside text.
const (
	maxNotes     = 100
	maxMeta      = 50
	maxShort     = 4 << 10 // bytes of a title, a name, a note
	maxAllBlocks = 1_000_000
)

// collectOffice reads answers until the last. The child is believed nothing: the
// number and size of what it says are bounded.
func collectOffice(out io.Reader, l Limits) (raw rawOffice, err error) {
	total, files := int64(0), int64(0)
	for {
		var a answer
		if err := readJSON(out, &a); err != nil {
			return raw, err
		}
		switch {
		case a.Fault != "":
			return raw, refusal{a}
		case a.Done != nil:
			raw.done, err = checkedDone(*a.Done, l)
			return raw, err
		case a.Part != nil:
			p := attachment{name: clipText(a.Part.Name), mediaType: clipText(a.Part.MediaType)}
			if files += a.Part.Size; a.Part.Size < 0 || files > l.Bytes || len(raw.parts) >= maxAttachments {
				return raw, errProtocol
			}
			if p.body, err = readSized(out, a.Part.Size); err != nil {
				return raw, err
			}
			raw.parts = append(raw.parts, p)
		case len(a.Blocks) == 0:
			return raw, errProtocol
		}
		for _, b := range a.Blocks {
			b.Text, b.Anchor = normalise(b.Text), ""
			total += int64(len(b.Text)) + 16
			if b.Page < 0 || b.Page > l.Pages || b.Level < 0 || b.Level > 6 || !knownKind(b.Kind) {
				return raw, errProtocol
			}
			raw.blocks = append(raw.blocks, b)
		}
		if total > 4*l.Text || len(raw.blocks) > maxAllBlocks {
			return raw, errProtocol
		}
	}
}

func readSized(out io.Reader, n int64) ([]byte, error) {
	var b bytes.Buffer
	for int64(b.Len()) < n {
		body, err := readFrame(out)
		if err != nil {
			return nil, err
		}
		if b.Write(body); len(body) == 0 || int64(b.Len()) > n {
			return nil, errProtocol
		}
	}
	return b.Bytes(), nil
}

func knownKind(k Kind) bool {
	switch k {
	case KindHeading, KindParagraph, KindList, KindTable, KindRows, KindCode, KindImage:
		return true
	}
	return false
}

func checkedDone(d rawDone, l Limits) (rawDone, error) {
	if len(d.Notes) > maxNotes || len(d.Meta) > maxMeta || d.Pages < 0 || d.Pages > l.Pages || len(d.Language) > 2 {
		return d, errProtocol
	}
	d.Title = clipText(d.Title)
	for i, n := range d.Notes {
		d.Notes[i] = clipText(n)
	}
	for k, v := range d.Meta {
		d.Meta[k] = clipText(v)
	}
	return d, nil
}

// clipText bounds a short text of the child and makes it one line.
func clipText(s string) string {
	if len(s) > maxShort {
		s = s[:maxShort]
	}
	return oneLine(normalise(s))
}

// unlike says that a file is not what its name says.
func unlike(name, what string) error {
	return core.Errorf(core.KindInvalid, "%s is not %s: open it to see what it is, and give it the right ending", name, what)
}
