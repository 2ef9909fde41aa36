package plugins

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	gprunner "github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// stopTimeout is how long a connector may take to leave when asked.
const stopTimeout = 3 * time.Second

// process is a running connector and the client that talks to it.
type process struct {
	connector string
	plugin    *plugin.Client
	runner    *runner
	stderr    *stderr
	sockets   string // 0700 folder of its socket
	client    wire.ConnectorClient
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
	sockets, err := socketFolder()
	if err != nil {
		return nil, core.Errorf(core.KindDisk, "no folder for the socket of connector %q: %w", connector, err)
	}
	h.sweep.Do(func() { sweepSockets(filepath.Dir(sockets), time.Now()) })
	cmd := exec.Command(exe, args...)
	cmd.Dir = dir
	cmd.Env = append(allowedEnv(os.Environ()), fmt.Sprintf("%s=%d", wire.HostPIDEnv, os.Getpid()))
	p := &process{connector: connector, stderr: &stderr{log: log}, sockets: sockets}
	p.life, p.endLife = context.WithCancel(context.WithoutCancel(ctx))
	p.plugin = plugin.NewClient(h.clientConfig(p, cmd))
	if err := p.connect(ctx); err != nil {
		p.stop()
		return nil, h.startError(ctx, p, err)
	}
	return p, nil
}

func (h *Host) clientConfig(p *process, cmd *exec.Cmd) *plugin.ClientConfig {
	p.runner = newRunner(cmd, &stray{to: p.stderr})
	return &plugin.ClientConfig{
		HandshakeConfig:  wire.Handshake(),
		Plugins:          plugin.PluginSet{wire.PluginName: &dialPlugin{}},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         true,
		SkipHostEnv:      true,
		StartTimeout:     h.opts.StartTimeout,
		Stderr:           p.stderr,
		SyncStdout:       p.stderr,
		SyncStderr:       p.stderr,
		Logger:           hclog.NewNullLogger(),
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: p.sockets},
		GRPCDialOptions:  dialOptions(),
		RunnerFunc: func(_ hclog.Logger, full *exec.Cmd, _ string) (gprunner.Runner, error) {
			cmd.Env = append(cmd.Env, full.Env...)
			return p.runner, nil
		},
	}
}

// dialOptions keep what one connector can make the host hold small. A window of
// fixed size also bounds what the connector holds while the host is busy; gRPC's
// own grows to 16 MiB.
func dialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(wire.MaxMessage), grpc.MaxCallSendMsgSize(wire.MaxMessage)),
		grpc.WithInitialWindowSize(wire.Window), grpc.WithInitialConnWindowSize(2 * wire.Window),
		grpc.WithReadBufferSize(wire.Buffer),
	}
}

// connect is cancelled by killing the process: go-plugin takes no context.
func (p *process) connect(ctx context.Context) error {
	stop := context.AfterFunc(ctx, p.runner.kill)
	defer stop()
	if err := ctx.Err(); err != nil {
		return err
	}
	protocol, err := p.plugin.Client()
	if err != nil {
		return err
	}
	raw, err := protocol.Dispense(wire.PluginName)
	if err != nil {
		return err
	}
	client, ok := raw.(wire.ConnectorClient)
	if !ok {
		return fmt.Errorf("dispensed a %T", raw)
	}
	p.client = client
	return nil
}

// stop asks the connector to leave, ends it if it does not, and waits until
// nothing is left of it. It may be called more than once.
func (p *process) stop() {
	p.once.Do(func() {
		p.endLife()
		// go-plugin asks without a deadline, which a stopped process never answers.
		force := time.AfterFunc(stopTimeout, p.runner.kill)
		p.plugin.Kill()
		force.Stop()
		err := errors.Join(p.runner.Kill(context.Background()), os.RemoveAll(p.sockets))
		if err != nil {
			p.stderr.log.Warn("a connector left something behind", "error", err)
		}
		p.beside.Wait()
	})
}

// allowedEnv keeps what a connector needs to reach the network and to make
// temporary files. Everything else of the host's environment, such as tokens,
// stays here.
func allowedEnv(environ []string) []string {
	var out []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		switch strings.ToUpper(name) {
		case "PATH", "TMPDIR", "TZ", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR":
			out = append(out, entry)
		}
	}
	return out
}

// dialPlugin makes the client that go-plugin dispenses.
type dialPlugin struct{ plugin.NetRPCUnsupportedPlugin }

// GRPCServer fails: this side only calls.
func (dialPlugin) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("the host serves no connector")
}

// GRPCClient wraps the connection.
func (dialPlugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return wire.NewConnectorClient(conn), nil
}
