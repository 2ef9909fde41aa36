package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

type order struct {
	Key    string    `required:"true" help:"the issue"`
	Since  time.Time `help:"not before"`
	Labels []string
	Lines  []struct {
		Text   string `json:"text" required:"true" help:"one line"`
		Amount *int   `json:"amount"`
		hidden int
	}
	Note string `json:"remark" enum:"short,long" default:"short"`
	Skip string `json:"-"`
}

func TestSchemaOfATool(t *testing.T) {
	tool := NewTool("order", "Orders.", func(context.Context, Caller, order) (string, error) { return "", nil })
	const want = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{` +
		`"key":{"type":"string","description":"the issue"},` +
		`"since":{"type":"string","format":"date-time","description":"not before"},` +
		`"labels":{"type":"array","items":{"type":"string"}},` +
		`"lines":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string","description":"one line"},"amount":{"type":"integer"}},"required":["text"]}},` +
		`"remark":{"type":"string","default":"short","enum":["short","long"]}},"required":["key"],"additionalProperties":false}`
	if got := string(tool.Schema); got != want || !json.Valid(tool.Schema) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if err := tool.problem(); err != nil || tool.Changes || !tool.ThatChanges().Changes {
		t.Errorf("%v %+v", err, tool)
	}
}

func TestArgumentsAreDecoded(t *testing.T) {
	var got order
	tool := NewTool("order", "Orders.", func(_ context.Context, who Caller, in order) (map[string]string, error) {
		got = in
		return map[string]string{"for": who.Email}, nil
	})
	args := `{"key":"A","since":"2026-01-02T03:04:05Z","labels":["x"],"lines":[{"text":"t","amount":3}],"remark":null}`
	answer, err := tool.Run(t.Context(), Caller{Email: "ann@example.com"}, json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	if got.Key != "A" || got.Since.Year() != 2026 || len(got.Labels) != 1 || *got.Lines[0].Amount != 3 || got.Note != "short" {
		t.Errorf("%+v", got)
	}
	reply, err := answer.wire("order")
	if err != nil || string(reply.GetJson()) != `{"for":"ann@example.com"}` {
		t.Errorf("%v %v", reply, err)
	}
	for args, want := range map[string]string{
		`{"key":"A","remark":"huge"}`: `remark: "huge" is not possible`,
		`{"lines":[{"text":5}]}`:      "key: a value is required; lines: want text as text, got number",
		`[]`:                          "not one JSON object",
		`null`:                        "not one JSON object",
	} {
		if _, err := tool.Run(t.Context(), Caller{}, json.RawMessage(args)); KindOf(err) != "invalid" || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

type loop struct{ Inner []loop }

func TestToolsThatCannotBeOffered(t *testing.T) {
	run := func(context.Context, Caller, json.RawMessage) (Answer, error) { return Answer{}, nil }
	object := json.RawMessage(`{"type":"object"}`)
	for want, tool := range map[string]Tool{
		"letters, digits":                  {Name: "two words", Help: "h", Schema: object, Run: run},
		"no help":                          {Name: "a", Schema: object, Run: run},
		"not a JSON Schema":                {Name: "a", Help: "h", Schema: json.RawMessage(`{"type":"string"}`), Run: run},
		"no Run":                           {Name: "a", Help: "h", Schema: object},
		"have to be a struct":              NewTool("a", "h", func(context.Context, Caller, string) (string, error) { return "", nil }),
		"field C of struct":                NewTool("a", "h", func(context.Context, Caller, struct{ C chan int }) (string, error) { return "", nil }),
		"field Inner of sdk.loop has type": NewTool("a", "h", func(context.Context, Caller, loop) (string, error) { return "", nil }),
		"the default of n is wrong": NewTool("a", "h", func(context.Context, Caller, struct {
			N int `default:"many"`
		}) (string, error) {
			return "", nil
		}),
	} {
		if err := tool.problem(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// all has every optional part.
type all struct {
	sample
	hits     []Hit
	verdicts []Verdict
	err      error
}

func (a *all) Search(context.Context, Query) ([]Hit, error) { return a.hits, a.err }
func (a *all) Tools() []Tool                                { return nil }
func (a *all) Grants(_ context.Context, _ Cursor, out *Grants) error {
	out.AllGroups()
	return errors.Join(out.Document("", Public), a.err)
}
func (a *all) Censor(context.Context, Caller, []Passage) ([]Verdict, error) { return a.verdicts, a.err }

func newAll(t *testing.T, src Source) *server {
	t.Helper()
	s, err := newServer("x", "1", src, slog.New(slog.DiscardHandler), new(slog.LevelVar))
	if err != nil {
		t.Fatal(err)
	}
	s.configured = true
	return s
}

func TestCallsOfPartsThatAreMissing(t *testing.T) {
	s := newAll(t, &sample{})
	_, search := s.Search(t.Context(), &wire.SearchRequest{})
	_, tools := s.Tools(t.Context(), &wire.ToolsRequest{})
	_, call := s.Call(t.Context(), &wire.CallRequest{})
	_, censor := s.Censor(t.Context(), &wire.CensorRequest{})
	for name, err := range map[string]error{"search": search, "tools": tools, "call": call, "censor": censor, "grants": s.Grants(&wire.GrantsRequest{}, nil)} {
		if status.Code(err) != codes.Unimplemented {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.configured = false
	if _, err := s.Renew(t.Context(), &wire.RenewRequest{}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("before Configure: %v", err)
	}
	if got := featuresOf(&all{}); strings.Join(got, " ") != "grants search tools censor" {
		t.Error(got)
	}
}

func TestSearchKeepsLimits(t *testing.T) {
	a := &all{}
	for range 30 {
		a.hits = append(a.hits, Hit{Document: Document{ID: "a", Body: strings.Repeat("x", MaxBody)}})
	}
	a.hits[0].Document.Body = "\xff"
	reply, err := newAll(t, a).Search(t.Context(), &wire.SearchRequest{Limit: 2})
	if err != nil || len(reply.GetHits()) != 2 || len(reply.GetHits()[0].GetDocument().GetBody()) != 0 {
		t.Errorf("%d %v", len(reply.GetHits()), err)
	}
	if reply, err = newAll(t, a).Search(t.Context(), &wire.SearchRequest{Limit: 30}); err != nil || len(reply.GetHits()) != 4 {
		t.Errorf("%d of 30 large hits: %v", len(reply.GetHits()), err)
	}
}

func TestVerdicts(t *testing.T) {
	a := &all{verdicts: []Verdict{Keep(), Redact("r"), Redact(""), Drop(), {}}}
	req := &wire.CensorRequest{}
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		req.Passages = append(req.Passages, &wire.Passage{Id: id})
	}
	reply, err := newAll(t, a).Censor(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range reply.GetVerdicts() {
		got = append(got, v.GetId()+":"+strings.TrimPrefix(v.GetKind().String(), "VERDICT_KIND_")+v.GetText())
	}
	if strings.Join(got, " ") != "a:KEEP b:REDACTr c:DROP d:DROP e:DROP" {
		t.Error(got)
	}
	a.verdicts = a.verdicts[1:]
	if _, err := newAll(t, a).Censor(t.Context(), req); err == nil || !strings.Contains(err.Error(), "4 verdicts on 5 passages") {
		t.Error(err)
	}
}

func TestHostsOfOtherVersions(t *testing.T) {
	for offered, want := range map[string]string{
		"": "", "1": "", "2,1": "", "1,x": "",
		"2":   "this connector speaks plugin protocol 1 and this Footnote speaks 2: upgrade the connector",
		"3,2": "upgrade the connector",
		"0":   "upgrade Footnote",
	} {
		err := speaks(offered, 1)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", offered, err)
		}
	}
}
