package bot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/extract"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/core/ingest"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/core/model/modeltest"
	"github.com/footnote-bot/footnote/prompts"
	"github.com/footnote-bot/footnote/store"
	"github.com/footnote-bot/footnote/store/index"
)

// shelf is a connector without a process: it sends the documents that it holds.
type shelf []core.Document

func (shelf) CanList() bool { return false }

func (s shelf) Sync(_ context.Context, _ core.Cursor, _ core.SyncReason, each func(core.Change) error) error {
	for _, d := range s {
		if err := each(core.Upsert{Document: d}); err != nil {
			return err
		}
	}
	return each(core.Checkpoint{Cursor: core.Cursor(time.Now().String())})
}

func (shelf) List(context.Context, func(string, string) error) error {
	return core.Errorf(core.KindInternal, "a shelf cannot be listed")
}

func (shelf) Fetch(context.Context, string, int64) (io.ReadCloser, core.FileRef, error) {
	return nil, core.FileRef{}, core.Errorf(core.KindInternal, "a shelf has no attachments")
}

// world is the whole way of a question, from the desk to ledger and index, with a
// model that thinks as the test says.
type world struct {
	t      testing.TB
	ledger *store.Store
	syncer *ingest.Syncer
	finder *find.Finder
	server *modeltest.Server
	desk   *bot.Desk
	agent  *agent.Agent
	log    *bytes.Buffer // at level info

	mu    sync.Mutex
	kinds map[string]core.Place // what is known of a place now, by id
	audit []core.AuditEntry
	mails int // sent by the model
	turns int
}

// syncBuffer may be written from several goroutines.
type syncBuffer struct {
	mu *sync.Mutex
	to *bytes.Buffer
}

func (b syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.to.Write(p)
}

func newWorld(t testing.TB, think func(modeltest.Chat) modeltest.Reply, change ...func(*agent.Options)) *world {
	t.Helper()
	w := &world{t: t, log: &bytes.Buffer{}, kinds: map[string]core.Place{}}
	log := slog.New(slog.NewTextHandler(syncBuffer{&w.mu, w.log}, &slog.HandlerOptions{Level: slog.LevelInfo}))
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	w.ledger, err = store.Open(t.Context(), dir, log)
	must(err)
	words, err := index.Open(t.Context(), filepath.Join(dir, "index"), index.Options{Install: "test", Log: log})
	must(err)
	reader := extract.New(extract.Options{Executable: os.Args[0]})
	w.syncer = ingest.New(ingest.Options{Ledger: w.ledger, Outbox: w.ledger, Index: words, Fresh: true, Extractor: reader, Log: log})
	must(w.syncer.Reconcile(t.Context()))
	w.finder = find.New(find.Options{Index: words, Gate: w.ledger, Log: log})
	w.server = modeltest.Start(modeltest.Script{Think: think})
	llm, err := model.New(model.Config{BaseURL: w.server.URL, Name: "test"})
	must(err)
	o := agent.Options{
		Model: llm, Searcher: w.finder, Opener: w.finder, Recorder: w.ledger, Memory: w.ledger, Documents: w.ledger,
		NewID: w.id, Log: log,
	}
	for _, f := range change {
		f(&o)
	}
	w.agent = agent.New(o)
	w.desk = bot.NewDesk(bot.Options{
		Answerer: w.agent, Turns: w.ledger, Documents: w.ledger, NewID: w.id, Log: log, Audience: w.audience, Audit: w.note,
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		if err := w.desk.Close(ctx); err != nil {
			t.Error(err)
		}
		w.agent.Close()
		w.server.Close()
		for _, c := range []io.Closer{words, w.ledger, reader} {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return w
}

func (w *world) id() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turns++
	return fmt.Sprintf("t%05d", w.turns)
}

// put takes documents in; their ids name the sources.
func (w *world) put(docs ...core.Document) {
	w.t.Helper()
	sources := map[string]shelf{}
	for _, d := range docs {
		d.Source, d.ExternalID, _ = strings.Cut(d.ID, "/")
		if d.MediaType == "" {
			d.MediaType = "text/markdown"
		}
		sources[d.Source] = append(sources[d.Source], d)
	}
	for name, list := range sources {
		src := core.Source{Name: name, Connector: "test", Config: []byte("{}"), Origin: core.FromCommand, Discretion: list[0].Discretion}
		if err := w.ledger.PutSource(w.t.Context(), src); err != nil && core.KindOf(err) != core.KindConflict {
			w.t.Fatal(err)
		}
		report, err := w.syncer.Sync(w.t.Context(), src, list, ingest.SyncOptions{})
		if err != nil || report.Failed > 0 {
			w.t.Fatal(report, err)
		}
	}
}

// audience is what the platform knows of places: what was set last, or what the
// question says.
func (w *world) audience(_ context.Context, place core.Place, viewer core.Viewer) (core.Audience, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now, ok := w.kinds[place.ID]; ok {
		place = now
	}
	return access.Audience(place, viewer), nil
}

func (w *world) become(place core.Place) {
	w.mu.Lock()
	w.kinds[place.ID] = place
	w.mu.Unlock()
	w.desk.Recheck(place.ID)
}

func (w *world) note(_ context.Context, e core.AuditEntry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.audit = append(w.audit, e)
}

func (w *world) audited(turn, action string) (core.AuditEntry, bool) {
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(5 * time.Millisecond) {
		w.mu.Lock()
		for _, e := range w.audit {
			if e.TurnID == turn && e.Action == action {
				w.mu.Unlock()
				return e, true
			}
		}
		w.mu.Unlock()
	}
	return core.AuditEntry{}, false
}

// said is all that one turn brought.
type said struct {
	id     string
	answer core.Answer
	failed *core.Failed
	events string // as JSON, one a line, without offers
	offers int
	asked  string // the requests to the model, as they went out
}

func (s said) all() string { return s.events + "\n" + s.asked }

// ask answers a question and collects everything that left for the model or the
// place.
func (w *world) ask(q core.Question) said {
	w.t.Helper()
	before := len(w.server.Requests())
	r, err := w.desk.Ask(w.t.Context(), q, bot.Wait)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.hear(r, before)
}

func (w *world) hear(r *bot.Running, before int) said {
	w.t.Helper()
	out := said{id: r.ID}
	var lines strings.Builder
	for e := range r.Subscribe(w.t.Context(), 0) {
		raw, err := core.MarshalEvent(e)
		if err != nil {
			w.t.Fatal(err)
		}
		switch e := e.(type) {
		case core.Offered:
			out.offers++
			continue
		case core.Done:
			out.answer = e.Answer
		case core.Failed:
			out.failed = &e
		}
		fmt.Fprintf(&lines, "%s\n", raw)
	}
	out.events = lines.String()
	var asked strings.Builder
	for _, req := range w.server.Requests()[before:] {
		if summary(req.Chat) {
			continue // of an earlier turn, after its end
		}
		asked.Write(req.Body)
		asked.WriteByte('\n')
	}
	out.asked = asked.String()
	return out
}

// given is the documents that stand in a request's tool results.
type given struct {
	Document int    `json:"document"`
	Title    string `json:"title"`
	URL      string `json:"url"`
	Content  string `json:"content"`

	Authors  []string          `json:"authors"`
	Metadata map[string]string `json:"metadata"`
}

func documentsIn(chat modeltest.Chat) []given {
	var out []given
	for _, m := range chat.Messages {
		var result struct{ Results []given }
		if m.Role == "tool" && json.Unmarshal([]byte(m.Content), &result) == nil {
			out = append(out, result.Results...)
		}
	}
	return out
}

// questionIn is the last question that the model was asked.
func questionIn(chat modeltest.Chat) string {
	for i := len(chat.Messages) - 1; i >= 0; i-- {
		if m := chat.Messages[i]; m.Role == "user" && !strings.HasPrefix(m.Content, "<") {
			text, _, _ := strings.Cut(m.Content, "\n\n<")
			return text
		}
	}
	return ""
}

func call(name string, arguments any) modeltest.Call {
	raw, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	return modeltest.Call{Name: name, Arguments: raw}
}

// summary tells whether the model is asked to summarise a thread.
func summary(chat modeltest.Chat) bool { return chat.Messages[0].Content == prompts.SummarySystem() }

// parrot searches with the question's words and then says all that it was given
// and all that was said before, so that whatever it could tell it tells.
func parrot(chat modeltest.Chat) modeltest.Reply {
	searched := slices.ContainsFunc(chat.Messages, func(m modeltest.Message) bool {
		return m.Role == "tool" && m.Content != prompts.ResultGone()
	})
	if !searched && len(chat.Tools) > 0 {
		return modeltest.Reply{Calls: []modeltest.Call{call("internal_search", map[string]any{"queries": []string{questionIn(chat)}})}}
	}
	var b strings.Builder
	if summary(chat) {
		return modeltest.Reply{Text: "In short: " + chat.Messages[1].Content}
	}
	for _, d := range documentsIn(chat) {
		fmt.Fprintf(&b, "%s says: %s %s [%d]\n\n", d.Title, d.Content, d.URL, d.Document)
	}
	for _, m := range chat.Messages[1:] {
		if strings.Contains(m.Content, "In short: ") || m.Role == "assistant" && m.Content != "" {
			fmt.Fprintf(&b, "Before: %s\n\n", m.Content)
		}
	}
	if b.Len() == 0 {
		b.WriteString("Nothing.")
	}
	return modeltest.Reply{Text: b.String(), Split: 40}
}

func person(email string, groups ...core.Principal) core.Viewer {
	v := access.Person(email, true, groups)
	v.Class, v.Account = core.AccountMember, "slack:T/"+email
	return v
}

func place(kind core.PlaceKind, id string) core.Place {
	p := core.Place{ID: "slack:T/" + id, Platform: "slack", Kind: kind, Team: "T", Home: true, Thread: "thread-" + id}
	if kind == core.PlaceUnknown {
		p.Home = false
	}
	return p
}
