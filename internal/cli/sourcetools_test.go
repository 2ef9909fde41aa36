package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

func directly(d *deskUser, email string) core.Question {
	viewer, err := d.rights.person(d.t.Context(), email)
	if err != nil {
		d.t.Fatal(err)
	}
	return core.Question{Viewer: viewer, Audience: core.Audience{AskerOnly: true, Principals: viewer.Principals}}
}

func toolNames(tools []agent.Tool) (names []string) {
	for _, tool := range tools {
		names = append(names, tool.Spec().Name)
	}
	return names
}

func TestToolsOfAConnector(t *testing.T) {
	t.Parallel()
	w := pay()
	w.Tools = []string{"read", "write"}
	d := withDesk(t, w)
	d.mustSync(syncFlags{})
	ann := directly(d, "ann@example.com")
	offers := func(q core.Question, f core.Filter) []string { return toolNames(d.sources.toolbox(t.Context(), q, f)) }
	shared, unknown := ann, ann
	shared.Audience.AskerOnly, unknown.Viewer.Email = false, ""
	for name, test := range map[string]struct {
		q    core.Question
		f    core.Filter
		want []string
	}{
		"one known person":  {ann, core.Filter{}, []string{"desk_read"}},
		"several readers":   {shared, core.Filter{}, nil},
		"nobody knows who":  {unknown, core.Filter{}, nil},
		"another source":    {ann, core.Filter{Sources: []string{"wiki"}}, nil},
		"a place's sources": {ann, core.Filter{Within: []core.Collection{{Name: "c", Sources: []string{"desk"}}}}, []string{"desk_read"}},
	} {
		if got := offers(test.q, test.f); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
	run := func(q core.Question, key string) (agent.Result, error) {
		tools := d.sources.toolbox(t.Context(), q, core.Filter{})
		return tools[0].Run(t.Context(), agent.Call{Question: q, Filter: core.Filter{Principals: q.Viewer.Principals}, Arguments: fmt.Appendf(nil, `{"key":%q}`, key)})
	}
	if got, err := run(ann, "7"); err != nil || got.Text != "read of 7 for ann@example.com" || got.Outside != "desk/read" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := run(ann, "pay"); err != nil || len(got.Documents) != 1 || got.Documents[0].Passage.ID == 0 || got.Note != "read of pay for ann@example.com" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := run(directly(d, "eve@example.com"), "pay"); core.KindOf(err) != core.KindDenied {
		t.Errorf("what eve may not read: %+v, %v", got, err)
	}
	if _, err := run(ann, "nothing"); core.KindOf(err) != core.KindInvalid || !strings.Contains(err.Error(), "no such key") {
		t.Errorf("a wrong call: %v", err)
	}
}

// A source whose tools cannot be offered has none, and doctor says why.
func TestToolsThatNoModelTakes(t *testing.T) {
	t.Parallel()
	w := pay()
	w.Tools = []string{"read", "bad"}
	d := withDesk(t, w)
	d.mustSync(syncFlags{})
	if tools := d.sources.toolbox(t.Context(), directly(d, "ann@example.com"), core.Filter{}); len(tools) != 0 {
		t.Fatal(toolNames(tools))
	}
	if k := d.checkSource(t.Context(), d.src); k.Outcome != failed || !strings.Contains(k.Detail, "bad") {
		t.Fatalf("%+v", k)
	}
	// Another process, other tools.
	w.Tools = []string{"look"}
	d.says(w)
	if err := d.host.Forget(t.Context(), "desk"); err != nil {
		t.Fatal(err)
	}
	d.mustSync(syncFlags{})
	if got := toolNames(d.sources.toolbox(t.Context(), directly(d, "ann@example.com"), core.Filter{})); !slices.Equal(got, []string{"desk_look"}) {
		t.Fatal(got)
	}
}

// What changes something is offered where the configuration names it, and is not
// run where nobody can be asked.
func TestToolsThatChangeSomething(t *testing.T) {
	t.Parallel()
	server := modeltest.Start(modeltest.Script{Replies: []modeltest.Reply{
		{Calls: []modeltest.Call{{ID: "c1", Name: "desk_write", Arguments: json.RawMessage(`{"key":"7"}`)}, {ID: "c2", Name: "desk_read", Arguments: json.RawMessage(`{"key":"8"}`)}}},
		{Text: "Done."},
	}})
	defer server.Close()
	w := pay()
	w.Tools = []string{"read", "write"}
	d := withDesk(t, w, "FOOTNOTE_MODEL_BASE_URL="+server.URL, "FOOTNOTE_MODEL_NAME=scripted")
	d.app.cfg.Sources = append(d.app.cfg.Sources, listedDesk("write"))
	d.mustSync(syncFlags{})
	q := directly(d, "ann@example.com")
	q.Text, q.Place.Thread, q.Place.Kind, q.Audience.Class = "Write 7", "thread", core.PlaceDirect, "dm"
	turn, err := d.agent.Answer(t.Context(), q, func(core.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	requests := server.Requests()
	var results []string
	for _, m := range requests[len(requests)-1].Chat.Messages {
		if m.Role == "tool" {
			results = append(results, m.Content)
		}
	}
	if len(results) != 2 || !strings.Contains(results[0], "nobody can be asked") || !strings.Contains(results[1], "read of 8 for ann@example.com") {
		t.Fatal(results)
	}
	// It rests on what the ledger cannot be asked about: nobody knows it later.
	if !slices.Equal(turn.Used, []string{"/desk/read"}) {
		t.Fatal(turn.Used)
	}
	readable, err := d.store.Readable(context.Background(), core.Filter{Bypass: true}, turn.Used)
	if err != nil || readable[turn.Used[0]] {
		t.Fatalf("%v, %v", readable, err)
	}
}
