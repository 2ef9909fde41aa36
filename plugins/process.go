package plugins

import (
	"context"
	"log/slog"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/launch"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// process is a running connector.
type process struct {
	*launch.Process
	connector string
	client    wire.ConnectorClient
	stderr    *stderr
	once      sync.Once
	beside    sync.WaitGroup  // goroutines that end with the process
	life      context.Context // of these
	endLife   func()
}

// launch starts the connector's process and waits for its handshake. When ctx
// ends first, the process is killed.
func (h *Host) launch(ctx context.Context, connector, dir string, log *slog.Logger) (*process, error) {
	exe, args, err := h.program(connector)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir = dir
	p := &process{connector: connector, stderr: &stderr{log: log}}
	p.Process, err = launch.New(launch.Options{Cmd: cmd, Stray: &stray{to: p.stderr}, Stderr: p.stderr, Timeout: h.opts.StartTimeout})
	if err != nil {
		return nil, core.Errorf(core.KindDisk, "no folder for the socket of connector %q: %w", connector, err)
	}
	h.sweep.Do(func() { sweepSockets(filepath.Dir(p.Sockets), time.Now()) })
	p.life, p.endLife = context.WithCancel(context.WithoutCancel(ctx))
	if err := p.Connect(ctx); err != nil {
		p.stop()
		return nil, h.startError(ctx, p, err)
	}
	p.client = p.Client()
	return p, nil
}

// stop asks the connector to leave, ends it if it does not, and waits until
// nothing is left of it. It may be called more than once.
func (p *process) stop() {
	p.once.Do(func() {
		p.endLife()
		if err := p.Stop(); err != nil {
			p.stderr.log.Warn("a connector left something behind", "error", err)
		}
		p.beside.Wait()
	})
}
