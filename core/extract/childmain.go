package extract

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// RunChild serves one parent over stdin and stdout until stdin ends: this is
// what the hidden command `footnote extract` runs, and all it does. After an
// error the process must end, since work that cannot be interrupted may go on.
func RunChild(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	parent := os.Getppid()
	var h hello
	in := bufio.NewReaderSize(stdin, 64<<10)
	if err := readJSON(in, &h); err != nil {
		return fmt.Errorf("read the first message: %w", err)
	}
	if err := limitProcess(h.Memory); err != nil {
		return fmt.Errorf("limit memory: %w", err)
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go leaveWithParent(watching, parent)
	var e engine = plainPDF{}
	ready := answer{Ready: true}
	if !h.Office {
		var err error
		if e, err = startEngine(ctx, h); err != nil {
			ready.Why = err.Error()
		}
	}
	if err := writeJSON(stdout, ready); err != nil {
		return err
	}
	for {
		var o order
		if err := readJSON(in, &o); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("read an order: %w", err)
		}
		f, n, err := receive(in, o.Bytes)
		if err != nil {
			return err
		}
		err = serve(ctx, e, f, n, o, stdout)
		if err = errors.Join(err, f.close()); err != nil {
			return err
		}
	}
}

// leaveWithParent ends the process when its parent is gone: starting and reading
// cannot be interrupted, and the end of stdin shows only in between.
func leaveWithParent(ctx context.Context, parent int) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if os.Getppid() != parent {
				os.Exit(1)
			}
		}
	}
}

// serve reads one file with a deadline of its own, so that no file keeps the
// child for ever whatever becomes of the parent.
func serve(ctx context.Context, e engine, f spool, n int64, o order, stdout io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(o.Nanos))
	defer cancel()
	done := make(chan answer, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- answer{Fault: faultCrash, Why: fmt.Sprint(r)}
			}
		}()
		send := func(a answer) error { return writeJSON(stdout, a) }
		if o.Kind != "" {
			done <- serveOffice(f.File, n, o, send, func(b []byte) error { return writeFrame(stdout, b) })
			return
		}
		done <- e.read(f.File, n, o, func(p rawPage) error { return send(answer{Page: &p}) })
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case a := <-done:
		if err := writeJSON(stdout, a); err != nil {
			return err
		}
		if a.Fault == faultCrash {
			return errors.New(a.Why)
		}
		return nil
	}
}

// spool is the file's bytes on disk: PDF and zip are read from their end backwards.
type spool struct{ *os.File }

// receive takes a file's bytes off the pipe.
func receive(in io.Reader, limit int64) (s spool, n int64, err error) {
	f, err := os.CreateTemp("", "footnote-*")
	if err != nil {
		return s, 0, diskFault(err)
	}
	// Where an open file can be removed, nothing is left behind by a kill.
	_ = os.Remove(f.Name())
	s = spool{f}
	for {
		body, err := readFrame(in)
		if err == nil && len(body) == 0 {
			return s, n, nil
		}
		if n += int64(len(body)); err == nil && n > limit {
			err = errors.New("the parent sent more than it announced")
		}
		if err == nil {
			if _, err = f.Write(body); err != nil {
				err = diskFault(err)
			}
		}
		if err != nil {
			return s, 0, errors.Join(err, s.close())
		}
	}
}

// diskWords mark an error of the temporary folder, so that the file is not
// blamed for it.
const diskWords = "the temporary folder cannot be written"

func diskFault(err error) error {
	return fmt.Errorf("%s: %w", diskWords, err)
}

func (s spool) close() error {
	err := s.File.Close()
	if rm := os.Remove(s.Name()); rm != nil && !errors.Is(rm, os.ErrNotExist) {
		err = errors.Join(err, rm)
	}
	return err
}
