package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// looksLikePDF allows for the junk that some programs put before the header.
func looksLikePDF(head []byte) bool { return bytes.Contains(head, []byte("%PDF-")) }

// rawPDF is what a child said about a file.
type rawPDF struct {
	pages []rawPage
	done  rawDone
}

func (x *Extractor) pdf(ctx context.Context, name string, head []byte, r io.Reader) (Content, error) {
	if !looksLikePDF(head) {
		return Content{}, core.Errorf(core.KindInvalid, "%s is not a PDF file: open it to see what it is, and give it the right ending", name)
	}
	c, err := x.pool.take(ctx, false)
	if err != nil {
		if ctx.Err() != nil {
			return Content{}, ctx.Err()
		}
		return Content{}, core.Wrap(core.KindUnavailable, err, name+" was not read: the PDF reader could not be started. The log says why")
	}
	if c.plain != "" && c.files == 0 {
		x.log.Warn("PDFium could not be started; PDF files are read by the plain reader", "error", c.plain)
	}
	var raw rawPDF
	fault := x.converse(ctx, c, order{}, r, func() (err error) {
		raw, err = collect(c.out, x.limits)
		return err
	})
	good := fault == nil || errors.As(fault, new(refusal))
	x.pool.give(c, good)
	if fault != nil {
		err := x.explain(ctx, name, c, fault, good)
		x.log.Debug("pdf not read", "kind", core.KindOf(err), "error", fault, "stderr", c.stderr.String())
		return Content{}, err
	}
	return layOut(raw, strings.TrimSuffix(path.Base(strings.ReplaceAll(name, `\`, "/")), ".pdf")), nil
}

// refusal is a child's well-formed answer that it cannot read the file.
type refusal struct{ answer }

func (r refusal) Error() string { return r.Fault + ": " + r.Why }

// readError is a failure of the reader that the caller handed in.
type readError struct{ error }

func (e readError) Unwrap() error { return e.error }

var errBytes = errors.New("over the size limit")

// converse sends the file and collects what the child says. The clock starts when
// the file is handed over; before that only single writes are timed, because the
// file may come from a slow network.
func (x *Extractor) converse(ctx context.Context, c *child, o order, r io.Reader, collect func() error) error {
	l := x.limits
	o.Pages, o.Bytes, o.Text, o.Nanos = l.Pages, l.Bytes, l.Text, int64(l.Time+10*time.Second)
	if err := c.within(ctx, l.Time, func() error { return writeJSON(c.in, o) }); err != nil {
		return err
	}
	if err := x.send(ctx, c, r); err != nil {
		return err
	}
	return c.within(ctx, l.Time, collect)
}

func (x *Extractor) send(ctx context.Context, c *child, r io.Reader) error {
	buf := make([]byte, 256<<10)
	for sent := int64(0); ; {
		n, err := io.ReadFull(r, buf)
		if sent += int64(n); sent > x.limits.Bytes {
			return errBytes
		}
		if n > 0 {
			if err := c.within(ctx, x.limits.Time, func() error { return writeFrame(c.in, buf[:n]) }); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return c.within(ctx, x.limits.Time, func() error { return writeFrame(c.in, nil) })
		case err != nil:
			return readError{err}
		}
	}
}

var errProtocol = errors.New("the child broke the protocol")

// collect reads answers until the last. The child has run a stranger's file and
// is believed nothing: count, order and size of what it says are bounded.
func collect(out io.Reader, l Limits) (rawPDF, error) {
	var raw rawPDF
	total := int64(0)
	for {
		var a answer
		if err := readJSON(out, &a); err != nil {
			return rawPDF{}, err
		}
		switch {
		case a.Fault != "":
			return rawPDF{}, refusal{a}
		case a.Done != nil:
			raw.done = *a.Done
			raw.done.Pages = len(raw.pages)
			return raw, nil
		case a.Page == nil || a.Page.Number != len(raw.pages)+1 || a.Page.Number > l.Pages:
			return rawPDF{}, errProtocol
		}
		for i, line := range a.Page.Lines {
			a.Page.Lines[i].Text = normalise(line.Text)
			total += int64(len(line.Text)) + 64
		}
		if total > 8*l.Text {
			return rawPDF{}, errProtocol
		}
		raw.pages = append(raw.pages, *a.Page)
	}
}

// explain turns a failure into a sentence for the owner of the file.
func (x *Extractor) explain(ctx context.Context, name string, c *child, fault error, answered bool) error {
	l := x.limits
	var re readError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(fault, &re):
		return fmt.Errorf("read %s: %w", name, re.error)
	case errors.Is(fault, errBytes):
		return core.Errorf(core.KindTooLarge, "%s is larger than %s, the most that is read of one file: split it or leave it out", name, size(l.Bytes))
	case errors.Is(fault, errOverTime):
		return core.Errorf(core.KindTimeout, "%s was not read within %s and was given up: split it, or save it anew from the program it comes from", name, l.Time)
	case answered:
		return x.explainRefusal(name, fault)
	case !pipeBroke(fault):
		return core.Wrap(core.KindInvalid, fault, name+" could not be read: what its reader made of it is not plausible. Save it anew from the program it comes from")
	case c.outOfDisk():
		return core.Wrap(core.KindDisk, fault, fmt.Sprintf(
			"%s was not read: the folder for temporary files, %s, is full or cannot be written. Free some space there, or choose another with TMPDIR", name, os.TempDir()))
	case c.outOfMemory():
		return core.Errorf(core.KindTooLarge, "%s needs more than %s of memory to be read: split it or leave it out", name, size(l.Memory))
	case strings.Contains(c.ending(), "killed"):
		return core.Wrap(core.KindUnavailable, fault, name+" was not read: its reader was killed, most likely because the machine ran out of memory. Split the file or try again later")
	}
	return core.Wrap(core.KindInvalid, fmt.Errorf("%w (%s)", fault, c.ending()),
		name+" could not be read: its content breaks the reader. Save it anew from the program it comes from")
}

// pipeBroke tells that the child ended by itself or by someone else's hand.
func pipeBroke(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed)
}

func (x *Extractor) explainRefusal(name string, fault error) error {
	var r refusal
	errors.As(fault, &r)
	l := x.limits
	switch r.Fault {
	case faultPassword:
		return core.Wrap(core.KindInvalid, fault, name+" is protected by a password: save a copy without one")
	case faultPages:
		return core.Wrap(core.KindTooLarge, fault, fmt.Sprintf("%s has %d pages, more than the %d that are read: split it", name, r.Count, l.Pages))
	case faultText:
		return core.Wrap(core.KindTooLarge, fault, fmt.Sprintf("%s holds more than %s of text, the most that is read of one document: split it", name, size(l.Text)))
	case faultBroken:
		return core.Wrap(core.KindInvalid, fault, name+" is damaged and could not be opened: save it anew from the program it comes from")
	case faultExpands:
		return core.Wrap(core.KindTooLarge, fault, fmt.Sprintf(
			"%s unpacks to more than %d MiB, or to more than %d times what it takes up, and was not read: save it anew, or leave it out", name, maxExpanded>>20, maxRatio))
	case faultOld:
		return core.Wrap(core.KindInvalid, fault, name+" is in an Office format that is not read, such as that of before 2007: save it as .docx, .pptx or .xlsx")
	case faultUnknown:
		return core.Wrap(core.KindInvalid, fault, name+" is neither an Office file nor a book, whatever its name says: open it to see what it is, and give it the right ending")
	case faultDeep:
		return core.Wrap(core.KindInvalid, fault, name+" is nested too deeply to be read: save it anew from the program it comes from")
	case faultCrash:
		return core.Wrap(core.KindInvalid, fault, fmt.Sprintf("%s could not be read: it is damaged, or needs more than %s of memory. Save it anew from the program it comes from", name, size(l.Memory)))
	}
	return core.Wrap(core.KindInvalid, fault, name+" is damaged and could not be opened as PDF: save it anew from the program it comes from")
}
