package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

func TestExplainTellsWhy(t *testing.T) {
	t.Parallel()
	u, _ := withModel(t, modeltest.Script{Replies: []modeltest.Reply{
		searchFor("visitors parking level"),
		{Text: "On level minus two [1].", Usage: &modeltest.Usage{Prompt: 1000, Completion: 10}},
	}})
	u.env["FOOTNOTE_PRICES"] = "[{model: scripted, input: 2, output: 10}]"
	a := u.ask("ask", "Where do visitors park?", "--as", "ann@example.com")
	u.env["FOOTNOTE_MEMBERS_DOMAINS"] = "example.com"
	text := u.must("explain", a.TurnID)
	for _, want := range []string{
		"question: Where do visitors park?", "asked by ann@example.com", "internal_search",
		"visitors parking level", "call 2 of scripted", "system", "1000 tokens in, 10 out",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	var e explanation
	if err := json.Unmarshal([]byte(u.must("explain", a.TurnID, "--json")), &e); err != nil {
		t.Fatal(err)
	}
	if e.TurnID != a.TurnID || e.Asker != "ann@example.com" || len(e.Trace) == 0 {
		t.Errorf("explanation = %+v", e)
	}
	if o := u.run("explain", "nope"); o.code != exitNotFound || !strings.Contains(o.err, "nope") {
		t.Errorf("unknown turn: %+v", o)
	}
}

func TestExplainQuotes(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	a := u.ask("ask", "Where do visitors park?")
	if text := u.must("explain"); !strings.Contains(text, a.TurnID) {
		t.Errorf("the latest turn:\n%s", text)
	}
	if text := u.must("explain", a.TurnID); !strings.Contains(text, "docs/parking.md") || !strings.Contains(text, "mode quotes") {
		t.Errorf("explanation:\n%s", text)
	}
}

func checksOf(t *testing.T, o outcome) map[string]check {
	t.Helper()
	out := map[string]check{}
	for line := range strings.Lines(o.out) {
		var k check
		if err := json.Unmarshal([]byte(line), &k); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		out[k.Name] = k
	}
	return out
}

func TestDoctorSaysHowToMend(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	o := u.run("doctor", "--json")
	checks := checksOf(t, o)
	if o.code != 0 || checks["sources"].Outcome != warned || checks["sources"].Fix == "" || checks["model"].Outcome != warned {
		t.Errorf("fresh folder: %+v", o)
	}
	u.write(library())
	u.must("source", "add", "files", "docs", "--name", "docs")
	if k := checksOf(t, u.run("doctor", "--json"))["source docs"]; k.Outcome != warned || k.Fix != "footnote sync docs" {
		t.Errorf("unread source: %+v", k)
	}
	u.must("sync")
	o = u.run("doctor", "--json")
	checks = checksOf(t, o)
	if o.code != 0 || checks["source docs"].Outcome != passed || checks["index"].Outcome != passed || checks["data folder"].Outcome != passed {
		t.Errorf("all well: %+v", o)
	}
	u.write(map[string]string{"broken.yaml": "sources: [{name: bad, connector: files, config: {dirr: x}}]\n"})
	if k := checksOf(t, u.run("doctor", "--json", "--config", "broken.yaml"))["source bad"]; k.Outcome != failed || !strings.Contains(k.Detail, "dirr") {
		t.Errorf("broken settings: %+v", k)
	}
	u.must("source", "remove", "bad")
	if o := u.run("doctor"); o.code != 0 || !strings.Contains(o.out, "→") {
		t.Errorf("as text: %+v", o)
	}
	if o := u.run("doctor", "modle"); o.code != exitUsage || !strings.Contains(o.err, "footnote doctor model") {
		t.Errorf("near word: %+v", o)
	}
}

func TestDoctorModelRemembers(t *testing.T) {
	t.Parallel()
	u, server := withModel(t, modeltest.Script{Models: []string{"other"}, Key: "right"})
	o := u.run("doctor", "model", "--json")
	if o.code != exitFailure || checksOf(t, o)["key"].Outcome != failed {
		t.Errorf("wrong key: %+v", o)
	}
	if k := checksOf(t, u.run("doctor", "--json"))["model"]; k.Outcome != failed || !strings.Contains(k.Fix, "doctor model") {
		t.Errorf("remembered: %+v", k)
	}
	server.Close()
	if o := u.run("doctor", "model", "--json"); o.code != exitFailure || checksOf(t, o)["reachable"].Outcome != failed {
		t.Errorf("down: %+v", o)
	}
	delete(u.env, "FOOTNOTE_MODEL_BASE_URL")
	delete(u.env, "FOOTNOTE_MODEL_NAME")
	delete(u.env, "FOOTNOTE_MODEL_API_KEY")
	if o := u.run("doctor", "model"); o.code != exitConfig || !strings.Contains(o.err, "model.base_url") {
		t.Errorf("no model: %+v", o)
	}
}

func TestAgents(t *testing.T) {
	t.Parallel()
	u, server := withModel(t, modeltest.Script{Replies: []modeltest.Reply{{Text: "Arr."}, {Text: "Arr again."}}})
	u.must("agent", "add", "pirate", "--instructions", "Answer {asker} like a pirate.", "--sources", "docs", "--model", "parrot")
	if o := u.run("agent", "add", "lost", "--sources", "docs,dosc"); o.code != exitNotFound || !strings.Contains(o.err, `"dosc"; did you mean docs?`) {
		t.Errorf("a source that does not exist: %+v", o)
	}
	if o := u.run("ask", "x", "--agent", "pirat"); o.code != exitNotFound || !strings.Contains(o.err, "did you mean pirate?") {
		t.Errorf("near name: %+v", o)
	}
	if a := u.ask("ask", "Where?", "--agent", "pirate", "--as", "ann@example.com"); a.Text != "Arr." {
		t.Errorf("answer = %+v", a)
	}
	request := server.Requests()[0].Chat
	told := ""
	for _, m := range request.Messages {
		told += m.Content + "\n"
	}
	if request.Model != "parrot" || !strings.Contains(told, "ann@example.com like a pirate") {
		t.Errorf("model %q was told\n%s", request.Model, told)
	}
	var v agentView
	if err := json.Unmarshal([]byte(u.must("agent", "show", "pirate", "--json")), &v); err != nil || !slices.Equal(v.Sources, []string{"docs"}) || v.Tools != nil || v.From != core.FromCommand {
		t.Errorf("agent %+v: %v", v, err)
	}
	u.env["FOOTNOTE_AGENTS"] = "[{name: pirate, instructions: other}]"
	if o := u.run("agent", "list"); o.code != exitConfig || !strings.Contains(o.err, `"pirate"`) {
		t.Errorf("same name in both: %+v", o)
	}
	delete(u.env, "FOOTNOTE_AGENTS")
	u.must("agent", "remove", "pirate")
	if o := u.run("agent", "show", "pirate"); o.code != exitNotFound {
		t.Errorf("removed: %+v", o)
	}
	u.env["FOOTNOTE_AGENTS"] = "[{name: clerk, instructions: Be brief.}]"
	if o := u.run("agent", "remove", "clerk"); o.code != exitDenied {
		t.Errorf("from the configuration: %+v", o)
	}
}

func TestFallbackModelAnswers(t *testing.T) {
	t.Parallel()
	u, first := withModel(t, modeltest.Script{})
	second := modeltest.Start(modeltest.Script{Replies: []modeltest.Reply{{Text: "From the second."}}})
	t.Cleanup(second.Close)
	first.Close()
	u.env["FOOTNOTE_MODEL_FALLBACK"] = "[{base_url: '" + second.URL + "', name: spare}]"
	if a := u.ask("ask", "Hello?"); a.Text != "From the second." {
		t.Errorf("answer = %+v", a)
	}
	r := second.Requests()[0]
	if r.Chat.Model != "spare" || strings.Contains(r.Header.Get("Authorization"), "sk-secret-key") {
		t.Errorf("model %q, authorization %q: a key must not go to another endpoint", r.Chat.Model, r.Header.Get("Authorization"))
	}
}

// Commands run in the process that holds the folder, with its configuration.
func TestAChangedFileIsToldWhileAProcessHoldsTheFolder(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	a := u.opened()
	const told = "was changed after"
	if o := u.in(a, "source", "list"); strings.Contains(o.err, told) {
		t.Errorf("nothing was changed: %+v", o)
	}
	u.write(map[string]string{"footnote.yaml": "members: {domains: [example.com]}\n"})
	if o := u.in(a, "source", "list"); o.code != 0 || !strings.Contains(o.err, "footnote.yaml "+told) {
		t.Errorf("source list: %+v", o)
	}
	o := u.in(a, "doctor", "--json")
	if k := checksOf(t, o)["configuration"]; k.Outcome != warned || !strings.Contains(k.Detail, told) || !strings.Contains(k.Fix, "footnote serve") || o.err != "" {
		t.Errorf("doctor: %+v, %+v", k, o)
	}
}
