package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

func serve(t testing.TB, h http.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

// host keeps what a sync sends.
type host struct {
	docs   map[string]sdk.Document
	failed map[string]error
	marks  []string
	stopAt int
}

var errStopped = errors.New("the host stopped")

func (h *host) Document(d sdk.Document) error {
	if h.stopAt > 0 && len(h.docs) == h.stopAt {
		return errStopped
	}
	h.docs[d.ID] = d
	return nil
}
func (h *host) Failed(id string, err error) error { h.failed[id] = err; return nil }
func (h *host) Checkpoint(c sdk.Cursor) error     { h.marks = append(h.marks, string(c)); return nil }

func newHost() *host { return &host{docs: map[string]sdk.Document{}, failed: map[string]error{}} }

// tool calls one of the tools that are offered.
func tool(t testing.TB, s *Source, ctx context.Context, name, args string) (string, error) {
	t.Helper()
	tools := s.Tools()
	i := slices.IndexFunc(tools, func(t sdk.Tool) bool { return t.Name == name })
	if i < 0 {
		t.Fatalf("there is no tool %s", name)
	}
	got, err := tools[i].Run(ctx, sdk.Caller{}, json.RawMessage(args))
	text, _ := got.Value.(string)
	return text, err
}

// Both ways to a server give the same.
func TestServers(t *testing.T) {
	t.Setenv("FOOTNOTE_SECRET_OF_THE_HOST", "x")
	dir := folder(t)
	program := child(t, "server", dir)
	program.Token, program.TokenName = "token-of-the-tests", "API_TOKEN"
	for name, s := range map[string]*Source{"program": program, "address": overHTTP(t, dir)} {
		t.Run(name, func(t *testing.T) {
			started(t, s)
			tools := map[string]bool{}
			for _, tool := range s.Tools() {
				tools[tool.Name] = tool.Changes
				if tool.Help == "" || !json.Valid(tool.Schema) {
					t.Errorf("%s: %q %s", tool.Name, tool.Help, tool.Schema)
				}
			}
			if diff := cmp.Diff(map[string]bool{
				"big": false, "die": false, "echo": false, "environment": false, "grow": false, "mixed": false, "wait": false,
				"notes_save": true, safeName("notes/save"): true, safeName("notes.save"): true,
			}, tools); diff != "" {
				t.Error(diff)
			}
			if got, err := tool(t, s, t.Context(), "echo", `{"text": "hello"}`); err != nil || got != "hello" {
				t.Errorf("%q, %v", got, err)
			}
			for args, want := range map[string]string{`{"text": "fail"}`: "there is no echo here", `[]`: "not one JSON object", `{`: "not one JSON object", `{"text": 7}`: "text", `{}`: "text"} {
				if _, err := tool(t, s, t.Context(), "echo", args); sdk.KindOf(err) != "invalid" || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v", args, err)
				}
			}
			if got, err := tool(t, s, t.Context(), "big", `{}`); err != nil || len(got) > longestResult+200 || !strings.Contains(got, "[cut: the answer takes") {
				t.Errorf("%d, %v", len(got), err)
			}
			if got, err := tool(t, s, t.Context(), "mixed", `{}`); err != nil || got != "look\n\n[a picture, image/png, 5 bytes]\n\n[the resource note:///a.md, a]" {
				t.Errorf("%q, %v", got, err)
			}
			for _, tl := range s.Tools() {
				if tl.Changes {
					got, err := tl.Run(t.Context(), sdk.Caller{}, json.RawMessage(`{"text": "x"}`))
					if text, _ := got.Value.(string); err != nil || !strings.HasSuffix(text, "save saved x") {
						t.Errorf("%s: %v, %v", tl.Name, got.Value, err)
					}
				}
			}
			reads(t, s)
			if name == "address" {
				return
			}
			got, err := tool(t, s, t.Context(), "environment", `{}`)
			want := []string{"API_TOKEN=token-of-the-tests", dirEnv + "=" + dir, modeEnv + "=server", "GORACE=" + quickEnd}
			if lines := strings.Split(got, "\n"); err != nil || !slices.Equal(slices.Sorted(slices.Values(lines)), want) {
				t.Errorf("the program's environment: %q, %v", got, err)
			}
		})
	}
}

func reads(t *testing.T, s *Source) {
	h := newHost()
	if err := s.sync(t.Context(), nil, h); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sdk.Document{
		ID: "note:///a.md", Title: "a.md", Body: "# Tea\n\nIs at four.", MediaType: "text/markdown", Kind: "resource", Access: sdk.HostAccess, Meta: map[string]string{"description": "A note."},
	}, h.docs["note:///a.md"]); diff != "" || len(h.docs) != 3 || len(h.failed) != 0 {
		t.Errorf("%d documents, %v: %s", len(h.docs), h.failed, diff)
	}
	files := h.docs["note:///c.bin"].Files
	if len(files) != 1 || files[0].Name != "c.bin" || files[0].MediaType != "application/pdf" {
		t.Fatalf("%+v", files)
	}
	f, err := s.Fetch(t.Context(), files[0].Ref)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(f.Content); err != nil || string(text) != "%PDF-1.4 of the tests" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := s.Fetch(t.Context(), "0 note:///c.bin"); sdk.KindOf(err) != "gone" {
		t.Error(err)
	}
	if err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "10 tools; 3 of them may change") || !strings.Contains(err.Error(), "3 resources") {
		t.Error(err)
	}
}

// A stopped pass goes on behind the last checkpoint.
func TestStoppedAndResumed(t *testing.T) {
	dir := t.TempDir()
	for i := range 120 {
		name := filepath.Join(dir, "n"+string(rune('a'+i/26))+string(rune('a'+i%26))+".md")
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := started(t, child(t, "server", dir))
	h := newHost()
	h.stopAt = 70
	if err := s.sync(t.Context(), nil, h); !errors.Is(err, errStopped) || len(h.marks) != 1 {
		t.Fatalf("%v, %v", err, h.marks)
	}
	rest := newHost()
	if err := s.sync(t.Context(), sdk.Cursor(h.marks[0]), rest); err != nil || len(rest.docs) != 70 {
		t.Fatalf("%d, %v", len(rest.docs), err)
	}
	maps.Copy(rest.docs, h.docs)
	if len(rest.docs) != 120 {
		t.Errorf("%d documents", len(rest.docs))
	}
}

func TestToolsChange(t *testing.T) {
	s := started(t, child(t, "server", folder(t)))
	before := len(s.Tools())
	if _, err := tool(t, s, t.Context(), "grow", `{}`); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(generous); len(s.Tools()) == before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the new tool is not seen")
		}
	}
}

func TestCancelReachesTheServer(t *testing.T) {
	dir := folder(t)
	s := started(t, child(t, "server", dir))
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() { _, err := tool(t, s, ctx, "wait", `{}`); failed <- err }()
	appears(t, filepath.Join(dir, ".waiting"))
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	appears(t, filepath.Join(dir, ".cancelled"))
	if got, err := tool(t, s, t.Context(), "echo", `{"text": "still here"}`); err != nil || got != "still here" {
		t.Errorf("%q, %v", got, err)
	}
}

func appears(t *testing.T, file string) {
	t.Helper()
	for deadline := time.Now().Add(generous); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not appear", file)
		}
	}
}
