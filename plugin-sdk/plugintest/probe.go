package plugintest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// probe asks a connector that Run started about itself, over two pipes that the
// process inherits as files 3 and 4. Each byte is a question; the answer is the
// number of goroutines, told after memory was given back to the system.
type probe struct {
	ask    *os.File
	answer *os.File
	lines  *bufio.Reader
	theirs []*os.File
}

const (
	probeEnv     = "FOOTNOTE_PLUGINTEST_PROBE"
	probeTimeout = 30 * time.Second
)

func newProbe(cmd *exec.Cmd) (*probe, error) {
	questions, ask, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	answer, answers, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, questions.Close(), ask.Close())
	}
	cmd.ExtraFiles = []*os.File{questions, answers}
	cmd.Env = append(cmd.Env, probeEnv+"=1")
	return &probe{ask: ask, answer: answer, lines: bufio.NewReader(answer), theirs: cmd.ExtraFiles}, nil
}

// goroutines asks; -1 where there is no answer.
func (p *probe) goroutines() int {
	if p == nil {
		return -1
	}
	if err := p.answer.SetReadDeadline(time.Now().Add(probeTimeout)); err != nil {
		return -1
	}
	if _, err := p.ask.Write([]byte{'?'}); err != nil {
		return -1
	}
	line, err := p.lines.ReadString('\n')
	if err != nil {
		return -1
	}
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return -1
	}
	return n
}

func (p *probe) close() {
	if p == nil {
		return
	}
	for _, f := range append([]*os.File{p.ask, p.answer}, p.theirs...) {
		_ = f.Close() // a pipe of ours that nobody reads any more
	}
}

// answerProbe is the other side. It ends with the questions.
func answerProbe() {
	if os.Getenv(probeEnv) == "" {
		return
	}
	questions, answers := os.NewFile(3, "questions"), os.NewFile(4, "answers")
	buffer := make([]byte, 1)
	for {
		if _, err := io.ReadFull(questions, buffer); err != nil {
			return
		}
		debug.FreeOSMemory()
		if _, err := fmt.Fprintln(answers, runtime.NumGoroutine()); err != nil {
			return
		}
	}
}
