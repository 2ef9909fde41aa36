package extract

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Limits bound the work on one file. Zero fields take the defaults.
type Limits struct {
	Pages  int           // of a PDF or of slides; default 2,000
	Time   time.Duration // for a file once it is handed to a child; default 2 minutes
	Memory int64         // bytes a file may need while a child reads it; default 512 MiB, at least 64 MiB
	Bytes  int64         // of a file that a child reads; default 64 MiB
	Text   int64         // bytes of text in one document; default 16 MiB
}

func (l Limits) withDefaults() Limits {
	if l.Pages <= 0 {
		l.Pages = 2000
	}
	if l.Time <= 0 {
		l.Time = 2 * time.Minute
	}
	if l.Memory <= 0 {
		l.Memory = 512 << 20
	}
	l.Memory = max(l.Memory, 64<<20)
	if l.Bytes <= 0 {
		l.Bytes = 64 << 20
	}
	if l.Text <= 0 {
		l.Text = 16 << 20
	}
	return l
}

// Options set up an Extractor.
type Options struct {
	Executable string // the footnote binary; the child is `<Executable> extract`
	Limits     Limits
	CacheDir   string    // keeps compiled PDF code between starts; "" compiles every time
	Describer  Describer // tells what pictures show; nil has them found by name
	Log        *slog.Logger
}

// Extractor reads files. Its methods may be called from several goroutines.
// Close it to end child processes that wait for more work.
type Extractor struct {
	limits Limits
	log    *slog.Logger
	pool   *childPool

	describer Describer
}

// New makes an Extractor. It starts nothing: the first PDF does.
func New(o Options) *Extractor {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	limits := o.Limits.withDefaults()
	return &Extractor{limits: limits, log: o.Log, pool: newChildPool(o, limits), describer: o.Describer}
}

// Close ends idle child processes and waits for them. Files that are being read
// are finished first unless their contexts are cancelled.
func (x *Extractor) Close() error { return x.pool.close() }

// Text reads a body that is already text. The media type decides how; where it
// says little, the ending of name does. Errors are of kind invalid, too_large
// or cancelled and name the file.
func (x *Extractor) Text(ctx context.Context, name, mediaType, body string) (Content, error) {
	f := formatOf(name, mediaType)
	if f.parse == nil {
		return Content{}, unreadable(name, mediaType)
	}
	if int64(len(body)) > x.limits.Text {
		return Content{}, x.tooMuchText(name)
	}
	return parseText(ctx, f, name, body)
}

// File reads a file by its type: PDF, Office files, books and mails in a child
// process, text formats in this one after finding out their character set. At most the limit plus one byte is
// read from r. Errors are of kind invalid, too_large, timeout or cancelled; of
// kind unavailable or disk where this machine is the reason. They name
// the file.
func (x *Extractor) File(ctx context.Context, name, mediaType string, r io.Reader) (Content, error) {
	return x.file(ctx, name, mediaType, r, false)
}

// file is File; inside tells that it is an attachment of a mail, whose own
// attachments are not read.
func (x *Extractor) file(ctx context.Context, name, mediaType string, r io.Reader, inside bool) (Content, error) {
	head, r, err := peek(r)
	if err != nil {
		return Content{}, fmt.Errorf("read %s: %w", name, err)
	}
	f := formatOf(name, mediaType)
	switch pdf := bytes.HasPrefix(head, []byte("%PDF-")); {
	case f.office != "" && !pdf:
		return x.office(ctx, name, f.office, r, inside)
	case f.image && !pdf:
		return x.image(ctx, name, head, r)
	}
	if f.pdf || (f.parse == nil || f.guess) && looksLikePDF(head) {
		return x.pdf(ctx, name, head, r)
	}
	if f.parse == nil {
		return Content{}, unreadable(name, mediaType)
	}
	raw, err := io.ReadAll(io.LimitReader(r, x.limits.Text+1))
	if err != nil {
		return Content{}, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(raw)) > x.limits.Text {
		return Content{}, x.tooMuchText(name)
	}
	body, err := decode(name, mediaType, raw)
	if err != nil {
		return Content{}, err
	}
	return parseText(ctx, f, name, body)
}

func (x *Extractor) tooMuchText(name string) error {
	return core.Errorf(core.KindTooLarge,
		"%s holds more than %s of text, the most that is read of one document: split it or leave it out", name, size(x.limits.Text))
}

func unreadable(name, mediaType string) error {
	what := "files of an unknown type"
	if mediaType != "" {
		what = "files of type " + mediaType
	}
	return core.Errorf(core.KindInvalid,
		"%s cannot be read: %s are not understood. Save it as PDF, HTML, Markdown or plain text", name, what)
}

// parseText keeps a parser's panic from going further than its own file.
func parseText(ctx context.Context, f format, name, body string) (c Content, err error) {
	defer func() {
		if r := recover(); r != nil {
			c, err = Content{}, core.Wrap(core.KindInvalid, fmt.Errorf("parser panic: %v", r),
				name+" could not be read: its content breaks the reader. Check the file, or save it in another format")
		}
	}()
	if err := ctx.Err(); err != nil {
		return Content{}, err
	}
	c, err = f.parse(ctx, name, normalise(body))
	if err != nil {
		return Content{}, err
	}
	if c.Language == "" {
		c.Language = Language(prose(c.Blocks))
	}
	return c, ctx.Err()
}

// normalise gives parsers valid UTF-8 with plain line ends and no NUL bytes.
func normalise(s string) string {
	s = strings.TrimPrefix(strings.ToValidUTF8(s, "\uFFFD"), "\uFEFF")
	if strings.ContainsRune(s, '\r') {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	return strings.ReplaceAll(s, "\x00", "")
}

// prose is a sample of what people wrote, without code and data.
func prose(blocks []Block) string {
	const enough = 16 << 10
	var b strings.Builder
	for _, bl := range blocks {
		if bl.Kind == KindCode || bl.Kind == KindImage || bl.Kind == KindRows {
			continue
		}
		text := bl.Text
		if len(text) > enough {
			text = strings.ToValidUTF8(text[:enough], "")
		}
		b.WriteString(text)
		b.WriteByte('\n')
		if b.Len() > enough {
			break
		}
	}
	return b.String()
}

func size(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
