package plugins_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
	"github.com/footnote-bot/footnote/plugins/files"
)

func serveConnector(name string) {
	switch name {
	case "good":
		sdk.Serve(name, "1.2.3", func() sdk.Source { return &good{} })
	case "talks":
		sdk.Serve(name, "1", func() sdk.Source { return &talks{} })
	case "files":
		sdk.Serve(name, "1.2.3", files.New)
	case "chatty":
		fmt.Println("printed before Serve")
		sdk.Serve(name, "1", func() sdk.Source {
			fmt.Println("printed by the constructor")
			return &chatty{}
		})
	case "panics-before-serve":
		panic("no luck before Serve")
	case "panics-at-start":
		sdk.Serve(name, "1", func() sdk.Source { panic("no luck at start") })
	case "exits":
		fmt.Fprintln(os.Stderr, "cannot find libnothing.so")
		os.Exit(3)
	case "silent":
		time.Sleep(time.Hour)
	case "newer":
		serveRaw(wire.ProtocolVersion+1, &wire.UnimplementedConnectorServer{})
	case "older":
		serveRaw(wire.ProtocolVersion-1, &wire.UnimplementedConnectorServer{})
	case "newer-sdk": // as a host of the release before sees it
		os.Setenv("PLUGIN_PROTOCOL_VERSIONS", "7")
		sdk.Serve(name, "1", func() sdk.Source { return &chatty{} })
	case "half-line":
		fmt.Print("loading plugins 1")
		serveRaw(wire.ProtocolVersion, &raw{})
	case "prints-only":
		fmt.Println("please log in first")
		time.Sleep(time.Hour)
	case "live":
		sdk.Serve(name, "1", func() sdk.Source { return &live{} })
	case "bad":
		sdk.Serve(name, "1", func() sdk.Source { return &bad{} })
	case "liar":
		serveRaw(wire.ProtocolVersion, &liar{})
	case "raw":
		serveRaw(wire.ProtocolVersion, &raw{})
	default:
		fmt.Fprintf(os.Stderr, "there is no connector %q\n", name)
		os.Exit(3)
	}
}

// talks goes on writing to standard error when nobody reads it any more.
type talks struct{}

func (*talks) Sync(_ context.Context, _ sdk.Cursor, out *sdk.Out) error {
	err := out.Document(sdk.Document{ID: "pid", Body: strconv.Itoa(os.Getpid()), Access: sdk.Workspace})
	for range 1000 {
		fmt.Fprintln(os.Stderr, "still here")
		time.Sleep(5 * time.Millisecond)
	}
	return err
}

// good has every optional part; its fields steer it.
type good struct {
	Mode  string        `enum:"plain,slow,deaf,panic,goroutine-panic,endless,auth,busy,env,quiet" default:"plain" help:"what to do"`
	Count int           `default:"3"`
	Token sdk.Secret    `help:"a secret"`
	Wait  time.Duration `default:"0s"`
	env   *sdk.Env
}

func (g *good) Start(_ context.Context, env *sdk.Env) error {
	g.env = env
	env.Log.Info("started with "+string(g.Token), "token", g.Token)
	return nil
}

func (g *good) Check(context.Context) error { return sdk.Warning("it is windy") }

func (g *good) Sync(ctx context.Context, since sdk.Cursor, out *sdk.Out) error {
	switch g.Mode {
	case "deaf":
		out.Note("now deaf")
		time.Sleep(time.Hour)
	case "quiet":
		<-ctx.Done()
		return ctx.Err()
	case "panic":
		out.Note("about to panic")
		panic("no luck in Sync")
	case "goroutine-panic":
		var wg sync.WaitGroup
		wg.Go(func() { panic("no luck beside Sync") })
		wg.Wait()
		time.Sleep(time.Hour)
	case "auth":
		return sdk.Auth(fmt.Errorf("token %s was refused", string(g.Token)))
	case "busy":
		return sdk.Busy(7*time.Second, errors.New("slow down"))
	case "endless":
		return g.endless(out)
	case "env":
		dir, _ := os.Getwd()
		return out.Document(sdk.Document{ID: "env", Body: dir + "\n" + strings.Join(os.Environ(), "\n")})
	}
	if err := out.Document(sdk.Document{ID: "pid", Body: strconv.Itoa(os.Getpid()), Access: sdk.Workspace}); err != nil {
		return err
	}
	for i := range g.Count {
		if err := out.Document(sdk.Document{ID: "d" + strconv.Itoa(i), Title: "T", Body: "b", Access: sdk.Workspace}); err != nil {
			return err
		}
		time.Sleep(g.Wait)
	}
	return out.Checkpoint(sdk.Cursor("after:" + string(since)))
}

// endless counts in a file of the data folder how far it got.
func (g *good) endless(out *sdk.Out) error {
	body := strings.Repeat("x", 100<<10)
	for i := 0; ; i++ {
		// Whoever looks finds one number or the other.
		if err := errors.Join(os.WriteFile("sending", []byte(strconv.Itoa(i)), 0o600), os.Rename("sending", "sent")); err != nil {
			return err
		}
		if err := out.Document(sdk.Document{ID: strconv.Itoa(i), Body: body}); err != nil {
			return err
		}
	}
}

func (g *good) List(_ context.Context, out *sdk.Listing) error {
	for i := range g.Count {
		if err := out.Document("d"+strconv.Itoa(i), "r"); err != nil {
			return err
		}
	}
	if g.Mode == "slow" {
		return errors.New("the wiki went away")
	}
	return nil
}

func (g *good) Fetch(_ context.Context, ref string) (*sdk.File, error) {
	size, err := strconv.ParseInt(ref, 10, 64)
	if err != nil {
		return nil, sdk.Gone(errors.New("no such file"))
	}
	content := io.LimitReader(zeros{}, max(size, -size))
	return &sdk.File{Name: "zeros", MediaType: "application/octet-stream", Size: max(size, 0), Content: io.NopCloser(content)}, nil
}

// zeros is an endless stream; a negative ref announces no size.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// chatty prints wherever it can.
type chatty struct{}

func (*chatty) Sync(_ context.Context, _ sdk.Cursor, out *sdk.Out) error {
	fmt.Println("printed in Sync")
	fmt.Fprintln(os.Stderr, "and on stderr")
	return out.Document(sdk.Document{ID: "1", Access: sdk.Workspace})
}

// raw speaks the wire without the SDK, and badly.
type raw struct {
	wire.UnimplementedConnectorServer
}

func (*raw) Describe(context.Context, *wire.DescribeRequest) (*wire.DescribeReply, error) {
	return &wire.DescribeReply{Name: "raw", Features: []string{"list", "fetch", "teleport"}}, nil
}

func (*raw) Configure(context.Context, *wire.ConfigureRequest) (*wire.ConfigureReply, error) {
	return &wire.ConfigureReply{}, nil
}

func (*raw) Sync(_ *wire.SyncRequest, stream wire.Connector_SyncServer) error {
	for _, e := range []*wire.SyncEvent{
		{Event: &wire.SyncEvent_Document{Document: &wire.Document{Title: "without id"}}},
		{Event: &wire.SyncEvent_Document{Document: &wire.Document{Id: "bad", Body: []byte("\xff\xfe\xfd")}}},
		{}, // an event of a later release
		{Event: &wire.SyncEvent_Document{Document: &wire.Document{Id: "ok"}}},
	} {
		if err := stream.Send(e); err != nil {
			return err
		}
	}
	return nil
}

func (*raw) List(_ *wire.ListRequest, stream wire.Connector_ListServer) error {
	return stream.Send(&wire.ListEvent{Event: &wire.ListEvent_Batch{Batch: &wire.ListBatch{Items: []*wire.ListItem{{Id: "a"}}}}})
}

func (*raw) Fetch(_ *wire.FetchRequest, stream wire.Connector_FetchServer) error {
	header := &wire.FileRef{Name: "half", Size: 10}
	if err := stream.Send(&wire.FetchEvent{Event: &wire.FetchEvent_Header{Header: header}}); err != nil {
		return err
	}
	return stream.Send(&wire.FetchEvent{Event: &wire.FetchEvent_Data{Data: []byte("12345")}})
}

func serveRaw(version uint, srv wire.ConnectorServer) {
	handshake := wire.Handshake()
	handshake.ProtocolVersion = version
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: handshake,
		Plugins:         goplugin.PluginSet{wire.PluginName: &rawPlugin{srv: srv}},
		GRPCServer:      goplugin.DefaultGRPCServer,
	})
}

type rawPlugin struct {
	goplugin.NetRPCUnsupportedPlugin
	srv wire.ConnectorServer
}

func (p *rawPlugin) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	wire.RegisterConnectorServer(s, p.srv)
	return nil
}

func (p *rawPlugin) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("a server")
}
