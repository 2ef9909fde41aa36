package plugintest

import (
	"context"
	"errors"
	"fmt"
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

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

const (
	startTimeout = 30 * time.Second // from the start of a process to its handshake
	callTimeout  = 30 * time.Second // Describe, Configure and Check
	stopTimeout  = 3 * time.Second  // from asking a process to leave to its end
)

// process is a running connector and the client that talks to it.
type process struct {
	plugin  *plugin.Client
	runner  *runner
	conn    *grpc.ClientConn
	client  wire.ConnectorClient
	probe   *probe
	sockets string
	once    sync.Once
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

// start starts the subject's program with what the host starts it with.
func start(ctx context.Context, s Subject, how starting) (*process, error) {
	if len(s.Command) == 0 {
		return nil, errors.New("no program is named")
	}
	sockets, err := socketFolder()
	if err != nil {
		return nil, err
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
	cmd.Env = append(allowedEnv(os.Environ()), fmt.Sprintf("%s=%d", wire.HostPIDEnv, os.Getpid()))
	if s.goroutines {
		cmd.Env = append(cmd.Env, dataDirEnv+"="+how.dir)
	}
	cmd.Env = append(append(cmd.Env, s.Env...), how.env...)
	p := &process{runner: newRunner(cmd), sockets: sockets}
	p.runner.orphan = how.shell
	if how.watch != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, how.watch)
	} else if s.goroutines {
		if p.probe, err = newProbe(cmd); err != nil {
			return nil, errors.Join(err, os.RemoveAll(sockets))
		}
	}
	p.runner.apart = how.apart
	p.plugin = plugin.NewClient(p.config())
	if err := p.connect(ctx); err != nil {
		p.stop()
		return p, err
	}
	return p, nil
}

// config is the host's own.
func (p *process) config() *plugin.ClientConfig {
	return &plugin.ClientConfig{
		HandshakeConfig:  wire.Handshake(),
		Plugins:          plugin.PluginSet{wire.PluginName: &dial{p: p}},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         true,
		SkipHostEnv:      true,
		StartTimeout:     startTimeout,
		SyncStdout:       p.runner, // what go-plugin's own server caught of both
		SyncStderr:       p.runner,
		Logger:           hclog.NewNullLogger(),
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: p.sockets},
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(wire.MaxMessage), grpc.MaxCallSendMsgSize(wire.MaxMessage)),
			grpc.WithInitialWindowSize(wire.Window), grpc.WithInitialConnWindowSize(2 * wire.Window),
			grpc.WithReadBufferSize(wire.Buffer),
		},
		RunnerFunc: func(_ hclog.Logger, full *exec.Cmd, _ string) (gprunner.Runner, error) {
			p.runner.cmd.Env = append(p.runner.cmd.Env, full.Env...)
			return p.runner, nil
		},
	}
}

func (p *process) connect(ctx context.Context) error {
	stop := context.AfterFunc(ctx, p.runner.kill) // go-plugin takes no context
	defer stop()
	protocol, err := p.plugin.Client()
	if err != nil {
		return err
	}
	if _, err = protocol.Dispense(wire.PluginName); err != nil {
		return err
	}
	return ctx.Err()
}

// gone tells whether the process has ended.
func (p *process) gone() bool {
	select {
	case <-p.runner.done:
		return true
	default:
		return false
	}
}

// stop asks the process to leave, ends it if it does not, and waits.
func (p *process) stop() {
	p.once.Do(func() {
		force := time.AfterFunc(stopTimeout, p.runner.kill)
		p.plugin.Kill()
		force.Stop()
		_ = p.runner.Kill(context.Background()) // ends what is left; there is nobody to tell
		p.probe.close()
		_ = os.RemoveAll(p.sockets)
	})
}

// why adds the process's last words to an error.
func (p *process) why(err error) string {
	text := err.Error()
	if p == nil {
		return text
	}
	within := time.After(300 * time.Millisecond) // the socket closes a little before the rest
	select {
	case <-p.runner.done:
		select {
		case <-p.runner.silent:
		case <-within:
		}
	case <-within:
	}
	if p.gone() {
		text += " (the process ended: " + p.runner.cmd.ProcessState.String() + ")"
	}
	words := p.runner.lastWords()
	if words == "" { // some runtimes, and Go's tests, complain on standard output
		words = clip(strings.TrimSpace(p.runner.strayText()), 2000)
	}
	if words != "" {
		text += "; its last words: " + words
	}
	return text
}

// socketFolder makes a folder that only this user can enter, with a path short
// enough for a socket.
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

// dial keeps the connection that go-plugin made.
type dial struct {
	plugin.NetRPCUnsupportedPlugin
	p *process
}

// GRPCServer fails: this side only calls.
func (*dial) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("the host serves no connector")
}

// GRPCClient wraps the connection.
func (d *dial) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	d.p.conn, d.p.client = conn, wire.NewConnectorClient(conn)
	return d.p.client, nil
}

// freshDir makes a source's folder inside the suite's own.
func freshDir(in string) (string, error) {
	dir, err := os.MkdirTemp(in, "source-")
	if err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}
