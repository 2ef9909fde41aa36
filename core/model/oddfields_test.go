package model_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// What a field beside the text holds never costs the answer.
func TestOddFieldsKeepTheAnswer(t *testing.T) {
	usage := func(u string) string { return `data: {"choices":[],"usage":` + u + "}\n\n" }
	rows := []struct {
		name  string
		raw   []string
		usage core.Usage
	}{
		{"a byte order mark", []string{"\ufeff" + textLine("hello")}, core.Usage{}},
		{"usage with fractions", []string{textLine("hello"), usage(`{"prompt_tokens":12.0,"completion_tokens":3.5}`)}, core.Usage{PromptTokens: 12, CompletionTokens: 3}},
		{"usage as text", []string{textLine("hello"), usage(`{"prompt_tokens":"12","completion_tokens":null}`)}, core.Usage{PromptTokens: 12}},
		{"negative usage", []string{textLine("hello"), usage(`{"prompt_tokens":-5,"completion_tokens":-99999}`)}, core.Usage{}},
		{"usage beyond reason", []string{textLine("hello"), usage(`{"prompt_tokens":9223372036854775807,"completion_tokens":1e30}`)}, core.Usage{}},
		{"usage that is a list", []string{textLine("hello"), usage(`[1]`)}, core.Usage{}},
		{"a finish reason that is a number", []string{textLine("hello"), `data: {"choices":[{"delta":{},"finish_reason":5}]}` + "\n\n"}, core.Usage{}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			srv := start(t, modeltest.Script{Replies: []modeltest.Reply{{Raw: row.raw}}})
			reply, err := client(t, srv.URL, nil).Stream(t.Context(), model.Request{}, func(model.Delta) error { return nil })
			if err != nil || reply.Text != "hello" || reply.Usage != row.usage {
				t.Errorf("got %q, %+v, %v", reply.Text, reply.Usage, err)
			}
		})
	}
}

func TestCallWithNumberAsID(t *testing.T) {
	srv := start(t, modeltest.Script{Replies: []modeltest.Reply{{Raw: []string{
		`data: {"choices":[{"delta":{"tool_calls":[{"index":"0","id":5,"function":{"name":"lookup","arguments":"{"}}]}}]}` + "\n\n",
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0.0,"function":{"arguments":"}"}}]}}]}` + "\n\n",
	}}}})
	reply, err := client(t, srv.URL, nil).Stream(t.Context(), model.Request{}, func(model.Delta) error { return nil })
	if err != nil || len(reply.Calls) != 1 || reply.Calls[0].ID != "5" || reply.Calls[0].Arguments != "{}" {
		t.Errorf("got %+v, %v", reply.Calls, err)
	}
}

// A reply of nothing but blanks is read in a time that grows with its length, not
// with the square of it.
func TestBlanksOnly(t *testing.T) {
	lines := strings.Repeat(textLine(" "), 60_000)
	srv := start(t, modeltest.Script{Replies: []modeltest.Reply{{Raw: []string{lines}}}})
	ctx, cancel := timeout(t, 60*time.Second)
	defer cancel()
	reply, err := client(t, srv.URL, nil).Stream(ctx, model.Request{}, func(model.Delta) error { return nil })
	if err != nil || strings.TrimSpace(reply.Text) != "" {
		t.Errorf("got %d bytes, %v", len(reply.Text), err)
	}
}

// No redirect takes the key to another host, whatever header it stands in.
func TestKeyStaysWithItsHost(t *testing.T) {
	for _, profile := range []string{"azure", "openai"} {
		t.Run(profile, func(t *testing.T) {
			other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				t.Errorf("the other host was asked with %v", r.Header)
			}))
			t.Cleanup(other.Close)
			first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, other.URL+"/models", http.StatusFound)
			}))
			t.Cleanup(first.Close)
			c, err := model.New(model.Config{BaseURL: first.URL + "/v1", Name: "m", APIKey: "secret", Profile: profile})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Models(t.Context()); err == nil {
				t.Error("a redirect passed for a list of models")
			}
		})
	}
}
