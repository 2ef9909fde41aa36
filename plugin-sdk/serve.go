package sdk

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// Serve is the whole of a connector's main: it answers the host until the host
// says stop or is gone. The name and version are shown to people.
//
// newSource makes the value that is served. The exported fields of its struct
// are the configuration: text, true/false, numbers, time.Duration, Secret, types
// that read text (encoding.TextUnmarshaler), and lists and tables of them. Config
// keys are the field names in snake_case. Struct tags: required:"true", help:"…",
// default:"…", enum:"a,b", and config:"-" for fields that are not configuration.
//
// What the connector prints on standard output goes to standard error, and from
// there into the host's log. Serve exits the process when it cannot start.
func Serve(name, version string, newSource func() Source) {
	stderr := os.Stderr
	level := new(slog.LevelVar)
	log := slog.New(slog.NewJSONHandler(stderr, &slog.HandlerOptions{Level: level}))
	defer func() {
		if p := recover(); p != nil {
			log.Error("the connector failed to start", "error", fmt.Sprint("panic: ", p), "stack", string(debug.Stack()))
			os.Exit(1)
		}
	}()
	if err := serve(name, version, newSource, log, level, stderr); err != nil {
		log.Error("the connector failed to start", "error", err.Error())
		os.Exit(1)
	}
}

func serve(name, version string, newSource func() Source, log *slog.Logger, level *slog.LevelVar, stderr *os.File) error {
	handshake := wire.Handshake()
	if os.Getenv(handshake.MagicCookieKey) != handshake.MagicCookieValue {
		return fmt.Errorf("%s is a connector: Footnote starts it, it does nothing on its own", name)
	}
	if err := speaks(os.Getenv("PLUGIN_PROTOCOL_VERSIONS"), wire.ProtocolVersion); err != nil {
		return err
	}
	stdout, err := moveStdout()
	if err != nil {
		return fmt.Errorf("standard output cannot be moved away: %w", err)
	}
	stop := watchHost(log)
	defer stop()
	srv, err := newServer(name, version, newSource(), log, level)
	if err != nil {
		return err
	}
	// go-plugin puts pipes in place of both streams, whose content is lost when
	// the process dies; from the first call on everything goes to stderr.
	var once sync.Once
	srv.onCall = func() {
		once.Do(func() { os.Stdout, os.Stderr = stderr, stderr })
	}
	os.Stdout = stdout // go-plugin writes the handshake there, and nothing else
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: handshake,
		Plugins:         plugin.PluginSet{wire.PluginName: &servePlugin{srv: srv}},
		Logger:          hclog.NewNullLogger(),
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(opts, srv.options()...)...)
		},
	})
	return nil
}

// speaks compares our version with those that the host offers, as go-plugin
// lists them. The host would compare too, but only this side knows which of the
// two is the older one if the host is from before a version was added.
func speaks(offered string, ours int) error {
	if offered == "" {
		return nil
	}
	newest := 0
	for text := range strings.SplitSeq(offered, ",") {
		version, err := strconv.Atoi(strings.TrimSpace(text))
		if err == nil && version == ours {
			return nil
		}
		newest = max(newest, version)
	}
	advice := "upgrade the connector: rebuild it with a newer plugin-sdk"
	if newest < ours {
		advice = "upgrade Footnote, or install an older release of the connector"
	}
	return fmt.Errorf("%s %d and this Footnote speaks %s: %s", wire.MismatchText, ours, offered, advice)
}

// servePlugin registers the server with go-plugin.
type servePlugin struct {
	plugin.NetRPCUnsupportedPlugin
	srv *server
}

func (p *servePlugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	wire.RegisterConnectorServer(s, p.srv)
	return nil
}

func (p *servePlugin) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, fmt.Errorf("this side serves the %s connector", p.srv.name)
}

func (s *server) options() []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(wire.MaxMessage),
		grpc.MaxSendMsgSize(wire.MaxMessage),
		grpc.WriteBufferSize(wire.Buffer),
		grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (reply any, err error) {
			defer s.recover(info.FullMethod, &err)
			s.onCall()
			return next(ctx, req)
		}),
		grpc.ChainStreamInterceptor(func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
			defer s.recover(info.FullMethod, &err)
			s.onCall()
			return next(srv, stream)
		}),
	}
}

// recover turns a panic of the author's code into an error of the one call.
func (s *server) recover(method string, err *error) {
	if p := recover(); p != nil {
		s.log.Error("the connector panicked", "call", method, "error", fmt.Sprint("panic: ", p), "stack", string(debug.Stack()))
		*err = status.Error(codes.Internal, valid(fmt.Sprintf("the connector panicked: %v", p)))
	}
}
