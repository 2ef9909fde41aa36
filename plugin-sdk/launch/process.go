package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	gprunner "github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// stopTimeout is how long a connector may take to leave when asked.
const stopTimeout = 3 * time.Second

// Options says what is started.
type Options struct {
	// Cmd is the program, with what its environment is to hold beyond what every
	// connector gets.
	Cmd *exec.Cmd
	// Stray takes what is printed on standard output and is not the handshake.
	Stray io.Writer
	// Stderr takes standard error.
	Stderr io.Writer
	// Timeout is how long the handshake may take from the start of the process.
	Timeout time.Duration
	// KeepGroup leaves alone what the process started, when it ends by itself.
	KeepGroup bool
}

// Process is a connector's process and the client that talks to it.
type Process struct {
	*Runner
	Sockets string           // 0700 folder of its socket
	Conn    *grpc.ClientConn // set once it is connected

	plugin  *plugin.Client
	once    sync.Once
	stopErr error
}

// New makes what is needed for a process, which is started by Connect. Stop has to
// be called, whatever becomes of it.
func New(o Options) (*Process, error) {
	sockets, err := socketFolder()
	if err != nil {
		return nil, err
	}
	env := append(Environ(os.Environ()), fmt.Sprintf("%s=%d", wire.HostPIDEnv, os.Getpid()))
	o.Cmd.Env = append(env, o.Cmd.Env...)
	p := &Process{Runner: newRunner(o), Sockets: sockets}
	p.plugin = plugin.NewClient(p.config(o))
	return p, nil
}

func (p *Process) config(o Options) *plugin.ClientConfig {
	return &plugin.ClientConfig{
		HandshakeConfig:  wire.Handshake(),
		Plugins:          plugin.PluginSet{wire.PluginName: &dial{p: p}},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         true,
		SkipHostEnv:      true,
		StartTimeout:     o.Timeout,
		Stderr:           o.Stderr,
		SyncStdout:       o.Stderr, // what go-plugin's own server caught of both
		SyncStderr:       o.Stderr,
		Logger:           hclog.NewNullLogger(),
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: p.Sockets},
		GRPCDialOptions:  dialOptions(),
		RunnerFunc: func(_ hclog.Logger, full *exec.Cmd, _ string) (gprunner.Runner, error) {
			o.Cmd.Env = append(o.Cmd.Env, full.Env...)
			return p.Runner, nil
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

// Connect starts the process and waits for its handshake. The end of ctx kills the
// process: go-plugin takes no context.
func (p *Process) Connect(ctx context.Context) error {
	stop := context.AfterFunc(ctx, p.End)
	defer stop()
	if err := ctx.Err(); err != nil {
		return err
	}
	protocol, err := p.plugin.Client()
	if err != nil {
		return err
	}
	if _, err := protocol.Dispense(wire.PluginName); err != nil {
		return err
	}
	return ctx.Err()
}

// Client makes calls over the connection.
func (p *Process) Client() wire.ConnectorClient { return wire.NewConnectorClient(p.Conn) }

// Lost tells whether the connection is gone, so that the process has ended or is about
// to: its socket closes a little before the rest, on a busy machine seconds.
func (p *Process) Lost() bool { return p.Conn != nil && p.Conn.GetState() != connectivity.Ready }

// Stop asks the connector to leave, ends it if it does not, and waits until nothing
// is left of it. It may be called more than once.
func (p *Process) Stop() error {
	p.once.Do(func() {
		// go-plugin asks without a deadline, which a stopped process never answers.
		force := time.AfterFunc(stopTimeout, p.End)
		p.plugin.Kill()
		force.Stop()
		p.stopErr = errors.Join(p.Kill(context.Background()), os.RemoveAll(p.Sockets))
	})
	return p.stopErr
}

// Environ keeps what a connector needs to reach the network and to make temporary
// files. Everything else of the host's environment, such as tokens, stays there.
func Environ(host []string) []string {
	var out []string
	for _, entry := range host {
		name, _, _ := strings.Cut(entry, "=")
		switch strings.ToUpper(name) {
		case "PATH", "TMPDIR", "TZ", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR":
			out = append(out, entry)
		}
	}
	return out
}

// socketFolder makes a folder that only this user can enter. Socket paths are
// limited to about 100 bytes, which a long TMPDIR would use up.
func socketFolder() (string, error) {
	dir, err := os.MkdirTemp("", wire.SocketFolder)
	if err != nil || len(dir) <= 50 {
		return dir, err
	}
	if err := os.Remove(dir); err != nil {
		return "", err
	}
	return os.MkdirTemp("/tmp", wire.SocketFolder)
}

// dial keeps the connection that go-plugin makes.
type dial struct {
	plugin.NetRPCUnsupportedPlugin
	p *Process
}

// GRPCServer fails: this side only calls.
func (*dial) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("the host serves no connector")
}

// GRPCClient wraps the connection.
func (d *dial) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	d.p.Conn = conn
	return conn, nil
}
