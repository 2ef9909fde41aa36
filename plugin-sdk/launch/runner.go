package launch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Runner is one operating-system process, in the form go-plugin wants. Unlike
// go-plugin's own it has no standard input of ours, kills the whole process
// group, lets no stray print spoil the handshake, and never waits for ever on a
// pipe that a grandchild holds.
type Runner struct {
	cmd   *exec.Cmd
	stray io.Writer // lines on stdout that are not the handshake
	keep  bool      // what the process started stays when it ends

	mu      sync.Mutex
	started bool
	killed  bool // asked to end before it could start

	stdout   *os.File // our ends; set once started
	stderr   *tellingPipe
	filtered *io.PipeReader
	protocol atomic.Int64 // version in the handshake and one more, 0 before it came
	tcp      atomic.Bool  // the handshake names a port and no socket

	done    chan struct{} // closed when the process has ended
	waitErr error         // valid after done
	copying sync.WaitGroup
}

func newRunner(o Options) *Runner {
	return &Runner{cmd: o.Cmd, stray: o.Stray, keep: o.KeepGroup, done: make(chan struct{})}
}

// Start starts the process.
func (r *Runner) Start(context.Context) error {
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return err
	}
	errRead, errWrite, err := os.Pipe()
	if err != nil {
		return errors.Join(err, outRead.Close(), outWrite.Close())
	}
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = nil, outWrite, errWrite
	err = errors.Join(r.spawn(), outWrite.Close(), errWrite.Close())
	if err != nil {
		return errors.Join(err, outRead.Close(), errRead.Close())
	}
	r.stdout, r.stderr = outRead, &tellingPipe{File: errRead, ended: make(chan struct{})}
	reader, writer := io.Pipe()
	r.filtered = reader
	r.copying.Go(func() { r.filter(writer) })
	r.copying.Go(func() {
		r.waitErr = r.cmd.Wait()
		if !r.keep {
			KillGroup(r.cmd.Process.Pid) // what the connector itself started
		}
		close(r.done)
	})
	return nil
}

// spawn starts the process unless it was killed already.
func (r *Runner) spawn() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.killed {
		return context.Canceled
	}
	OwnGroup(r.cmd)
	if err := r.cmd.Start(); err != nil {
		return err
	}
	r.started = true
	return nil
}

var handshake = regexp.MustCompile(`1\|(\d+)\|(unix|tcp)\|[^|]+(?:\|.*)?$`)

// filter hands the handshake on and sends everything else to stray, also what was
// printed without a line break before it.
func (r *Runner) filter(to *io.PipeWriter) {
	defer to.Close()
	lines := bufio.NewReaderSize(r.stdout, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		text := bytes.TrimRight(line, "\r\n")
		m := handshake.FindSubmatchIndex(text)
		switch {
		case m != nil && r.protocol.Load() == 0:
			version, _ := strconv.ParseInt(string(text[m[2]:m[3]]), 10, 32)
			r.tcp.Store(string(text[m[4]:m[5]]) == "tcp")
			r.protocol.Store(version + 1)
			if m[0] > 0 {
				r.stray.Write(append(bytes.Clone(text[:m[0]]), '\n'))
			}
			if _, err := to.Write(append(bytes.Clone(text[m[0]:]), '\n')); err != nil {
				return
			}
		case len(line) > 0:
			r.stray.Write(line)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// Wait returns when the process has ended.
func (r *Runner) Wait(context.Context) error {
	<-r.done
	return r.waitErr
}

// Kill ends the process and everything it started, and waits until nothing of
// it is left.
func (r *Runner) Kill(context.Context) error {
	r.End()
	if r.stdout == nil {
		return nil // never started
	}
	<-r.done
	// A process that left the group may still hold the pipes open.
	select {
	case <-r.stderr.ended:
	case <-time.After(lastWords):
	}
	err := errors.Join(r.Deafen(), r.filtered.Close())
	r.copying.Wait()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// Deafen closes our ends of the process's output, as the end of a host does.
func (r *Runner) Deafen() error { return errors.Join(r.stdout.Close(), r.stderr.Close()) }

// lastWords is how long to read on after a process has ended: why it ended may
// be the last that it wrote.
const lastWords = time.Second

// tellingPipe closes ended once everything in it was read.
type tellingPipe struct {
	*os.File
	once  sync.Once
	ended chan struct{}
}

// Read implements io.Reader.
func (p *tellingPipe) Read(b []byte) (int, error) {
	n, err := p.File.Read(b)
	if err != nil {
		p.once.Do(func() { close(p.ended) })
	}
	return n, err
}

// End kills the process group and does not wait. It may be called at any time.
func (r *Runner) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.killed = true
	if !r.started {
		return
	}
	select {
	case <-r.done:
		if r.keep {
			KillGroup(r.cmd.Process.Pid)
		}
	default:
		KillGroup(r.cmd.Process.Pid)
	}
}

// Done is closed when the process has ended.
func (r *Runner) Done() <-chan struct{} { return r.done }

// Silent is closed when all that the process wrote on standard error was read. It is
// nil before the start.
func (r *Runner) Silent() <-chan struct{} {
	if r.stderr == nil {
		return nil
	}
	return r.stderr.ended
}

// Protocol is the version in the handshake, false before that came.
func (r *Runner) Protocol() (version int64, came bool) {
	version = r.protocol.Load() - 1
	return version, version >= 0
}

// TCP tells whether the handshake names a port and no socket.
func (r *Runner) TCP() bool { return r.tcp.Load() }

// Stdout is where go-plugin reads the handshake.
func (r *Runner) Stdout() io.ReadCloser { return r.filtered }

// Stderr is the process's standard error.
func (r *Runner) Stderr() io.ReadCloser { return r.stderr }

// Name is the program's path.
func (r *Runner) Name() string { return r.cmd.Path }

// ID is the process id.
func (r *Runner) ID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.started {
		return "not started"
	}
	return strconv.Itoa(r.cmd.Process.Pid)
}

// Diagnose adds nothing: errors are explained by who starts the process.
func (r *Runner) Diagnose(context.Context) string { return "" }

// PluginToHost leaves addresses as they are.
func (r *Runner) PluginToHost(network, addr string) (string, string, error) {
	return network, addr, nil
}

// HostToPlugin leaves addresses as they are.
func (r *Runner) HostToPlugin(network, addr string) (string, string, error) {
	return network, addr, nil
}

// Ended tells how the process ended, "" while it runs.
func (r *Runner) Ended() string {
	select {
	case <-r.done:
	default:
		return ""
	}
	if r.waitErr == nil {
		return "it exited"
	}
	var exit *exec.ExitError
	if errors.As(r.waitErr, &exit) {
		return "it ended with " + exit.ProcessState.String()
	}
	return fmt.Sprintf("it ended: %v", r.waitErr)
}
