package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// withModel is a user with a library and a scripted model.
func withModel(t *testing.T, script modeltest.Script) (*user, *modeltest.Server) {
	t.Helper()
	u := withLibrary(t)
	server := modeltest.Start(script)
	t.Cleanup(server.Close)
	u.env["FOOTNOTE_MODEL_BASE_URL"] = server.URL
	u.env["FOOTNOTE_MODEL_NAME"] = "scripted"
	u.env["FOOTNOTE_MODEL_API_KEY"] = "sk-secret-key"
	return u, server
}

func searchFor(query string) modeltest.Reply {
	return modeltest.Reply{Calls: []modeltest.Call{{ID: "c1", Name: "internal_search", Arguments: fmt.Appendf(nil, `{"queries":[%q]}`, query)}}}
}

func TestModelAnswerLinksItsFootnotes(t *testing.T) {
	t.Parallel()
	u, server := withModel(t, modeltest.Script{Replies: []modeltest.Reply{
		searchFor("visitors parking level"),
		{Text: "Visitors park on level minus two [1].", Split: 3},
	}})
	a := u.ask("ask", "Where do visitors park?")
	if a.Mode != core.ModeModel || len(a.Citations) != 1 || a.Citations[0].DocumentID != "docs/parking.md" {
		t.Fatalf("answer = %+v", a)
	}
	if want := "Visitors park on level minus two [[1]](" + a.Citations[0].URL + ")."; a.Text != want {
		t.Errorf("text = %q, want %q", a.Text, want)
	}
	requests := server.Requests()
	if len(requests) != 2 {
		t.Fatalf("%d model calls, want 2", len(requests))
	}
	last := requests[1].Chat.Messages
	if first := last[0]; first.Role != "system" {
		t.Errorf("first message has role %s", first.Role)
	}
	var result string
	for _, m := range last {
		if m.Role == "tool" {
			result = m.Content
		}
	}
	for _, want := range []string{`"document":1`, "Parking", "level minus two"} {
		if !strings.Contains(result, want) {
			t.Errorf("the tool result lacks %q:\n%s", want, result)
		}
	}
}

func TestModelFaultsAnswerWithQuotes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		reply modeltest.Reply
		code  int
		want  string
	}{
		{"refused key", modeltest.Reply{Status: 401}, exitConfig, "model.api_key"},
		{"wrong name", modeltest.Reply{Status: 404}, exitConfig, "scripted"},
		{"server fault", modeltest.Reply{Status: 500}, exitOK, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			u, _ := withModel(t, modeltest.Script{Replies: []modeltest.Reply{row.reply, row.reply, row.reply}, Models: []string{"other"}})
			o := u.run("ask", "Where do visitors park?")
			if o.code != row.code || !strings.Contains(o.out, "level minus two") || !strings.Contains(o.err, "note: ") || !strings.Contains(o.err, row.want) {
				t.Errorf("outcome = %+v", o)
			}
			if strings.Contains(o.out+o.err, "sk-secret-key") {
				t.Error("the key is shown")
			}
		})
	}
}

func TestModelDownAnswersWithQuotes(t *testing.T) {
	t.Parallel()
	u, server := withModel(t, modeltest.Script{})
	server.Close()
	o := u.run("ask", "Where do visitors park?")
	if o.code != exitOK || !strings.Contains(o.out, "level minus two") || !strings.Contains(o.err, "model.base_url") {
		t.Errorf("outcome = %+v", o)
	}
}

func TestCutAnswerKeepsItsText(t *testing.T) {
	t.Parallel()
	u, _ := withModel(t, modeltest.Script{Replies: []modeltest.Reply{
		searchFor("visitors parking"),
		{Chunks: []string{"Visitors park", " on level", " minus two"}, CutAfter: modeltest.N(2)},
	}})
	o := u.run("ask", "Where do visitors park?")
	if o.code != exitFailure || !strings.Contains(o.out, "Visitors park on level") {
		t.Errorf("outcome = %+v", o)
	}
}

func TestInterruptKeepsTheTextSoFar(t *testing.T) {
	t.Parallel()
	u, _ := withModel(t, modeltest.Script{Replies: []modeltest.Reply{
		searchFor("visitors parking"),
		{Chunks: []string{"Visitors park"}, HangAfter: modeltest.N(1)},
	}})
	out := newWaiter("Visitors park")
	var errs strings.Builder
	inv := u.invocation(strings.NewReader(""), out, &errs, "ask", "Where do visitors park?")
	done := make(chan int, 1)
	go func() { done <- inv.run(t.Context()) }()
	out.wait(t)
	inv.streams.Interrupts.Signal()
	if code := <-done; code != exitInterrupted {
		t.Errorf("exit code %d\n%s", code, errs.String())
	}
	if got := out.String(); got != "Visitors park\n" {
		t.Errorf("text = %q", got)
	}
}
