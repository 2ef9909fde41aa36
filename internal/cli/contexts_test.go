package cli

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// manual is a document of two passages.
func manual(last string) map[string]string {
	return map[string]string{"docs/manual.md": "# Manual\n\n## Start\n\nPress the green button for ten seconds.\n" +
		strings.Repeat("The lamp shows what it does. ", 80) + "\n\n## Stop\n\n" + last + "\n" + strings.Repeat("It takes a while. ", 80) + "\n"}
}

// withContexts is a user with the manual and a model that says of each passage what
// stands in no document.
func withContexts(t *testing.T, think func(modeltest.Chat) modeltest.Reply) (*user, *modeltest.Server) {
	t.Helper()
	u := newUser(t)
	u.write(manual("Press the red button."))
	u.must("source", "add", "files", "docs", "--name", "docs")
	server := modeltest.Start(modeltest.Script{Think: think})
	t.Cleanup(server.Close)
	u.env["FOOTNOTE_RETRIEVAL_CONTEXTS_BASE_URL"] = server.URL
	u.env["FOOTNOTE_RETRIEVAL_CONTEXTS_NAME"] = "small"
	return u, server
}

func saysKestrel(modeltest.Chat) modeltest.Reply {
	return modeltest.Reply{Text: "About the **kestrel** turbine of <b>Lisbon</b>, see https://evil.example/x", Usage: &modeltest.Usage{Prompt: 100, Completion: 10}}
}

func contextsCheck(u *user) (found check) {
	u.t.Helper()
	for line := range strings.Lines(u.run("doctor", "--json").out) {
		var k check
		if err := json.Unmarshal([]byte(line), &k); err == nil && k.Name == "contexts" {
			found = k
		}
	}
	return found
}

func TestContextsAreSearchedAndNeverShown(t *testing.T) {
	t.Parallel()
	u, server := withContexts(t, saysKestrel)
	u.must("sync")
	if len(server.Requests()) < 2 {
		t.Fatalf("%d calls", len(server.Requests()))
	}
	for _, args := range [][]string{{"search", "kestrel"}, {"search", "kestrel", "--json"}, {"search", "kestrel", "--explain"}, {"ask", "Where is the kestrel button?", "--json"}} {
		out := u.must(args...)
		for _, word := range []string{"turbine", "Lisbon", "evil"} {
			if strings.Contains(out, word) {
				t.Errorf("%v shows a context:\n%s", args, out)
			}
		}
		if args[0] == "search" && !strings.Contains(out, "manual.md") {
			t.Errorf("%v: not found by a context\n%s", args, out)
		}
	}
	// A model that answers is not given them either.
	chat := modeltest.Start(modeltest.Script{Replies: []modeltest.Reply{searchFor("kestrel button"), {Text: "Press it [1]."}}})
	defer chat.Close()
	u.env["FOOTNOTE_MODEL_BASE_URL"], u.env["FOOTNOTE_MODEL_NAME"] = chat.URL, "scripted"
	a := u.ask("ask", "Which button is it?")
	if len(a.Citations) != 1 || a.Citations[0].DocumentID != "docs/manual.md" || strings.Contains(a.Citations[0].Passage, "turbine") {
		t.Errorf("answer = %+v", a)
	}
	for _, r := range chat.Requests() {
		if strings.Contains(string(r.Body), "turbine") {
			t.Errorf("the answering model is given a context: %s", r.Body)
		}
	}
	if k := contextsCheck(u); k.Outcome != passed || !strings.Contains(k.Detail, " have one") {
		t.Errorf("doctor: %+v", k)
	}
	if out := u.must("source", "show", "docs"); !strings.Contains(out, "contexts of passages: ") {
		t.Errorf("source show:\n%s", out)
	}
	for line := range strings.Lines(u.must("usage", "--by", "model", "--json")) {
		if strings.Contains(line, "small") && !strings.HasPrefix(line, `{"by":"reading","key":"contexts","questions":0,`) {
			t.Errorf("calls for contexts count as questions: %s", line)
		}
	}
}

func TestContextsCostOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	u, server := withContexts(t, saysKestrel)
	u.must("sync")
	paid := len(server.Requests())
	u.must("sync", "--full")
	u.must("reindex")
	if n := len(server.Requests()); n != paid {
		t.Errorf("%d calls for what was known", n-paid)
	}
	u.write(manual("Press the blue button."))
	u.must("sync")
	if n := len(server.Requests()); n == paid {
		t.Error("no call for a document that changed")
	}
	// Without the keys nothing is asked any more, and a new index is one of the texts alone.
	paid = len(server.Requests())
	delete(u.env, "FOOTNOTE_RETRIEVAL_CONTEXTS_BASE_URL")
	delete(u.env, "FOOTNOTE_RETRIEVAL_CONTEXTS_NAME")
	u.must("sync", "--full")
	u.must("reindex")
	if out := u.must("search", "kestrel"); strings.Contains(out, "manual.md") || len(server.Requests()) != paid {
		t.Errorf("%d calls, found:\n%s", len(server.Requests())-paid, out)
	}
	if k := contextsCheck(u); k.Name != "" {
		t.Errorf("doctor: %+v", k)
	}
}

func TestContextsAreEmbedded(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	down.Store(true)
	u, server := withContexts(t, func(c modeltest.Chat) modeltest.Reply {
		if down.Load() {
			return modeltest.Reply{Status: 401}
		}
		return saysKestrel(c)
	})
	u.env["FOOTNOTE_EMBEDDINGS_BASE_URL"], u.env["FOOTNOTE_EMBEDDINGS_NAME"] = server.URL, "vectors"
	o := u.run("sync")
	if o.code != 0 || !strings.Contains(o.err, "wait for their contexts") {
		t.Fatalf("a model that is down: %+v", o)
	}
	if k := contextsCheck(u); !strings.Contains(k.Detail, " wait since ") {
		t.Errorf("doctor: %+v", k)
	}
	before := asked(server)
	down.Store(false)
	if o := u.run("sync"); o.code != 0 || strings.Contains(o.err, "wait") {
		t.Fatalf("afterwards: %+v", o)
	}
	if asked(server) == before {
		t.Error("the texts with their contexts were not embedded")
	}
	if k := embeddingsCheck(u); k.Outcome != passed {
		t.Errorf("doctor: %+v", k)
	}
	if k := contextsCheck(u); k.Outcome != passed || strings.Contains(k.Detail, "since") {
		t.Errorf("doctor: %+v", k)
	}
}

// The same in footnote serve, where documents come over HTTP or by schedule.
func TestContextsWhileServing(t *testing.T) {
	t.Parallel()
	u, server := withContexts(t, saysKestrel)
	s := u.serving()
	u.must("sync")
	eventually(t, "the manual is found by its context", func() bool { return strings.Contains(u.must("search", "kestrel"), "manual.md") })
	if len(server.Requests()) == 0 {
		t.Error("nothing was asked")
	}
	if code := s.stop(); code != 0 {
		t.Errorf("serve ended with code %d", code)
	}
}

func TestContextsNeedBothAddressAndName(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(map[string]string{"footnote.yaml": "retrieval: {contexts: {name: small}}\n"})
	if o := u.run("doctor"); o.code != exitCode(core.KindConfig) || !strings.Contains(o.err+o.out, "retrieval.contexts needs both") {
		t.Errorf("%+v", o)
	}
}
