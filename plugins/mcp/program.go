package mcp

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage is how large one message of a server may be, in bytes.
const maxMessage = 16 << 20

// program is a server that runs as a child.
type program struct {
	cmd  *exec.Cmd
	in   *os.File // its standard input
	out  *os.File // its standard output
	errs *tail
	done chan struct{} // closed when it has ended
	once sync.Once

	patience time.Duration
	most     int // bytes of one message
}

func startProgram(path string, args, env []string, dir string) (*program, error) {
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.Dir = env, dir
	cmd.WaitDelay = time.Second // where a grandchild keeps standard error open
	ownGroup(cmd)
	inRead, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, outWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, inRead.Close(), in.Close())
	}
	p := &program{cmd: cmd, in: in, out: out, errs: &tail{}, done: make(chan struct{}), patience: patience, most: maxMessage}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inRead, outWrite, p.errs
	err = cmd.Start()
	_ = inRead.Close() // the child has its own
	_ = outWrite.Close()
	if err != nil {
		_, _ = in.Close(), out.Close()
		return nil, fmt.Errorf("the program does not start: %w", err)
	}
	go func() { // ends with the program, which close ends and waits for
		defer close(p.done)
		_ = cmd.Wait() // how it ended is of no use: it was told to, or the session breaks
	}()
	return p, nil
}

func (p *program) transport() mcp.Transport {
	return &mcp.IOTransport{Reader: p.out, Writer: p.in, MaxLineLength: p.most}
}

// patience is how long a server may take to end by itself.
const patience = 2 * time.Second

// close ends the program and all that it started.
func (p *program) close() {
	p.once.Do(func() {
		// What the protocol calls for; a program that still writes notices, too. Both
		// may be closed already.
		_ = p.in.Close()
		_ = p.out.Close()
		timer := time.NewTimer(p.patience)
		defer timer.Stop()
		select {
		case <-p.done:
		case <-timer.C:
		}
		killGroup(p.cmd.Process.Pid)
		<-p.done
	})
}

func (p *program) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// told is what the program printed last, for whoever has to find out why.
func (p *program) told() string { return p.errs.text() }

// tail keeps the end of what is written.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const maxTail = 2 << 10 // bytes

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - maxTail; over > 0 {
		t.kept = append([]byte(nil), t.kept[over:]...)
	}
	return len(b), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "\uFFFD"))
}

var _ io.Writer = (*tail)(nil)
