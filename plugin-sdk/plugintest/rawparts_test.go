package plugintest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

const bigFile = 2 << 20

func (c *raw) List(_ *wire.ListRequest, stream wire.Connector_ListServer) error {
	batch, count := &wire.ListBatch{}, int64(0)
	for n := range c.count {
		if d := c.document(n); d != nil && !(c.mode == "list-short" && n == 11) {
			batch.Items = append(batch.Items, &wire.ListItem{Id: d.GetId()})
			count++
		}
	}
	if err := stream.Send(&wire.ListEvent{Event: &wire.ListEvent_Batch{Batch: batch}}); err != nil {
		return err
	}
	switch c.mode {
	case "list-cut":
		return nil
	case "list-count":
		count++
	}
	return stream.Send(&wire.ListEvent{Event: &wire.ListEvent_Complete{Complete: &wire.ListComplete{Count: count}}})
}

func (c *raw) Grants(_ *wire.GrantsRequest, stream wire.Connector_GrantsServer) error {
	group := &wire.Group{Name: "eng", Users: []string{"bob@example.com"}}
	if err := stream.Send(&wire.GrantsEvent{Event: &wire.GrantsEvent_Group{Group: group}}); err != nil {
		return err
	}
	for n := range c.count {
		d := c.document(n)
		if d == nil || c.mode == "grants-short" && n == 5 {
			continue
		}
		grant := &wire.Grant{Document: d.GetId(), Access: d.GetAccess()}
		if c.mode == "grants" && n == 2 {
			grant.Access = &wire.Access{Public: true}
		}
		if err := stream.Send(&wire.GrantsEvent{Event: &wire.GrantsEvent_Grant{Grant: grant}}); err != nil {
			return err
		}
	}
	if c.mode == "grants-cut" {
		return nil
	}
	return stream.Send(&wire.GrantsEvent{Event: &wire.GrantsEvent_Complete{
		Complete: &wire.GrantsComplete{AllGroups: true, AllDocuments: true},
	}})
}

func (c *raw) Fetch(req *wire.FetchRequest, stream wire.Connector_FetchServer) error {
	size := bigFile
	if req.GetRef() == "small" {
		size = 3
		if c.mode == "fetch" {
			return status.Error(codes.NotFound, "there is no such file")
		}
	}
	f, err := os.Open(os.DevNull) // stands for what a fetch reads from
	if err != nil {
		return err
	}
	defer f.Close()
	header := &wire.FileRef{Ref: req.GetRef(), Name: req.GetRef() + ".pdf", Size: int64(size)}
	if err := stream.Send(&wire.FetchEvent{Event: &wire.FetchEvent_Header{Header: header}}); err != nil {
		return err
	}
	for size > 0 {
		frame := make([]byte, min(size, c.frame()))
		size -= len(frame)
		err := stream.Send(&wire.FetchEvent{Event: &wire.FetchEvent_Data{Data: frame}})
		if err != nil && c.mode == "fetch-deaf" {
			time.Sleep(time.Minute)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *raw) frame() int {
	if c.mode == "fetch-frame" {
		return 1 << 20
	}
	return wire.FrameSize
}

func (c *raw) Search(ctx context.Context, req *wire.SearchRequest) (*wire.SearchReply, error) {
	reply := &wire.SearchReply{}
	for n := range c.count {
		d := c.document(n)
		if d == nil || !c.mayRead(req.GetViewer().GetEmail(), d) || c.mode != "search-range" && outside(req, d) {
			continue
		}
		if len(reply.Hits) < int(req.GetLimit()) || c.mode == "search-limit" {
			reply.Hits = append(reply.Hits, &wire.Hit{Document: d})
		}
	}
	if c.mode == "search-slow" {
		tooLate(ctx)
	}
	return reply, nil
}

// tooLate returns when the host has surely given up: its clock ends after the one
// here, on a busy machine by seconds.
func tooLate(ctx context.Context) {
	<-ctx.Done()
	time.Sleep(time.Minute)
}

func outside(req *wire.SearchRequest, d *wire.Document) bool {
	at := d.GetUpdated().AsTime()
	return req.GetFrom() != nil && at.Before(req.GetFrom().AsTime()) || req.GetTo() != nil && at.After(req.GetTo().AsTime())
}

func (c *raw) mayRead(viewer string, d *wire.Document) bool {
	a := d.GetAccess()
	if c.mode == "search-viewer" || c.mode == "censor-unknown" {
		return true
	}
	return a.GetPublic() || viewer != "" && (a.GetWorkspace() || slices.Contains(a.GetUsers(), viewer))
}

func (c *raw) Tools(context.Context, *wire.ToolsRequest) (*wire.ToolsReply, error) {
	tool := &wire.ToolSpec{
		Name: "page", Help: "Reads a page.",
		Schema: []byte(`{"type":"object","properties":{"number":{"type":"integer"}},"required":["number"]}`),
	}
	switch c.mode {
	case "tool-schema":
		tool.Schema = []byte(`{"type":"array"}`)
	case "tool-name":
		tool.Name = "read page"
	}
	return &wire.ToolsReply{Tools: []*wire.ToolSpec{tool}}, nil
}

func (c *raw) Call(_ context.Context, req *wire.CallRequest) (*wire.CallReply, error) {
	var args struct {
		Number *int `json:"number"`
	}
	err := json.Unmarshal(req.GetArguments(), &args)
	switch {
	case req.GetTool() != "page":
		err = fmt.Errorf("there is no tool %q", req.GetTool())
	case err == nil && args.Number == nil:
		err = fmt.Errorf("number is required")
	}
	if err != nil && c.mode == "tool-arguments" {
		return nil, status.Error(codes.Internal, err.Error())
	}
	if err != nil {
		return &wire.CallReply{Result: &wire.CallReply_Problem{Problem: err.Error()}}, nil
	}
	return &wire.CallReply{Result: &wire.CallReply_Text{Text: "a page"}}, nil
}

func (c *raw) Censor(ctx context.Context, req *wire.CensorRequest) (*wire.CensorReply, error) {
	byID := map[string]*wire.Document{}
	for n := range c.count {
		if d := c.document(n); d != nil {
			byID[d.GetId()] = d
		}
	}
	reply := &wire.CensorReply{}
	for _, p := range req.GetPassages() {
		v := &wire.Verdict{Id: p.GetId(), Kind: wire.VerdictKind_VERDICT_KIND_DROP}
		if c.mayRead(req.GetViewer().GetEmail(), byID[p.GetDocument()]) {
			v.Kind = wire.VerdictKind_VERDICT_KIND_KEEP
		}
		reply.Verdicts = append(reply.Verdicts, v)
	}
	switch c.mode {
	case "censor-order":
		slices.Reverse(reply.Verdicts)
	case "censor-slow":
		tooLate(ctx)
	}
	return reply, nil
}
