package extract

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// startTime bounds how long a child may take to get ready: compiling PDFium
// takes seconds of processor time, more on a busy machine.
const startTime = 3 * time.Minute

// child is a running `footnote extract`. One goroutine uses it at a time.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	pipe   *os.File // behind out
	stderr *firstWords
	done   chan struct{} // closed when the process is gone and reaped
	files  int
	plain  string // why PDFium could not be started; "" if it was
	office bool   // it cannot read PDF
}

func startChild(ctx context.Context, executable string, h hello) (*child, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c := &child{pipe: r, out: bufio.NewReaderSize(r, 64<<10), stderr: &firstWords{}, done: make(chan struct{}), office: h.Office}
	c.cmd = exec.Command(executable, "extract")
	c.cmd.Env = childEnvironment()
	c.cmd.Stdout, c.cmd.Stderr, c.cmd.SysProcAttr = w, c.stderr, ownGroup()
	c.cmd.WaitDelay = 5 * time.Second
	if c.in, err = c.cmd.StdinPipe(); err == nil {
		err = c.cmd.Start()
	}
	_ = w.Close()
	if err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("start %s extract: %w", executable, err)
	}
	go func() {
		_ = c.cmd.Wait() // how it ended is read from ProcessState
		close(c.done)
	}()
	err = c.within(ctx, startTime, func() error {
		if err := writeJSON(c.in, h); err != nil {
			return err
		}
		var a answer
		if err := readJSON(c.out, &a); err != nil {
			return err
		}
		if !a.Ready {
			return errors.New("the child did not say that it is ready")
		}
		c.plain = a.Why
		return nil
	})
	if err != nil {
		c.stop()
		return nil, fmt.Errorf("start %s extract: %w (%s)", executable, err, c.ending())
	}
	return c, nil
}

// childEnvironment passes on where temporary files go and nothing else: the
// parent's environment holds secrets.
func childEnvironment() []string {
	env := []string{"TMPDIR=" + os.TempDir()}
	if runtime.GOOS == "windows" {
		for _, key := range []string{"SystemRoot", "TEMP", "TMP"} {
			env = append(env, key+"="+os.Getenv(key))
		}
	}
	return env
}

var errOverTime = errors.New("over the time limit")

// within runs f and kills the child when the context ends or the time is over,
// which makes every read and write in f fail at once.
func (c *child) within(ctx context.Context, limit time.Duration, f func() error) error {
	timed, cancel := context.WithTimeoutCause(ctx, limit, errOverTime)
	defer cancel()
	stop := context.AfterFunc(timed, c.kill)
	err := f()
	if !stop() && err == nil {
		err = context.Cause(timed)
	}
	if err != nil && timed.Err() != nil {
		return context.Cause(timed)
	}
	return err
}

func (c *child) kill() { _ = c.cmd.Process.Kill() }

// stop ends the child and waits until nothing of it is left.
func (c *child) stop() {
	c.kill()
	<-c.done
	_ = c.in.Close()
	_ = c.pipe.Close()
}

func (c *child) alive() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// ending says how the process ended, for the log and to tell why. It may be
// called after stop only.
func (c *child) ending() string { return c.cmd.ProcessState.String() }

// outOfMemory recognises the Go runtime's last words under a memory limit.
func (c *child) outOfMemory() bool {
	text := c.stderr.String()
	return strings.Contains(text, "out of memory") || strings.Contains(text, "cannot allocate memory")
}

// outOfDisk tells that the child had no room for the file.
func (c *child) outOfDisk() bool { return strings.Contains(c.stderr.String(), diskWords) }

// firstWords keeps the beginning of what is written to it: the first lines of a crash
// say why, the rest where.
type firstWords struct {
	mu  sync.Mutex
	buf []byte
}

func (t *firstWords) Write(p []byte) (int, error) {
	const most = 4 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := most - len(t.buf); room > 0 {
		t.buf = append(t.buf, p[:min(len(p), room)]...)
	}
	return len(p), nil
}

func (t *firstWords) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
