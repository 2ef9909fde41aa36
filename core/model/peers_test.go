//go:build peers

package model_test

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
)

// peer starts the independent server and returns its base URL. A machine that
// lacks what it needs fails the test: whoever asks for these tests wants them run.
func peer(t *testing.T) string {
	t.Helper()
	return program(t, "server.mjs", "fixtures.json")
}

// program starts a program of the peers and returns the base URL that it prints.
func program(t *testing.T, words ...string) string {
	t.Helper()
	dir := filepath.Join("testdata", "peers")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("the tests against an independent server need node, version 20.15 or later: install it and run make peers again")
	}
	cmd := exec.Command(node, words...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
		kill.Stop()
	})
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		_ = stdin.Close()
		_ = cmd.Wait()
		t.Fatalf("the server did not start (%v); run npm ci in core/model/%s, or make peers, which does it:\n%s", err, dir, stderr.String())
	}
	return strings.TrimSpace(url)
}

func peerRequest(text string) model.Request {
	return model.Request{
		Messages: []model.Message{{Role: model.System, Content: "Be short."}, {Role: model.User, Content: text}},
		Tools: []model.Tool{{Name: "weather", Description: "Tells the weather in one city.",
			Schema: raw(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)}},
	}
}

func TestPeers(t *testing.T) {
	url := peer(t)
	ask := func(t *testing.T, req model.Request, change func(*model.Config)) (model.Reply, int, error) {
		t.Helper()
		deltas := 0
		reply, err := client(t, url, change).Stream(t.Context(), req, func(model.Delta) error { deltas++; return nil })
		return reply, deltas, err
	}
	t.Run("stream", func(t *testing.T) {
		got, deltas, err := ask(t, peerRequest("What is the notice period?"), nil)
		const want = "The notice period is three months; in probation it is two weeks. 通知期限为三个月。"
		if err != nil || got.Text != want || got.Finish != "stop" || got.Usage.PromptTokens <= 0 || got.Usage.CompletionTokens <= 0 {
			t.Fatalf("got %+v, %v", got, err)
		}
		if deltas < 5 {
			t.Errorf("the text came in %d pieces", deltas)
		}
	})
	t.Run("thoughts", func(t *testing.T) {
		got, _, err := ask(t, peerRequest("think about three and four"), nil)
		if err != nil || got.Text != "Seven." || got.Reasoning != "Three and four are seven." {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("calls and the answer after their results", func(t *testing.T) {
		req := peerRequest("What is the weather in Oslo and Lima?")
		got, _, err := ask(t, req, nil)
		want := []model.ToolCall{
			{ID: "call_oslo", Name: "weather", Arguments: `{"city":"Oslo"}`}, {ID: "call_lima", Name: "weather", Arguments: `{"city":"Lima"}`}}
		if err != nil || got.Finish != "tool_calls" {
			t.Fatalf("got %+v, %v", got, err)
		}
		if diff := cmp.Diff(want, got.Calls); diff != "" {
			t.Fatal(diff)
		}
		req.Messages = append(req.Messages, model.Message{Role: model.Assistant, ToolCalls: got.Calls},
			model.Message{Role: model.ToolRole, ToolCallID: "call_oslo", Content: "rain"},
			model.Message{Role: model.ToolRole, ToolCallID: "call_lima", Content: "sunny"})
		got, _, err = ask(t, req, nil)
		if err != nil || got.Text != "It rains in Oslo and is sunny in Lima." || got.Calls != nil {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("429, then fine", func(t *testing.T) {
		began := time.Now()
		got, _, err := ask(t, peerRequest("busy at first"), nil)
		if err != nil || got.Attempts != 2 || got.Text != "Now there is time." {
			t.Fatalf("got %+v, %v", got, err)
		}
		if waited := time.Since(began); waited < time.Second {
			t.Errorf("asked again after %v, the server asked for 1 s", waited)
		}
	})
	t.Run("a fault that stays", func(t *testing.T) {
		got, _, err := ask(t, peerRequest("always down"), nil)
		if core.KindOf(err) != core.KindUnavailable || got.Attempts != 3 {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("cut in mid-answer", func(t *testing.T) {
		got, _, err := ask(t, peerRequest("break off"), nil)
		if core.KindOf(err) != core.KindUnavailable || !strings.HasPrefix("This answer breaks off before it is complete, as it should.", got.Text) || got.Text == "" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("fallback", func(t *testing.T) {
		ch, err := model.NewChain(model.Config{BaseURL: url + "/nowhere", Name: "first", Retries: -1}, []model.Config{{BaseURL: url, Name: "second"}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := ch.Stream(t.Context(), peerRequest("What is the notice period?"), func(model.Delta) error { return nil })
		if err != nil || got.Model != "second" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("embeddings", func(t *testing.T) {
		c := embedder(t, url, nil)
		got, err := c.Embed(t.Context(), []string{"leave policy"})
		if diff := cmp.Diff([][]float32{{0.25, -0.5, 0.75}}, got); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
		many, err := c.Embed(t.Context(), someTexts(70))
		if err != nil || len(many) != 70 {
			t.Errorf("got %d vectors, %v", len(many), err)
		}
	})
}
