package plugins_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// live has all the parts that are not about syncing.
type live struct {
	Mode string     `enum:"plain,slow,panic,short,refused,exit" default:"plain"`
	Key  sdk.Secret `help:"a key"`
	env  *sdk.Env
}

var (
	_ sdk.Granter    = (*live)(nil)
	_ sdk.Searcher   = (*live)(nil)
	_ sdk.Toolbox    = (*live)(nil)
	_ sdk.Censor     = (*live)(nil)
	_ sdk.Limited    = (*live)(nil)
	_ sdk.Authorizer = (*live)(nil)
)

func (l *live) Start(_ context.Context, env *sdk.Env) error { l.env = env; return nil }

func (*live) Limits() []sdk.Limit { return []sdk.Limit{{Name: "api", PerSecond: 5, Burst: 10}} }

func (*live) AuthMethod() sdk.AuthMethod {
	return sdk.AuthMethod{
		Kind: sdk.AuthOAuth2, AuthorizeURL: "https://login.example/authorize", TokenURL: "https://login.example/token", Scopes: []string{"read"},
		AuthorizeParams: map[string]string{"access_type": "offline"},
	}
}

// Sync sends one page with each token and then needs another.
func (l *live) Sync(_ context.Context, since sdk.Cursor, out *sdk.Out) error {
	if l.Mode == "exit" {
		os.Exit(7)
	}
	n, _ := strconv.Atoi(string(since))
	for ; n < 4; n++ {
		if want := fmt.Sprintf("token-%d", n/2); string(l.env.Token()) != want {
			return sdk.Auth(fmt.Errorf("the token %s has expired", string(l.env.Token())))
		}
		if err := out.Document(sdk.Document{ID: strconv.Itoa(n), Body: "b", Access: sdk.Workspace}); err != nil {
			return err
		}
		if err := out.Checkpoint(sdk.Cursor(strconv.Itoa(n + 1))); err != nil {
			return err
		}
	}
	return nil
}

func (l *live) Grants(_ context.Context, since sdk.Cursor, out *sdk.Grants) error {
	if l.Mode == "panic" {
		panic("no luck in Grants")
	}
	if err := out.Group(sdk.Group{Name: "Staff", Users: []string{"ann@example.com", "no address"}, Groups: []string{"Admins"}}); err != nil {
		return err
	}
	if err := out.Document("1", sdk.Access{Groups: []string{"Staff"}}); err != nil {
		return err
	}
	if l.Mode == "short" {
		return errors.New("the directory went away")
	}
	if len(since) > 0 {
		if err := out.GroupRemoved("Old"); err != nil {
			return err
		}
	}
	return out.Checkpoint(sdk.Cursor("g1"))
}

func (l *live) Search(ctx context.Context, q sdk.Query) ([]sdk.Hit, error) {
	switch l.Mode {
	case "slow":
		time.Sleep(time.Hour) // does not listen to ctx either
	case "panic":
		panic("no luck in Search")
	case "refused":
		return nil, sdk.Auth(fmt.Errorf("key %s was refused", string(l.Key)))
	}
	if q.Text == "pid" {
		return []sdk.Hit{{Document: sdk.Document{ID: strconv.Itoa(os.Getpid()), Access: sdk.Workspace}}}, nil
	}
	var out []sdk.Hit
	for i := range 5 {
		out = append(out, sdk.Hit{
			Document: sdk.Document{
				ID: strconv.Itoa(i), Title: q.Text + " for " + q.Viewer.Email, Body: "body", URL: "https://wiki.example/1",
				Access: sdk.Access{Users: []string{q.Viewer.Email}},
			},
			Score: float64(5 - i), Snippet: fmt.Sprintf("from %d", q.From.Unix()),
		})
	}
	out[1] = sdk.Hit{Document: sdk.Document{ID: ""}}
	out[2].Document.Access = sdk.HostAccess
	return out, nil
}

type lookup struct {
	Key   string `required:"true" help:"the issue's key"`
	Depth int    `default:"2"`
}

func (l *live) Tools() []sdk.Tool {
	read := sdk.NewTool("issue", "Reads one issue.", func(ctx context.Context, who sdk.Caller, in lookup) (sdk.Answer, error) {
		switch in.Key {
		case "panic":
			panic("no luck in a tool")
		case "gone":
			return sdk.Answer{}, sdk.Gone(errors.New("there is no such issue"))
		case "denied":
			return sdk.Answer{}, sdk.Denied(errors.New("not for you"))
		case "leak":
			return sdk.Answer{Value: "the key is " + string(l.Key)}, nil
		case "slow":
			<-ctx.Done()
			return sdk.Answer{}, ctx.Err()
		}
		return sdk.Answer{
			Value:     map[string]any{"key": in.Key, "depth": in.Depth, "who": who.Email},
			Documents: []sdk.Document{{ID: in.Key, Title: "T", Access: sdk.Workspace}},
		}, nil
	})
	write := sdk.NewTool("close", "Closes an issue.", func(_ context.Context, _ sdk.Caller, in lookup) (string, error) {
		return "closed " + in.Key, nil
	}).ThatChanges()
	if l.Mode == "short" {
		return []sdk.Tool{read, read}
	}
	return []sdk.Tool{read, write}
}

func (l *live) Censor(ctx context.Context, viewer sdk.Caller, passages []sdk.Passage) ([]sdk.Verdict, error) {
	switch l.Mode {
	case "slow":
		<-ctx.Done()
		return nil, ctx.Err()
	case "panic":
		panic("no luck in Censor")
	case "short":
		return []sdk.Verdict{sdk.Keep()}, nil
	}
	out := make([]sdk.Verdict, len(passages))
	for i, p := range passages {
		switch {
		case viewer.Email == "" || p.Document == "secret":
			out[i] = sdk.Drop()
		case strings.Contains(p.Text, "salary"):
			out[i] = sdk.Redact("[removed]")
		default:
			out[i] = sdk.Keep()
		}
	}
	return out, nil
}

// bad does in Sync what its mode says.
type bad struct {
	Mode string `required:"true"`
}

func (b *bad) Sync(ctx context.Context, since sdk.Cursor, out *sdk.Out) error {
	good := sdk.Document{ID: "good", Body: "b", Access: sdk.Workspace}
	switch b.Mode {
	case "large":
		good.Body = strings.Repeat("x", 5<<20)
	case "binary":
		good.Body = "\xff\xfe\x00\x80"
	case "silent":
		good.Access = sdk.Access{}
	case "twice":
		other := good
		other.Body = "something else"
		if err := out.Document(other); err != nil {
			return err
		}
	case "cursor":
		return out.Checkpoint(make(sdk.Cursor, 64<<10+1))
	case "deaf":
		if err := out.Document(good); err != nil {
			return err
		}
		time.Sleep(time.Hour)
	case "panic":
		panic("no luck in mid-sync")
	}
	if err := out.Document(good); err != nil {
		return err
	}
	return out.Checkpoint(sdk.Cursor("c"))
}

// liar speaks the wire without the SDK and breaks its rules.
type liar struct {
	raw
}

func (*liar) Describe(context.Context, *wire.DescribeRequest) (*wire.DescribeReply, error) {
	return &wire.DescribeReply{Name: "liar", Features: []string{"grants", "search", "tools", "censor"}}, nil
}

func (*liar) Sync(req *wire.SyncRequest, stream wire.Connector_SyncServer) error {
	if string(req.GetCursor()) == "huge" {
		return stream.Send(sent9MiB())
	}
	return stream.Send(&wire.SyncEvent{Event: &wire.SyncEvent_Checkpoint{Checkpoint: &wire.Checkpoint{Cursor: make([]byte, wire.MaxCursor+1)}}})
}

func sent9MiB() *wire.SyncEvent {
	return &wire.SyncEvent{Event: &wire.SyncEvent_Document{Document: &wire.Document{Id: "a", Body: make([]byte, 9<<20)}}}
}

func (*liar) Grants(_ *wire.GrantsRequest, stream wire.Connector_GrantsServer) error {
	return stream.Send(&wire.GrantsEvent{Event: &wire.GrantsEvent_Grant{Grant: &wire.Grant{Document: "a", Access: &wire.Access{Users: []string{"ann"}}}}})
}

func (*liar) Tools(context.Context, *wire.ToolsRequest) (*wire.ToolsReply, error) {
	return &wire.ToolsReply{Tools: []*wire.ToolSpec{{Name: "rm -rf", Schema: []byte(`{"type":"object"}`)}}}, nil
}

func (*liar) Call(context.Context, *wire.CallRequest) (*wire.CallReply, error) {
	return &wire.CallReply{Result: &wire.CallReply_Json{Json: []byte("{")}}, nil
}

// Censor mixes the order up, which would keep the wrong passages.
func (*liar) Censor(_ context.Context, req *wire.CensorRequest) (*wire.CensorReply, error) {
	out := &wire.CensorReply{}
	for i := range req.GetPassages() {
		p := req.GetPassages()[len(req.GetPassages())-1-i]
		out.Verdicts = append(out.Verdicts, &wire.Verdict{Id: p.GetId(), Kind: wire.VerdictKind_VERDICT_KIND_KEEP})
	}
	return out, nil
}
