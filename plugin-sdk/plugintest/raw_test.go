package plugintest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// raw speaks the wire without the SDK, as a connector in another language does.
// In mode good it does all that is expected; every other mode breaks one thing.
type raw struct {
	wire.UnimplementedConnectorServer
	mode    string
	base    string
	count   int
	mu      sync.Mutex
	syncing chan struct{}
	leaked  [][]byte
	syncs   int
}

// serveRaw is the connector's main.
func serveRaw(mode string) {
	version := uint(wire.ProtocolVersion)
	switch mode {
	case "print":
		fmt.Println("hello from the constructor")
	case "panic-start":
		panic("no luck at start")
	case "newer":
		version++
	}
	if mode != "outlive" {
		go leaveWithHost()
	}
	handshake := wire.Handshake()
	handshake.ProtocolVersion = version
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: handshake, Logger: hclog.NewNullLogger(),
		Plugins: goplugin.PluginSet{wire.PluginName: &rawPlugin{srv: &raw{mode: mode, syncing: make(chan struct{}, 1)}}},
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(opts, grpc.MaxSendMsgSize(16<<20))...)
		},
	})
}

func leaveWithHost() {
	for parent := os.Getppid(); os.Getppid() == parent; {
		time.Sleep(200 * time.Millisecond)
	}
	os.Exit(1)
}

type rawPlugin struct {
	goplugin.NetRPCUnsupportedPlugin
	srv *raw
}

func (p *rawPlugin) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	wire.RegisterConnectorServer(s, p.srv)
	return nil
}

func (*rawPlugin) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, fmt.Errorf("this side serves")
}

func (c *raw) Describe(context.Context, *wire.DescribeRequest) (*wire.DescribeReply, error) {
	schema := `{"type":"object","properties":{
		"base":{"type":"string","description":"folder of the marks"},
		"count":{"type":"integer","description":"documents"},
		"token":{"type":"string","description":"key","writeOnly":true}},"required":["base"]}`
	switch c.mode {
	case "schema":
		schema = strings.Replace(schema, `"integer"`, `"whole"`, 1)
	case "help":
		schema = strings.Replace(schema, `"documents"`, `""`, 1)
	case "online":
		if err := callMyself(); err != nil {
			return nil, status.Error(codes.Unavailable, err.Error())
		}
	case "describe":
		return nil, status.Error(codes.Unavailable, "cannot reach the license server")
	}
	return &wire.DescribeReply{
		Name: "raw", Version: "1", ConfigSchema: []byte(schema), Auth: &wire.AuthMethod{Kind: wire.AuthKind_AUTH_KIND_OAUTH2},
		Features: []string{"check", "list", "fetch", "grants", "search", "tools", "censor"},
	}, nil
}

// callMyself needs a network.
func callMyself() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	conn, err := net.DialTimeout("tcp", l.Addr().String(), patience)
	if err != nil {
		return err
	}
	return conn.Close()
}

func badField(name string) error {
	st, err := status.New(codes.InvalidArgument, name+" is wrong").WithDetails(&errdetails.BadRequest{
		FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: name, Description: "wrong"}},
	})
	if err != nil {
		return err
	}
	return st.Err()
}

func (c *raw) Configure(_ context.Context, req *wire.ConfigureRequest) (*wire.ConfigureReply, error) {
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(req.GetConfig(), &values); err != nil {
		return nil, badField("")
	}
	base, count := values["base"], values["count"]
	if len(base) == 0 && c.mode != "required" {
		return nil, badField("base")
	}
	if len(base) > 0 && json.Unmarshal(base, &c.base) != nil {
		return nil, badField("base")
	}
	c.count = 25
	if len(count) > 0 && json.Unmarshal(count, &c.count) != nil && c.mode != "type" {
		return nil, badField("count")
	}
	delete(values, "base")
	delete(values, "count")
	for name := range values {
		if c.mode != "unknown" {
			return nil, badField(name)
		}
	}
	if c.mode == "leak" {
		fmt.Fprintln(os.Stderr, "connecting with", req.GetSecrets()["token"])
	}
	if c.mode == "refuses" {
		return nil, badField("base")
	}
	return &wire.ConfigureReply{}, nil
}

func (c *raw) Renew(_ context.Context, req *wire.RenewRequest) (*wire.RenewReply, error) {
	if c.mode == "renew" || req.GetToken() == nil {
		return nil, status.Error(codes.FailedPrecondition, "start me again")
	}
	return &wire.RenewReply{}, nil
}

func (c *raw) Check(context.Context, *wire.CheckRequest) (*wire.CheckReply, error) {
	if c.mode == "check" {
		return nil, status.Error(codes.Unauthenticated, "the key is refused")
	}
	return &wire.CheckReply{}, nil
}

// mark reads what the test wrote into the connector's system.
func (c *raw) mark(name string) string {
	data, err := os.ReadFile(filepath.Join(c.base, name))
	if err != nil {
		return ""
	}
	return string(data)
}

const (
	touchedDocument = 3
	removedDocument = 4
)

// document makes the nth document; nil if it was removed.
func (c *raw) document(n int) *wire.Document {
	if n == removedDocument && c.mark("removed") != "" && c.mode != "undead" {
		return nil
	}
	d := &wire.Document{
		Id: fmt.Sprintf("d%02d", n), Title: fmt.Sprintf("Handbook page %d", n), Url: fmt.Sprintf("https://example.com/%d", n),
		Body: []byte(strings.Repeat("text ", 20)), Updated: timestamppb.New(time.Unix(1700000000, 0)), Access: c.access(n),
	}
	if n == touchedDocument {
		d.Title += c.mark("touched")
	}
	if c.mode == "late-cursor" { // half of the documents are more than is under way at a time: it cannot get ahead
		d.Body = bytes.Repeat([]byte("x"), wire.Window/4)
	}
	if n == 0 {
		d.Files = []*wire.FileRef{{Ref: "big", Name: "big.pdf", Size: bigFile}, {Ref: "small", Name: "small.pdf", Size: 3}}
	}
	c.spoil(d, n)
	return d
}

func (c *raw) spoil(d *wire.Document, n int) {
	if n != 7 {
		return
	}
	switch c.mode {
	case "duplicate":
		d.Id = "d06"
	case "unstable":
		d.Id = fmt.Sprintf("pid-%d", os.Getpid())
	case "access":
		d.Access = nil
	case "utf8":
		d.Body = []byte("a\xffb")
	case "body":
		d.Body = bytes.Repeat([]byte("x"), 5<<20)
	case "url":
		d.Url = "/pages/7"
	case "future":
		d.Updated = timestamppb.New(time.Now().Add(48 * time.Hour))
	}
}

func (c *raw) access(n int) *wire.Access {
	switch n % 5 {
	case 1:
		return &wire.Access{Workspace: true}
	case 2:
		return &wire.Access{Users: []string{"ann@example.com"}}
	case 3:
		return &wire.Access{Groups: []string{"eng"}}
	}
	return &wire.Access{Public: true}
}
