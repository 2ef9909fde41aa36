package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// intake takes pushes in and says that everything was written.
type intake struct {
	mu     sync.Mutex
	pushes []core.Push
	held   chan struct{} // a push waits until something comes
	inside chan struct{} // told when it begins to
	err    error
}

func (i *intake) Pusher(_ context.Context, secret string) (Pusher, error) {
	switch secret {
	case "wiki":
		return Pusher{Token: "ci", Source: "wiki"}, nil
	case "open": // of a source with a rule of its own
		return Pusher{Token: "open", Source: "open", HostAccess: true}, nil
	case "ann":
		return Pusher{}, core.Errorf(core.KindDenied, "This token speaks for a person.")
	}
	return Pusher{}, core.Errorf(core.KindNotFound, "no token")
}

func (i *intake) Push(_ context.Context, _ string, p core.Push) (core.Pushed, error) {
	if i.held != nil {
		i.inside <- struct{}{}
		<-i.held
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.pushes = append(i.pushes, p)
	out := core.Pushed{Documents: map[string]core.PushedDocument{}}
	for _, ch := range p.Changes {
		switch ch := ch.(type) {
		case core.Upsert:
			out.Documents[ch.Document.ExternalID] = core.PushedDocument{Outcome: core.PushWritten}
		case core.Removal:
			out.Documents[ch.ExternalID] = core.PushedDocument{Outcome: core.PushDeleted}
		}
	}
	return out, i.err
}

func takesPushes(t *testing.T) (*world, *intake) {
	i := &intake{}
	return start(t, func(o *Options, _ *bot.Options) { o.Pushes = i }), i
}

// result is "id outcome" of each document, then the notes.
func result(t *testing.T, r reply) string {
	t.Helper()
	var a PushAnswer
	if err := json.Unmarshal([]byte(r.body), &a); err != nil {
		t.Fatalf("%d %s", r.status, r.body)
	}
	var list []string
	for _, d := range a.Documents {
		list = append(list, d.ID+" "+string(d.Outcome))
	}
	for range a.Notes {
		list = append(list, "note")
	}
	return strings.Join(list, ", ")
}

func TestPush(t *testing.T) {
	w, i := takesPushes(t)
	const a = `{"id": "a", "title": "A", "text": "alpha", "access": ["public"], "url": "https://x.example/a", "meta": {"k": "v"}, "updated": "2026-01-02T03:04:05+01:00"}`
	for _, row := range []struct{ name, token, body, want string }{
		{"one", "wiki", a, "a written"},
		{"several", "wiki", `{"documents": [` + a + `, {"id": "b", "file": {"name": "b.pdf", "base64": "JVBERg=="}, "access": []}], "delete": ["c"]}`, "a written, b written, c deleted"},
		{"a deletion", "wiki", `{"id": "c", "delete": true}`, "c deleted"},
		{"only deletions", "wiki", `{"delete": ["c", "d"]}`, "c deleted, d deleted"},
		{"nothing: a sign of life", "wiki", `{"documents": []}`, ""},
		{"twice", "wiki", `{"documents": [` + a + `, {"id": "b", "text": "b", "access": ["workspace"]}, {"id": "a", "text": "second", "access": ["workspace"]}]}`, "a written, b written, note"},
		{"deleted and brought", "wiki", `{"documents": [` + a + `], "delete": ["a"]}`, "a deleted, note"},
		{"the source's rule", "open", `{"id": "a", "text": "x"}`, "a written"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if r := w.call(row.token, "POST", "/documents?source=", row.body); r.status != 200 || result(t, r) != row.want {
				t.Errorf("%d %s", r.status, r.body)
			}
		})
	}
	first := i.pushes[0].Changes[0].(core.Upsert).Document
	if first.MediaType != "text/markdown" || first.Updated.Hour() != 2 || len(first.Access) != 1 || first.Meta["k"] != "v" {
		t.Errorf("document %+v", first)
	}
	file := i.pushes[1].Changes[1].(core.Upsert).Document.Files[0]
	if string(i.pushes[1].Files[file.Ref]) != "%PDF" || file.Size != 4 {
		t.Errorf("file %+v of %v", file, i.pushes[1].Files)
	}
	if second := i.pushes[5].Changes[0].(core.Upsert).Document; second.Body != "second" {
		t.Errorf("of two the first counts: %+v", second)
	}
	if u := i.pushes[7].Changes[0].(core.Upsert); !u.HostAccess {
		t.Error("the source's own rule does not count")
	}
}

func TestPushLines(t *testing.T) {
	w, i := takesPushes(t)
	send := func(body string) reply {
		r, err := http.NewRequestWithContext(t.Context(), "POST", w.url+"/documents", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-ndjson")
		r.Header.Set("Authorization", "Bearer wiki")
		return w.whole(w.raw(r, true)) // NDJSON is more than one JSON value
	}
	var lines strings.Builder
	for n := range 10_000 {
		fmt.Fprintf(&lines, `{"id": "d%d", "text": "Text %d.", "access": ["public"]}`+"\n\n", n, n)
	}
	if r := send(lines.String()); r.status != 200 || strings.Count(r.body, `"written"`) != 10_000 || len(i.pushes[0].Changes) != 10_000 {
		t.Errorf("%d %.200s", r.status, r.body)
	}
	if r := send(lines.String() + `{"id": "more", "delete": true}`); r.status != 413 || !strings.Contains(r.body, "10000") {
		t.Errorf("one more: %d %.200s", r.status, r.body)
	}
	if r := send(`{"id": "a", "delete": true}` + "\n{"); r.status != 400 || !strings.Contains(r.body, "Line 2") {
		t.Errorf("half a line: %d %s", r.status, r.body)
	}
	if r := send("{\"id\": \"\xff\", \"delete\": true}"); r.status != 400 || !strings.Contains(r.body, "UTF-8") {
		t.Errorf("invalid UTF-8: %d %s", r.status, r.body)
	}
	if len(i.pushes) != 1 {
		t.Errorf("%d pushes came through", len(i.pushes))
	}
}

func TestPushRefusals(t *testing.T) {
	w, i := takesPushes(t)
	const good = `{"id": "good", "text": "x", "access": ["public"]}`
	for name, doc := range map[string]string{
		"no access":      `{"id": "bad", "text": "x"}`,
		"access is null": `{"id": "bad", "text": "x", "access": null}`,
		"no principal":   `{"id": "bad", "text": "x", "access": ["everybody"]}`,
		"no id":          `{"text": "x", "access": ["public"]}`,
		"NUL":            `{"id": "a\u0000b", "text": "x", "access": ["public"]}`,
		"long id":        `{"id": "` + strings.Repeat("x", 1025) + `", "text": "x", "access": ["public"]}`,
		"nothing in it":  `{"id": "bad", "access": ["public"]}`,
		"address":        `{"id": "bad", "text": "x", "url": "javascript:alert(1)", "access": ["public"]}`,
		"unknown field":  `{"id": "bad", "text": "x", "acess": ["public"]}`,
		"base64":         `{"id": "bad", "file": {"name": "a.pdf", "base64": "?"}, "access": ["public"]}`,
		"file name":      `{"id": "bad", "file": {"name": "", "base64": ""}, "access": ["public"]}`,
		"wrong type":     `{"id": "bad", "text": 7, "access": ["public"]}`,
		"date":           `{"id": "bad", "text": "x", "updated": "yesterday", "access": ["public"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			before := len(i.pushes)
			if r := w.attack("wiki", "POST", "/documents", doc); r.status != 400 || len(i.pushes) != before {
				t.Errorf("alone: %d %s", r.status, r.body)
			}
			if r := w.attack("wiki", "POST", "/documents", `{"documents": [`+doc+`, `+good+`], "complete": true}`); r.status != 400 || len(i.pushes) != before {
				t.Errorf("in a complete push: %d %s", r.status, r.body)
			}
			r := w.attack("wiki", "POST", "/documents", `{"documents": [`+doc+`, `+good+`]}`)
			if r.status != 200 || !strings.Contains(result(t, r), "refused, good written") {
				t.Fatalf("beside a good one: %d %s", r.status, r.body)
			}
			if last := i.pushes[len(i.pushes)-1]; !last.Partial || len(last.Changes) != 1 {
				t.Errorf("push %+v", last)
			}
		})
	}
}

func TestPushIsHeldToItsLimits(t *testing.T) {
	w, i := takesPushes(t)
	const body = `{"id": "a", "delete": true}`
	for _, row := range []struct {
		name, token, path, body string
		status                  int
	}{
		{"no token", "", "/documents", body, 401},
		{"unknown or expired", "gone", "/documents", body, 401},
		{"of a person", "ann", "/documents", body, 403},
		{"another source", "wiki", "/documents?source=open", body, 403},
		{"its source", "wiki", "/documents?source=wiki", body, 200},
		{"large", "wiki", "/documents", `{"id": "` + strings.Repeat("x", maxPush) + `"}`, 413},
		{"no JSON", "wiki", "/documents", `{"id"`, 400},
		{"a list", "wiki", "/documents", `[]`, 400},
		{"two objects", "wiki", "/documents", body + body, 400},
		{"unknown key", "wiki", "/documents", `{"documents": [], "all": true}`, 400},
	} {
		if r := w.attack(row.token, "POST", row.path, row.body); r.status != row.status {
			t.Errorf("%s: %d %.300s", row.name, r.status, r.body)
		}
	}
	if r := w.attack("wiki", "GET", "/documents", ""); r.status != 405 {
		t.Errorf("GET: %d", r.status)
	}
	i.err = core.Errorf(core.KindNotFound, "There is no source %q any more.", "wiki")
	if r := w.call("wiki", "POST", "/documents", body); r.status != 404 {
		t.Errorf("source is gone: %d %s", r.status, r.body)
	}
	i.err, i.held, i.inside = nil, make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	for range pushesAtOnce {
		all.Go(func() { w.call("wiki", "POST", "/documents", body) })
		<-i.inside
	}
	if r := w.call("wiki", "POST", "/documents", body); r.status != 429 || r.header.Get("Retry-After") == "" {
		t.Errorf("one too many at once: %d %s", r.status, r.body)
	}
	close(i.held)
	all.Wait()
	if r := start(t, nil).attack("wiki", "POST", "/documents", body); r.status != 404 {
		t.Errorf("where nobody takes pushes: %d", r.status)
	}
}
