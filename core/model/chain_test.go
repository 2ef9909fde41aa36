package model

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

func serve(t *testing.T, script modeltest.Script) *modeltest.Server {
	t.Helper()
	srv := modeltest.Start(script)
	t.Cleanup(srv.Close)
	return srv
}

func chain(t *testing.T, servers ...*modeltest.Server) *Chain {
	t.Helper()
	var cfgs []Config
	for i, srv := range servers {
		cfgs = append(cfgs, Config{BaseURL: srv.URL, Name: string(rune('a' + i)), Retries: -1, FirstTimeout: 2 * time.Second})
	}
	ch, err := NewChain(cfgs[0], cfgs[1:])
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

func drop(Delta) error { return nil }

func question() Request { return Request{Messages: []Message{{Role: User, Content: "Hello?"}}} }

// Which failures of the first model make the second one answer.
func TestChainPassesOn(t *testing.T) {
	rows := []struct {
		name  string
		first modeltest.Script
		by    string
		kind  core.Kind
	}{
		{"it answers", modeltest.Script{Replies: []modeltest.Reply{{Text: "yes"}}}, "a", ""},
		{"down", modeltest.Script{Replies: []modeltest.Reply{{Status: 503}}}, "b", ""},
		{"busy", modeltest.Script{Replies: []modeltest.Reply{{Status: 429}}}, "b", ""},
		{"wrong key", modeltest.Script{Key: "another"}, "b", ""},
		{"no such model", modeltest.Script{Replies: []modeltest.Reply{{Status: 404}}}, "b", ""},
		{"silent", modeltest.Script{Replies: []modeltest.Reply{{HangAfter: modeltest.N(0)}}}, "b", ""},
		{"cut before the first chunk", modeltest.Script{Replies: []modeltest.Reply{{CutAfter: modeltest.N(0)}}}, "b", ""},
		{"cut after text", modeltest.Script{Replies: []modeltest.Reply{{Text: "half", CutAfter: modeltest.N(1)}}}, "a", core.KindUnavailable},
		{"too long", modeltest.Script{Replies: []modeltest.Reply{{Status: 413}}}, "a", core.KindTooLarge},
		{"refused as it is", modeltest.Script{Replies: []modeltest.Reply{{Status: 400}}}, "a", core.KindInvalid},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			ch := chain(t, serve(t, row.first), serve(t, modeltest.Script{Replies: []modeltest.Reply{{Text: "yes"}}}))
			got, err := ch.Stream(t.Context(), question(), drop)
			if got.Model != row.by || core.KindOf(err) != row.kind {
				t.Errorf("got %q by %q, %v", got.Text, got.Model, err)
			}
		})
	}
}

func TestChainLetsAFailedModelRest(t *testing.T) {
	first := serve(t, modeltest.Script{Replies: []modeltest.Reply{{Status: 503}, {Text: "back"}}})
	second := serve(t, modeltest.Script{Replies: []modeltest.Reply{{Text: "one"}, {Text: "two"}, {Status: 503}}})
	ch := chain(t, first, second)
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	ch.now = func() time.Time { return now }
	for i, step := range []struct {
		pass time.Duration
		by   string
	}{{0, "b"}, {29 * time.Second, "b"}, {2 * time.Second, "a"}} {
		now = now.Add(step.pass)
		if got, err := ch.Stream(t.Context(), question(), drop); err != nil || got.Model != step.by {
			t.Fatalf("step %d: got %q, %v", i, got.Model, err)
		}
	}
	if n := len(first.Requests()); n != 2 {
		t.Errorf("the first model was asked %d times", n)
	}
}

// A model that rests is still better than no answer.
func TestChainAsksTheRestingModelLast(t *testing.T) {
	first := serve(t, modeltest.Script{Replies: []modeltest.Reply{{Status: 503}, {Text: "back"}}})
	second := serve(t, modeltest.Script{Replies: []modeltest.Reply{{Text: "one"}, {Status: 503}}})
	ch := chain(t, first, second)
	for i, by := range []string{"b", "a"} {
		if got, err := ch.Stream(t.Context(), question(), drop); err != nil || got.Model != by {
			t.Fatalf("step %d: got %q, %v", i, got.Model, err)
		}
	}
}

func TestChainNamesAllThatFailed(t *testing.T) {
	ch := chain(t, serve(t, modeltest.Script{Replies: []modeltest.Reply{{Status: 503}, {Status: 503}}}),
		serve(t, modeltest.Script{Key: "another"}), serve(t, modeltest.Script{Replies: []modeltest.Reply{{Status: 429}, {Status: 429}}}))
	for range 2 {
		got, err := ch.Stream(t.Context(), question(), drop)
		var e *core.Error
		if !errors.As(err, &e) || e.Kind != core.KindUnavailable || got.Model != "a" {
			t.Fatalf("got %v of kind %s by %q", err, core.KindOf(err), got.Model)
		}
		for _, part := range []string{"503", "b at ", "(auth)", "c at ", "(busy)"} {
			if !strings.Contains(e.Message, part) {
				t.Errorf("%q does not name %s", e.Message, part)
			}
		}
	}
}

func TestChainStopsWithTheContext(t *testing.T) {
	second := serve(t, modeltest.Script{Replies: []modeltest.Reply{{Text: "yes"}}})
	ch := chain(t, serve(t, modeltest.Script{Replies: []modeltest.Reply{{DelayMS: 60_000}}}), second)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := ch.Stream(ctx, question(), drop); core.KindOf(err) != core.KindCancelled {
		t.Errorf("got %v", err)
	}
	if len(second.Requests()) != 0 {
		t.Error("the second model was asked")
	}
}

func TestChainSuitsAllItsModels(t *testing.T) {
	ch, err := NewChain(Config{BaseURL: "https://api.anthropic.com/v1", Name: "big"},
		[]Config{{BaseURL: "https://api.mistral.ai/v1", Name: "small", ContextWindow: 8_000}})
	if err != nil {
		t.Fatal(err)
	}
	if p := ch.Profile(); p.Name != "anthropic" || !p.ReminderInResult || ch.Window() != 8_000 {
		t.Errorf("got %+v, window %d", p, ch.Window())
	}
	_, err = NewChain(Config{BaseURL: "https://h/v1", Name: "m"}, []Config{{BaseURL: "h", Name: "m"}})
	if core.KindOf(err) != core.KindConfig || !strings.Contains(err.Error(), "model.fallback[0].base_url") {
		t.Errorf("got %v", err)
	}
}
