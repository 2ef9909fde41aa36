package plugintest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/plugin-sdk/launch"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

const (
	startTimeout = 30 * time.Second // from the start of a process to its handshake
	callTimeout  = 30 * time.Second // Describe, Configure and Check
)

// process is a running connector.
type process struct {
	*launch.Process
	client wire.ConnectorClient
	cmd    *exec.Cmd
	output *output
	probe  *probe
	once   sync.Once
}

// starting is how a process is started.
type starting struct {
	dir   string   // the source's folder
	env   []string // beyond the usual
	watch *os.File // an end of a pipe that only the connector holds open
	apart bool     // in a network of its own, which has nothing in it
	shell bool     // put a process between, which can be killed in the host's place
}

// betweenScript starts the connector as a host does that has this shell's
// process id.
const betweenScript = wire.HostPIDEnv + `=$$ "$@" & wait`

// start starts the subject's program as the host would.
func start(ctx context.Context, s Subject, how starting) (*process, error) {
	if len(s.Command) == 0 {
		return nil, errors.New("no program is named")
	}
	args := s.Command
	if how.shell {
		args = append([]string{"/bin/sh", "-c", betweenScript, "sh"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = how.dir
	if s.Dir != "" {
		cmd.Dir = s.Dir
	}
	if s.goroutines {
		cmd.Env = append(cmd.Env, dataDirEnv+"="+how.dir)
	}
	cmd.Env = append(append(cmd.Env, s.Env...), how.env...)
	if how.apart {
		ownNetwork(cmd)
	}
	p := &process{cmd: cmd, output: &output{}}
	var err error
	if how.watch != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, how.watch)
	} else if s.goroutines {
		if p.probe, err = newProbe(cmd); err != nil {
			return nil, err
		}
	}
	p.Process, err = launch.New(launch.Options{
		Cmd: cmd, Stray: p.output.stray(), Stderr: p.output.errors(), Timeout: startTimeout,
		KeepGroup: how.shell, // the connector stays when the shell ends
	})
	if err != nil {
		p.probe.close()
		return nil, err
	}
	if err := p.Connect(ctx); err != nil {
		p.stop()
		return p, err
	}
	p.client = p.Client()
	return p, nil
}

// gone tells whether the process has ended.
func (p *process) gone() bool {
	select {
	case <-p.Done():
		return true
	default:
		return false
	}
}

// stop asks the process to leave, ends it if it does not, and waits.
func (p *process) stop() {
	p.once.Do(func() {
		_ = p.Stop() // ends what is left; there is nobody to tell
		p.probe.close()
	})
}

// why adds the process's last words to an error.
func (p *process) why(err error) string {
	text := err.Error()
	if p == nil {
		return text
	}
	soon := 300 * time.Millisecond
	if p.Lost() {
		soon = 10 * time.Second
	}
	within := time.After(soon)
	select {
	case <-p.Done():
		select {
		case <-p.Silent():
		case <-within:
		}
	case <-within:
	}
	if p.gone() {
		text += " (the process is gone: " + p.Ended() + ")"
	}
	words := p.output.lastWords()
	if words == "" { // some runtimes, and Go's tests, complain on standard output
		words = clip(strings.TrimSpace(p.output.strayText()), 2000)
	}
	if words != "" {
		text += "; its last words: " + words
	}
	return text
}

// freshDir makes a source's folder inside the suite's own.
func freshDir(in string) (string, error) {
	dir, err := os.MkdirTemp(in, "source-")
	if err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}
