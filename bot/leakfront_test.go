package bot_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/bot/httpapi"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/find"
)

// door is what the HTTP interface needs beside the desk: tokens are the local
// parts of addresses.
type door struct{ w *world }

func (d door) Holder(_ context.Context, secret string) (httpapi.Holder, error) {
	for _, v := range []core.Viewer{boss, bob} {
		if name, _, _ := strings.Cut(v.Email, "@"); name == secret {
			v.Account, v.Class = "", core.AccountUnknown
			return httpapi.Holder{Token: secret, Viewer: v}, nil
		}
	}
	return httpapi.Holder{}, core.Errorf(core.KindNotFound, "no token")
}

func (d door) Agent(string) (core.Agent, bool) { return core.Agent{}, false }

func (d door) Search(ctx context.Context, by httpapi.Reader, wish httpapi.Wish) ([]core.Result, error) {
	return d.w.finder.Search(ctx, find.Query{Queries: []string{wish.Query}, Filter: by.Audience.Filter(), Limit: wish.Limit, Viewer: &by.Viewer})
}

func (d door) Around(ctx context.Context, by httpapi.Reader, results []core.Result) ([][]core.Result, error) {
	return d.w.finder.Expand(ctx, find.Query{Filter: by.Audience.Filter(), Viewer: &by.Viewer}, results, 1, 1)
}

func (d door) Readable(ctx context.Context, by httpapi.Reader, documents []string) (map[string]bool, error) {
	return access.ReadableNow(ctx, d.w.ledger, by.Audience, documents)
}

// Over HTTP everybody gets what they may read themselves, and an old answer only
// while that holds.
func TestHTTPTellsEverybodyTheirOwn(t *testing.T) {
	w := newWorld(t, parrot)
	docs := library()
	w.put(docs...)
	front := httptest.NewServer(httpapi.New(httpapi.Options{
		Desk: w.desk, Turns: w.ledger, Searcher: door{w}, Tokens: door{w}, Agents: door{w}, NewID: w.id,
	}))
	defer front.Close()
	do := func(token, method, path, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, front.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(raw)
	}
	const send, question = "/chat/send-chat-message", `{"message":"What are the salaries of managers?","stream":`
	_, mine := do("boss", "POST", send, question+"false}")
	has(t, "L2: the boss's answer", mine, "BODYCANARY", "https://hr.example/URLCANARY")
	_, stream := do("boss", "POST", send, question+"true}")
	has(t, "L2: the boss's stream", stream, "BODYCANARY", `"type":"done"`)
	for _, answer := range []string{mine, stream} {
		lacks(t, "an answer over HTTP", answer, `"offer"`)
	}
	for _, row := range []struct{ path, body string }{
		{send, question + "false}"}, {send, question + "true}"}, {"/search", `{"query":"salaries of managers"}`},
	} {
		status, theirs := do("bob", "POST", row.path, row.body)
		lacks(t, "bob over "+row.path, theirs, hrCanaries...)
		if has(t, "bob over "+row.path, theirs, "LEVELS"); status != http.StatusOK {
			t.Errorf("%s: status %d", row.path, status)
		}
	}
	_, rest, _ := strings.Cut(mine, `"turn_id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	if status, again := do("boss", "GET", "/chat/turns/"+id+"/events", ""); status != http.StatusOK || !strings.Contains(again, "BODYCANARY") {
		t.Errorf("replayed with status %d", status)
	}
	if status, other := do("bob", "GET", "/chat/turns/"+id+"/events", ""); status != http.StatusNotFound {
		t.Errorf("bob gets the boss's turn: %d %s", status, other)
	}
	docs[0].Access = core.Access{core.User("somebody@example.com")}
	w.put(docs[0])
	status, closed := do("boss", "GET", "/chat/turns/"+id+"/events", "")
	if lacks(t, "a closed answer", closed, hrCanaries...); status != http.StatusForbidden {
		t.Errorf("a closed answer is replayed with status %d", status)
	}
}

// In the terminal the offer stands beside the answer and never in it.
func TestConsoleKeepsTheOfferOutOfTheAnswer(t *testing.T) {
	w := newWorld(t, parrot)
	w.put(library()...)
	for kind, offered := range map[core.PlaceKind]bool{core.PlacePublic: true, core.PlaceDirect: false} {
		var out, errs bytes.Buffer
		here := place(kind, "console")
		q := core.Question{Text: salaries, Viewer: boss, Place: here, Audience: access.Audience(here, boss)}
		if _, err := (console.Screen{Out: &out, Err: &errs}).Ask(t.Context(), w.agent, q); err != nil {
			t.Fatal(err)
		}
		has(t, "the answer", out.String(), "LEVELS")
		if strings.Contains(errs.String(), "privately") != offered || strings.Contains(out.String(), "privately") {
			t.Errorf("%s: out %q, err %q", kind, out.String(), errs.String())
		}
		if kind == core.PlacePublic {
			lacks(t, "L1: the terminal", out.String()+errs.String(), hrCanaries...)
		} else {
			has(t, "L2: the terminal", out.String(), "BODYCANARY")
		}
	}
}
