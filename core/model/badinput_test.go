package model_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

func timeout(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}

// recorder answers every request with what the function makes of its body.
func recorder(t *testing.T, answer func(body []byte) string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answer(body))
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func textLine(text string) string {
	return `data: {"choices":[{"delta":{"content":"` + text + `"}}]}` + "\n\n"
}

// Streams that no server should send, and what becomes of each.
func TestBadStreams(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	rows := []struct {
		name  string
		reply modeltest.Reply
		kind  core.Kind
		text  string
	}{
		{"a byte that is no UTF-8", modeltest.Reply{Raw: []string{textLine("a\xffb")}}, "", "a\uFFFDb"},
		{"a letter cut in two by chunks", modeltest.Reply{Raw: []string{textLine("a\xc3"), textLine("\xbcb")}}, "", "a\uFFFD\uFFFDb"},
		{"half a surrogate pair", modeltest.Reply{Raw: []string{textLine(`a\ud83db`)}}, "", "a\uFFFDb"},
		{"NUL", modeltest.Reply{Raw: []string{textLine(`a\u0000b`)}}, "", "a\u0000b"},
		{"one line of 1 MiB", modeltest.Reply{Raw: []string{textLine(long)}}, "", long},
		{"1 MiB without a line end", modeltest.Reply{Raw: []string{long}, CutAfter: modeltest.N(0)}, core.KindUnavailable, ""},
		{"half a chunk", modeltest.Reply{Raw: []string{textLine("half "), `data: {"choices":[{"delta":{"content":"an`}, CutAfter: modeltest.N(0)}, core.KindUnavailable, "half "},
		{"half a chunk, then the proper end", modeltest.Reply{Raw: []string{textLine("half "), `data: {"choices":[{"delta":{"content":"an` + "\n\n"}}, core.KindUnavailable, "half "},
		{"1,000 comment lines", modeltest.Reply{Raw: []string{strings.Repeat(": thinking\n\n", 1000), textLine("yes")}}, "", "yes"},
		{"1,000 lines of other fields", modeltest.Reply{Raw: []string{strings.Repeat("event: ping\nid: 1\nretry: 5\n", 400), textLine("yes")}}, "", "yes"},
		{"lines with carriage returns", modeltest.Reply{Raw: []string{strings.ReplaceAll(textLine("yes"), "\n", "\r\n")}}, "", "yes"},
		{"no blank behind data", modeltest.Reply{Raw: []string{strings.Replace(textLine("yes"), "data: ", "data:", 1)}}, "", "yes"},
		{"an error without data", modeltest.Reply{Raw: []string{textLine("half "), `{"error":{"message":"out of memory"}}` + "\n"}}, core.KindUnavailable, "half "},
		{"a stream called JSON", modeltest.Reply{Text: "yes", Header: map[string]string{"Content-Type": "application/json"}}, "", "yes"},
		{"a list for a chunk", modeltest.Reply{Raw: []string{"data: [1,2]\n\n"}}, core.KindUnavailable, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, modeltest.Script{Replies: []modeltest.Reply{row.reply}})
			var shown strings.Builder
			got, err := client(t, srv.URL, func(c *model.Config) { c.Retries = -1 }).Stream(t.Context(),
				model.Request{Messages: ask().Messages}, func(d model.Delta) error { shown.WriteString(d.Text); return nil })
			if core.KindOf(err) != row.kind {
				t.Fatalf("got %v", err)
			}
			if got.Text != row.text || shown.String() != row.text {
				t.Errorf("got %.60q, shown %.60q, want %.60q", got.Text, shown.String(), row.text)
			}
			if !utf8.ValidString(got.Text) || got.Calls != nil {
				t.Errorf("got %.60q with calls %v", got.Text, got.Calls)
			}
		})
	}
}

func TestReplyThatNeverEndsIsCut(t *testing.T) {
	if testing.Short() {
		t.Skip("sends 33 MiB")
	}
	srv := start(t, modeltest.Script{Replies: []modeltest.Reply{{Raw: []string{strings.Repeat(textLine(strings.Repeat("x", 1<<20)), 33)}}}})
	got, err := client(t, srv.URL, nil).Stream(t.Context(), model.Request{Messages: ask().Messages}, func(model.Delta) error { return nil })
	if core.KindOf(err) != core.KindTooLarge || len(got.Text) < 30<<20 || !strings.Contains(err.Error(), "model.max_output") {
		t.Errorf("got %v with %d bytes", err, len(got.Text))
	}
}

func TestCallsWithOneIDGetTheirOwn(t *testing.T) {
	call := modeltest.Call{ID: "x", Name: "lookup", Arguments: raw(`{"q":"y"}`)}
	taken := modeltest.Call{ID: "call_3", Name: "lookup", Arguments: raw(`{"q":"z"}`)}
	srv := start(t, modeltest.Script{Replies: []modeltest.Reply{{Calls: []modeltest.Call{taken, call, call, call}}}})
	got, err := client(t, srv.URL, nil).Stream(t.Context(), ask(), func(model.Delta) error { return nil })
	if err != nil || len(got.Calls) != 4 {
		t.Fatalf("got %+v, %v", got.Calls, err)
	}
	seen := map[string]bool{}
	for _, c := range got.Calls {
		if c.ID == "" || seen[c.ID] {
			t.Errorf("the id %q is there twice: %+v", c.ID, got.Calls)
		}
		seen[c.ID] = true
	}
}

// Arguments of native calls that are no object: the text tells the model what is
// wrong, and does not repeat what it wrote.
func TestBadArguments(t *testing.T) {
	schema := raw(`{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}`)
	rows := []struct{ name, arguments, want, fault string }{
		{"an object", `{"q":"x"}`, `{"q":"x"}`, ""},
		{"an object in a string", `"{\"q\":\"x\"}"`, `{"q":"x"}`, ""},
		{"a string", `"secret words"`, "", "a string that is not one JSON object"},
		{"a list", `["secret words"]`, "", "type array"},
		{"null", `null`, "", `"q" is required`},
		{"nothing", ``, "", `"q" is required`},
		{"cut off", `{"q":"secret wor`, "", "byte"},
		{"5 MB", `{"q":"` + strings.Repeat("secret words ", 400_000) + `"}`, "", "5200008 bytes"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			quoted, err := json.Marshal(row.arguments)
			if err != nil {
				t.Fatal(err)
			}
			srv := start(t, modeltest.Script{Replies: []modeltest.Reply{{Calls: []modeltest.Call{{ID: "a", Name: "lookup", Arguments: quoted}}}}})
			reply, err := client(t, srv.URL, nil).Stream(t.Context(), ask(), func(model.Delta) error { return nil })
			if err != nil || len(reply.Calls) != 1 || reply.Calls[0].Arguments != row.arguments {
				t.Fatalf("got %d calls, %v", len(reply.Calls), err)
			}
			got, err := model.Arguments(reply.Calls[0].Arguments, schema)
			if string(got) != row.want || (err != nil) != (row.fault != "") {
				t.Fatalf("got %.80s, %v", got, err)
			}
			if err != nil && (!strings.Contains(err.Error(), row.fault) || strings.Contains(err.Error(), "secret") || len(err.Error()) > 300) {
				t.Errorf("the model is told %.400q", err)
			}
		})
	}
}
