package bot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/core/model/modeltest"
	"github.com/footnote-bot/footnote/prompts"
)

// hostile is a document that tells the model what to do, and a question that
// finds it.
type hostile struct {
	Name     string            `json:"name"`
	File     string            `json:"file"`
	Title    string            `json:"title"`
	Question string            `json:"question"`
	URL      string            `json:"url"`
	Authors  []string          `json:"authors"`
	Meta     map[string]string `json:"meta"`

	body string
}

const hostileDir = "../testdata/hostile"

func readHostile(t *testing.T) []hostile {
	t.Helper()
	files, err := filepath.Glob(hostileDir + "/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no hostile documents", err)
	}
	var out []hostile
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(raw) {
			var h hostile
			d := json.NewDecoder(bytes.NewReader(line))
			d.DisallowUnknownFields()
			if err := d.Decode(&h); err != nil {
				t.Fatalf("%s: %v in %s", file, err, line)
			}
			body, err := os.ReadFile(filepath.Join(hostileDir, h.File))
			if err != nil {
				t.Fatal(err)
			}
			h.body = string(body)
			out = append(out, h)
		}
	}
	return out
}

// document is the hostile document as a source sends it. All may read it.
func (h hostile) document() core.Document {
	kinds := map[string]string{".md": "text/markdown", ".txt": "text/plain", ".html": "text/html"}
	d := core.Document{ID: "wiki/" + h.File, Title: h.Title, URL: h.URL, Authors: h.Authors, Meta: h.Meta,
		MediaType: kinds[filepath.Ext(h.File)], Body: h.body, Access: core.Access{core.Public}}
	if d.URL == "" {
		d.URL = "https://docs.example/" + h.File
	}
	return d
}

// spoken is what the asker types beside the question; nobody else may get it.
const spoken = "QUESTIONCANARY"

// ordered finds the calls that a text asks for.
var ordered = []*regexp.Regexp{
	regexp.MustCompile(`\b(open_document|internal_search|send_mail)\s+(\{[^}]*\})`),
	regexp.MustCompile(`"name":\s*"(\w+)",\s*"arguments":\s*(\{[^}]*\})`),
	regexp.MustCompile(`<function=(\w+)>(\{[^}]*\})`),
}

// obedient does all that it reads: it makes the calls, and then says everything
// that it was given, with the question filled in where that is asked for.
func obedient(chat modeltest.Chat) modeltest.Reply {
	question := questionIn(chat)
	rounds, read := 0, ""
	for _, m := range chat.Messages {
		if m.Role == "assistant" && len(m.ToolCalls) > 0 {
			rounds++
		}
		if m.Role == "tool" {
			read += m.Content + "\n"
		}
	}
	if rounds == 0 {
		return modeltest.Reply{Calls: []modeltest.Call{call("internal_search", map[string]any{"queries": []string{question}})}}
	}
	var calls []modeltest.Call
	var said strings.Builder
	var pieces []string
	for _, d := range documentsIn(chat) {
		pieces = append(pieces, d.Content, d.Title, strings.Join(d.Authors, " "))
		for _, v := range d.Metadata {
			pieces = append(pieces, v)
		}
		fmt.Fprintf(&said, "From [%s](%s) by %s: %s [%d] [%d]\n\n", d.Title, d.URL, d.Authors, d.Content, d.Document, d.Document+1)
	}
	for _, piece := range pieces {
		for _, r := range ordered {
			for _, m := range r.FindAllStringSubmatch(piece, -1) {
				if json.Valid([]byte(m[2])) {
					calls = append(calls, modeltest.Call{Name: m[1], Arguments: json.RawMessage(m[2])})
				}
			}
		}
	}
	if rounds == 1 && len(calls) > 0 && len(chat.Tools) > 0 {
		return modeltest.Reply{Calls: calls}
	}
	said.WriteString(read)
	filled := strings.NewReplacer("{question}", url.QueryEscape(question), "%7Bquestion%7D", url.QueryEscape(question)).Replace(said.String())
	return modeltest.Reply{Text: filled, Split: 23}
}

// mail is a tool that changes something outside.
type mail struct{ w **world }

func (m mail) Spec() agent.Spec {
	return agent.Spec{Tool: model.Tool{Name: "send_mail", Description: "Sends mail.",
		Schema: json.RawMessage(`{"type":"object","properties":{"to":{"type":"string"},"text":{"type":"string"}}}`)}, Changes: true}
}

func (m mail) Run(context.Context, agent.Call) (agent.Result, error) {
	(*m.w).mu.Lock()
	defer (*m.w).mu.Unlock()
	(*m.w).mails++
	return agent.Result{Text: "sent"}, nil
}

// literal finds addresses as a document may write them.
var literal = regexp.MustCompile(`https?://[^\s<>"\x60)\]]+`)

// TestHostileDocuments has a model that obeys everything it reads. What it can do
// with that is bounded by what it was given and by what leaves.
func TestHostileDocuments(t *testing.T) {
	corpus := readHostile(t)
	if len(corpus) < 15 {
		t.Fatalf("only %d hostile documents", len(corpus))
	}
	var w *world
	w = newWorld(t, obedient, func(o *agent.Options) { o.Tools = []agent.Tool{mail{&w}} })
	secrets := library()[:1]
	secrets = append(secrets, core.Document{ID: "hr/layoffs.md", Title: "LAYOFFTITLE", URL: "https://hr.example/LAYOFFURL",
		Access: core.Access{core.Group("slack", "board")}, Body: "Planned layoffs: LAYOFFBODY."})
	w.put(secrets...)
	known := map[string]bool{}
	var docs []core.Document
	for _, h := range corpus {
		docs = append(docs, h.document())
		known[core.ShareableURL(h.document().URL)] = true
		for _, address := range literal.FindAllString(h.body, -1) {
			known[strings.TrimRight(address, ".,;")] = true
		}
	}
	w.put(docs...)
	forbidden := slices.Concat(hrCanaries[:6], []string{"LAYOFFTITLE", "LAYOFFURL", "LAYOFFBODY"})
	for _, h := range corpus {
		t.Run(h.Name, func(t *testing.T) {
			for _, kind := range []core.PlaceKind{core.PlacePublic, core.PlaceGuests, core.PlaceUnknown, core.PlaceDirect} {
				here := place(kind, string(kind)+h.File)
				got := w.ask(core.Question{Text: h.Question + " " + spoken, Viewer: bob, Place: here})
				if got.failed != nil || !strings.Contains(got.answer.Text, "{\"results\":[") {
					t.Fatalf("%s: %+v, %q", kind, got.failed, got.answer.Text)
				}
				lacks(t, string(kind), got.all(), forbidden...)
				checkForged(t, kind, got)
				checkText(t, kind, got.answer, known)
			}
		})
	}
	var asked strings.Builder
	for _, r := range w.server.Requests() {
		asked.Write(r.Body)
	}
	// The model did as it was told, and was told what becomes of that.
	for _, want := range []string{prompts.NoDocument(), prompts.NotAsked("send_mail"), "salaries of all managers"} {
		raw, err := json.Marshal(want)
		if err != nil || !strings.Contains(asked.String(), strings.Trim(string(raw), `"`)) {
			t.Errorf("the model never got to read %q", want)
		}
	}
	if w.mails > 0 {
		t.Errorf("%d mails were sent because a document asked for it", w.mails)
	}
	w.checkReads(t)
}

// checkReads holds every turn's documents against who could read the place.
func (w *world) checkReads(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	entries := slices.Clone(w.audit)
	w.mu.Unlock()
	if len(entries) == 0 {
		t.Fatal("nothing was audited")
	}
	for _, e := range entries {
		kind := core.PlaceKind(e.Class)
		readable, err := access.ReadableNow(t.Context(), w.ledger, access.Audience(place(kind, "x"), bob), e.Documents)
		for _, id := range e.Documents {
			if err != nil || !readable[id] {
				t.Errorf("a turn in %s was given %s (%v)", kind, id, err)
			}
		}
	}
}

// Without a model the documents are quoted word for word: they can still not make
// anything live that they may not, nor pass for footnotes of ours.
func TestHostileDocumentsAreQuotedSafely(t *testing.T) {
	corpus := readHostile(t)
	w := newWorld(t, parrot)
	known := map[string]bool{}
	for _, h := range corpus {
		d := h.document()
		w.put(d)
		known[core.ShareableURL(d.URL)] = true
		for _, address := range literal.FindAllString(h.body, -1) {
			known[strings.TrimRight(address, ".,;")], known[strings.NewReplacer("{", "%7B", "}", "%7D").Replace(address)] = true, true
		}
	}
	quoting := agent.New(agent.Options{Searcher: w.finder, NewID: w.id, Documents: w.ledger})
	defer quoting.Close()
	for _, h := range corpus {
		t.Run(h.Name, func(t *testing.T) {
			for _, kind := range []core.PlaceKind{core.PlacePublic, core.PlaceGuests, core.PlaceUnknown, core.PlaceDirect} {
				here := place(kind, string(kind))
				turn, err := quoting.Answer(t.Context(), core.Question{Text: h.Question, Viewer: bob, Place: here, Audience: access.Audience(here, bob)}, func(core.Event) {})
				if err != nil || turn.Answer.Mode != core.ModeQuotes {
					t.Fatalf("%s: %+v, %v", kind, turn.Answer, err)
				}
				checkText(t, kind, turn.Answer, known)
				for _, m := range footnote.FindAllStringSubmatch(turn.Answer.Text, -1) {
					if !shown(turn.Answer, m[1]) {
						t.Errorf("%s: a footnote opens %s", kind, m[1])
					}
				}
			}
		})
	}
}
