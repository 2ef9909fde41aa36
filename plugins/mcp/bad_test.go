package mcp

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// A server that does not do as it should is an error that says so, soon.
func TestBadServers(t *testing.T) {
	for mode, want := range map[string]string{
		"crash": "it printed: there is no licence", "garbage": "the server does not begin", "oversized": "the server does not begin", "silent": "it did not answer within 150ms",
	} {
		t.Run(mode, func(t *testing.T) {
			s := child(t, mode, t.TempDir())
			s.most = 64 << 10
			if mode == "silent" {
				s.Timeout = 150 * time.Millisecond
			}
			started(t, s)
			if err := s.sync(t.Context(), nil, newHost()); err == nil || !strings.Contains(err.Error(), want) {
				t.Error(err)
			}
			if err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
				t.Error(err)
			}
			if got := s.Tools(); len(got) != 0 {
				t.Errorf("%d tools", len(got))
			}
		})
	}
}

// A server of an older protocol that ends at the first word it does not know is
// asked again in the older way.
func TestOlderServer(t *testing.T) {
	s := started(t, child(t, "old", folder(t)))
	if got, err := tool(t, s, t.Context(), "echo", `{"text": "as ever"}`); err != nil || got != "as ever" {
		t.Errorf("%q, %v", got, err)
	}
}

// After a crash the tools stay, the call that met it fails and is not repeated, and
// the next one starts the server anew.
func TestServerThatDies(t *testing.T) {
	s := started(t, child(t, "server", folder(t)))
	if _, err := tool(t, s, t.Context(), "die", `{}`); err == nil || sdk.KindOf(err) == "invalid" {
		t.Errorf("the call that killed it: %v", err)
	}
	if got, err := tool(t, s, t.Context(), "echo", `{"text": "again"}`); err != nil || got != "again" {
		t.Errorf("%q, %v", got, err)
	}
}

// A program that stays whatever is closed is ended with all that it started.
func TestProgramIsEndedWithItsGroup(t *testing.T) {
	dir := t.TempDir()
	s := child(t, "hang", dir)
	p, err := startProgram(s.Command, nil, []string{modeEnv + "=hang", dirEnv + "=" + dir}, dir)
	if err != nil {
		t.Fatal(err)
	}
	appears(t, filepath.Join(dir, "pids"))
	p.patience = 10 * time.Millisecond
	p.close()
	text, err := os.ReadFile(filepath.Join(dir, "pids"))
	if err != nil {
		t.Fatal(err)
	}
	var server, below int
	if _, err := fmt.Sscan(string(text), &server, &below); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{server, below} {
		for deadline := time.Now().Add(generous); alive(pid); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d still runs", pid)
			}
		}
	}
}

// alive is false for a process that ended and that nobody asked after yet.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func TestRefusedOverHTTP(t *testing.T) {
	other := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	for name, c := range map[string]struct {
		change     func(*Source)
		kind, want string
	}{
		"token":   {func(s *Source) { s.Token = "wrong-token" }, "auth", "401"},
		"private": {func(s *Source) { s.AllowPrivate, s.URL = false, strings.Replace(s.URL, "http://", "https://", 1) }, "config", "is not public"},
		"elsewhere": {func(s *Source) {
			s.URL = serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other, http.StatusTemporaryRedirect) }))
		}, "", "leads to another host"},
		"not a server": {func(s *Source) {
			s.URL = serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }))
		}, "", "does not begin"},
	} {
		s := overHTTP(t, folder(t))
		c.change(s)
		started(t, s)
		err := s.Check(t.Context())
		if err == nil || sdk.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "wrong-token") {
			t.Errorf("%s: %q %v", name, sdk.KindOf(err), err)
		}
	}
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"93.184.216.34:443": "public", "[2606:4700::1]:443": "public", "127.0.0.1:80": "private", "10.1.2.3:80": "private", "192.168.1.1:80": "private", "172.16.0.1:80": "private",
		"100.64.1.1:80": "private", "[::1]:80": "private", "[fd00::1]:80": "private", "[::ffff:10.0.0.1]:80": "private",
		"169.254.169.254:80": "never", "[fe80::1]:80": "never", "0.0.0.0:80": "never", "[64:ff9b::a00:1]:80": "never", "nonsense": "never",
	} {
		got := "never"
		if checkAddress(address, true) == nil {
			got = "private"
		}
		if checkAddress(address, false) == nil {
			got = "public"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func TestSettings(t *testing.T) {
	for want, s := range map[string]*Source{
		"command: there is neither": {}, "url: there are both": {Command: "sh", URL: "https://a.example"}, "is not there or cannot be run": {Command: "/nowhere/server"},
		"token_name: ": {Command: "sh", Token: "x"}, "headers: ": {Command: "sh", Headers: map[string]string{"A": "b"}}, "has to begin with https://": {URL: "http://a.example"},
		"is not an address": {URL: "a.example/mcp"}, "secrets belong into token": {URL: "https://a:b@c.example"}, "args: ": {URL: "https://a.example", Args: []string{"x"}}, "offer: ": {Command: "sh", Offer: []string{"prompts"}},
	} {
		if err := s.Start(t.Context(), &sdk.Env{}); sdk.KindOf(err) != "config" || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Tools that a model could not be given are left out, with the reason.
func TestOfferedTools(t *testing.T) {
	deep := map[string]any{"type": "object", "description": strings.Repeat("x", largestSchema)}
	list := []*mcp.Tool{
		{Name: "b", InputSchema: map[string]any{"type": "object"}}, {Name: "a", InputSchema: map[string]any{}}, {Name: "a", InputSchema: map[string]any{}}, nil, {Name: ""},
		{Name: "list", InputSchema: []any{}}, {Name: "text", InputSchema: map[string]any{"type": "string"}}, {Name: "large", InputSchema: deep}, {Name: strings.Repeat("long", 30), InputSchema: nil},
	}
	tools, left := (&Source{}).offered(list)
	var names []string
	for _, tl := range tools {
		names = append(names, tl.Name)
		if !tl.Changes || len(tl.Name) > longestName {
			t.Errorf("%+v", tl)
		}
	}
	if len(names) != 3 || names[0] != "a" || names[1] != "b" || len(left) != 4 {
		t.Errorf("%v; left out: %v", names, left)
	}
	tools, left = (&Source{OnlyTools: []string{"b", "z"}}).offered(list)
	if len(tools) != 1 || len(left) != 1 || left[0] != "z: the server has no such tool" {
		t.Errorf("%v; left out: %v", tools, left)
	}
}

// A list that leads in a circle ends.
func TestPagesInACircle(t *testing.T) {
	s := started(t, child(t, "server", folder(t)))
	_, err := paged(t.Context(), s.link, "listing", func(context.Context, *session, string) ([]int, string, error) { return nil, "again", nil })
	if err == nil || !strings.Contains(err.Error(), "leads in a circle") {
		t.Error(err)
	}
}
