package plugintest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
)

// runner is one process in the form go-plugin wants. As the host's own, it gives
// no standard input, leads a process group, and takes the handshake out of
// whatever else is printed on standard output, which it keeps.
type runner struct {
	cmd    *exec.Cmd
	apart  bool // in a network of its own
	orphan bool // what is left of the group stays when the leader ends

	started atomic.Bool
	mu      sync.Mutex
	stray   []byte // what else was printed on standard output
	errTail []byte

	stdout, stderr *os.File
	errors         *io.PipeReader
	filtered       *io.PipeReader
	protocol       atomic.Int64 // version in the handshake, 0 before it came
	tcp            atomic.Bool  // the handshake names a port and no socket

	silent  chan struct{} // closed when standard error has ended
	done    chan struct{} // closed when the process has ended
	waitErr error         // valid after done
	copying sync.WaitGroup
}

// keep is how much of a process's output is kept, in bytes.
const keep = 16 << 10

func newRunner(cmd *exec.Cmd) *runner {
	return &runner{cmd: cmd, done: make(chan struct{}), silent: make(chan struct{})}
}

// Start starts the process.
func (r *runner) Start(context.Context) error {
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return err
	}
	errRead, errWrite, err := os.Pipe()
	if err != nil {
		return errors.Join(err, outRead.Close(), outWrite.Close())
	}
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = nil, outWrite, errWrite
	ownGroup(r.cmd)
	if r.apart {
		ownNetwork(r.cmd)
	}
	if err := errors.Join(r.cmd.Start(), outWrite.Close(), errWrite.Close()); err != nil {
		return errors.Join(err, outRead.Close(), errRead.Close())
	}
	r.stdout, r.stderr = outRead, errRead
	r.started.Store(true)
	var out, errs *io.PipeWriter
	r.filtered, out = io.Pipe()
	r.errors, errs = io.Pipe()
	r.copying.Go(func() { r.filter(out) })
	r.copying.Go(func() {
		defer errs.Close()
		defer close(r.silent)
		r.keepErrors()
	})
	r.copying.Go(func() {
		r.waitErr = r.cmd.Wait()
		if !r.orphan {
			killGroup(r.cmd.Process.Pid)
		}
		close(r.done)
	})
	return nil
}

var handshake = regexp.MustCompile(`^\d+\|(\d+)\|(unix|tcp)\|`)

func (r *runner) filter(to *io.PipeWriter) {
	defer to.Close()
	lines := bufio.NewReaderSize(r.stdout, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		m := handshake.FindSubmatch(line)
		switch {
		case m != nil && r.protocol.Load() == 0:
			r.tcp.Store(string(m[2]) == "tcp")
			version, _ := strconv.ParseInt(string(m[1]), 10, 32)
			r.protocol.Store(version)
			if _, err := to.Write(append(bytes.TrimRight(line, "\n"), '\n')); err != nil {
				return
			}
		case len(line) > 0:
			r.add(&r.stray, line)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// keepErrors reads standard error for as long as somebody writes it.
func (r *runner) keepErrors() {
	buffer := make([]byte, 4<<10)
	for {
		n, err := r.stderr.Read(buffer)
		r.add(&r.errTail, buffer[:n])
		if err != nil {
			return
		}
	}
}

// Write keeps what came by another way than standard error.
func (r *runner) Write(p []byte) (int, error) {
	r.add(&r.errTail, p)
	return len(p), nil
}

func (r *runner) add(to *[]byte, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*to = append(*to, data...)
	if over := len(*to) - keep; over > 0 {
		*to = append([]byte(nil), (*to)[over:]...)
	}
}

func (r *runner) strayText() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.stray)
}

// printed is the end of both outputs.
func (r *runner) printed() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.stray) + "\n" + string(r.errTail)
}

// lastWords is the end of standard error.
func (r *runner) lastWords() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return clip(string(bytes.TrimSpace(r.errTail)), 2000)
}

// Wait returns when the process has ended.
func (r *runner) Wait(context.Context) error {
	<-r.done
	return r.waitErr
}

// kill ends the process group and does not wait.
func (r *runner) kill() {
	if r.started.Load() {
		killGroup(r.cmd.Process.Pid)
	}
}

// Kill ends the process and everything it started, and waits for it.
func (r *runner) Kill(context.Context) error {
	if !r.started.Load() {
		return nil
	}
	r.kill()
	<-r.done
	err := errors.Join(r.deafen(), r.filtered.Close(), r.errors.Close())
	r.copying.Wait()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// deafen closes our ends of the process's output, as the end of a host does.
func (r *runner) deafen() error { return errors.Join(r.stdout.Close(), r.stderr.Close()) }

// Stdout is where go-plugin reads the handshake.
func (r *runner) Stdout() io.ReadCloser { return r.filtered }

// Stderr brings nothing: standard error is read here.
func (r *runner) Stderr() io.ReadCloser { return r.errors }

// Name is the program's path.
func (r *runner) Name() string { return r.cmd.Path }

// ID is the process id.
func (r *runner) ID() string {
	if !r.started.Load() {
		return "not started"
	}
	return strconv.Itoa(r.cmd.Process.Pid)
}

// Diagnose adds nothing: errors are explained by start.
func (r *runner) Diagnose(context.Context) string { return "" }

// PluginToHost leaves addresses as they are.
func (r *runner) PluginToHost(network, addr string) (string, string, error) {
	return network, addr, nil
}

// HostToPlugin leaves addresses as they are.
func (r *runner) HostToPlugin(network, addr string) (string, string, error) {
	return network, addr, nil
}
