package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// Renew takes a new token, also while other calls run.
func (s *server) Renew(_ context.Context, req *wire.RenewRequest) (*wire.RenewReply, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	s.env.renew(req.GetToken())
	return &wire.RenewReply{}, nil
}

// Grants streams what a Granter tells.
func (s *server) Grants(req *wire.GrantsRequest, stream wire.Connector_GrantsServer) error {
	if err := s.ready(); err != nil {
		return err
	}
	granter, ok := s.src.(Granter)
	if !ok {
		return status.Error(codes.Unimplemented, "this connector tells no grants apart from its documents")
	}
	whole := len(req.GetCursor()) == 0
	out := &Grants{ctx: stream.Context(), send: stream.Send, allGroups: whole, allDocuments: whole}
	if err := granter.Grants(stream.Context(), Cursor(req.GetCursor()), out); err != nil {
		return toStatus(err)
	}
	return toStatus(out.complete())
}

// Search asks a Searcher.
func (s *server) Search(ctx context.Context, req *wire.SearchRequest) (*wire.SearchReply, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	searcher, ok := s.src.(Searcher)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "this connector cannot search its system")
	}
	q := Query{
		Text: req.GetText(), Limit: max(int(req.GetLimit()), 1), From: instant(req.GetFrom()), To: instant(req.GetTo()),
		Viewer: callerOf(req.GetViewer()),
	}
	hits, err := searcher.Search(ctx, q)
	if err != nil {
		return nil, toStatus(err)
	}
	reply, size := &wire.SearchReply{}, 0
	for _, hit := range hits[:min(len(hits), q.Limit)] {
		out := hit.wire()
		if size += proto.Size(out); size > wire.MaxMessage/2 {
			s.log.Warn("hits were left out of a search: together they are too large", "kept", len(reply.Hits), "of", len(hits))
			break
		}
		reply.Hits = append(reply.Hits, out)
	}
	return reply, nil
}

// wire leaves the body out where it cannot go over the wire.
func (h Hit) wire() *wire.Hit {
	if h.Document.problem() != nil {
		h.Document.Body = ""
	}
	return &wire.Hit{Document: h.Document.wire(), Score: h.Score, Snippet: valid(h.Snippet)}
}

// Tools names what a Toolbox offers. One tool that is wrong fails the call: an
// author has to see it.
func (s *server) Tools(context.Context, *wire.ToolsRequest) (*wire.ToolsReply, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	tools, err := s.tools()
	if err != nil {
		return nil, err
	}
	reply := &wire.ToolsReply{}
	seen := map[string]bool{}
	for _, t := range tools {
		err := t.problem()
		if err == nil && seen[t.Name] {
			err = errors.New("there are two of this name")
		}
		if err != nil {
			return nil, status.Error(codes.Internal, valid(fmt.Sprintf("tool %q: %v", t.Name, err)))
		}
		seen[t.Name] = true
		reply.Tools = append(reply.Tools, &wire.ToolSpec{Name: t.Name, Help: valid(t.Help), Schema: t.Schema, Changes: t.Changes})
	}
	return reply, nil
}

func (s *server) tools() ([]Tool, error) {
	box, ok := s.src.(Toolbox)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "this connector has no tools")
	}
	return box.Tools(), nil
}

// Call runs one tool.
func (s *server) Call(ctx context.Context, req *wire.CallRequest) (*wire.CallReply, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	tools, err := s.tools()
	if err != nil {
		return nil, err
	}
	for _, t := range tools {
		if t.Name != req.GetTool() {
			continue
		}
		if err := t.problem(); err != nil {
			return nil, status.Error(codes.Internal, valid(fmt.Sprintf("tool %q: %v", t.Name, err)))
		}
		answer, err := t.Run(ctx, callerOf(req.GetViewer()), json.RawMessage(req.GetArguments()))
		if err != nil {
			return callProblem(err)
		}
		return answer.wire(t.Name)
	}
	return problemReply(fmt.Sprintf("there is no tool %q", req.GetTool())), nil
}

// callProblem tells the model what it can do something about; the rest is a
// failure.
func callProblem(err error) (*wire.CallReply, error) {
	var e *Error
	if errors.As(err, &e) && (e.kind == kindInvalid || e.kind == wire.FailureKind_FAILURE_KIND_GONE) {
		return problemReply(err.Error()), nil
	}
	return nil, toStatus(err)
}

func problemReply(text string) *wire.CallReply {
	return &wire.CallReply{Result: &wire.CallReply_Problem{Problem: valid(text)}}
}

func (a Answer) wire(tool string) (*wire.CallReply, error) {
	reply := &wire.CallReply{}
	if text, ok := a.Value.(string); ok {
		reply.Result = &wire.CallReply_Text{Text: valid(text)}
	} else {
		data, err := json.Marshal(a.Value)
		if err != nil {
			return nil, status.Error(codes.Internal, valid(fmt.Sprintf("tool %q: its answer cannot be written as JSON: %v", tool, err)))
		}
		reply.Result = &wire.CallReply_Json{Json: data}
	}
	for _, d := range a.Documents {
		if e := d.problem(); e != nil {
			return nil, status.Error(codes.Internal, valid(fmt.Sprintf("tool %q: document %q: %v", tool, d.ID, e)))
		}
		reply.Documents = append(reply.Documents, d.wire())
	}
	if size := proto.Size(reply); size > wire.MaxMessage/2 {
		return nil, status.Error(codes.OutOfRange, fmt.Sprintf("tool %q: its answer takes %d bytes, the limit is %d", tool, size, wire.MaxMessage/2))
	}
	return reply, nil
}

// Censor asks the author's Censor.
func (s *server) Censor(ctx context.Context, req *wire.CensorRequest) (*wire.CensorReply, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	censor, ok := s.src.(Censor)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "this connector censors nothing")
	}
	passages := make([]Passage, len(req.GetPassages()))
	for i, p := range req.GetPassages() {
		passages[i] = Passage{Document: p.GetDocument(), Heading: p.GetHeading(), Text: p.GetText()}
	}
	verdicts, err := censor.Censor(ctx, callerOf(req.GetViewer()), passages)
	if err != nil {
		return nil, toStatus(err)
	}
	if len(verdicts) != len(passages) {
		return nil, status.Error(codes.Internal, fmt.Sprintf("the connector gave %d verdicts on %d passages", len(verdicts), len(passages)))
	}
	reply := &wire.CensorReply{}
	for i, v := range verdicts {
		reply.Verdicts = append(reply.Verdicts, v.wire(req.GetPassages()[i].GetId()))
	}
	return reply, nil
}
