//go:build peers

package mcp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// peer is a source whose server comes from npm.
func peer(t *testing.T, name string, args ...string) *Source {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("make peers needs node")
	}
	script, err := filepath.Abs(filepath.Join("testdata", "peers", "node_modules", "@modelcontextprotocol", name, "dist", "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	return started(t, &Source{Command: node, Args: append([]string{script}, args...), Timeout: time.Minute})
}

// The reference server has every kind of tool and resource.
func TestPeersEverything(t *testing.T) {
	s := peer(t, "server-everything", "stdio")
	if got, err := tool(t, s, t.Context(), "echo", `{"message": "hello"}`); err != nil || !strings.Contains(got, "hello") {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := tool(t, s, t.Context(), "echo", `{}`); sdk.KindOf(err) != "invalid" {
		t.Error(err)
	}
	if tools, left, err := s.tools(t.Context()); err != nil || len(tools) < 5 || len(left) > 0 {
		t.Errorf("%d tools, left out %v, %v", len(tools), left, err)
	}
	h := newHost()
	if err := s.sync(t.Context(), nil, h); err != nil || len(h.docs) == 0 || len(h.failed) > 0 {
		t.Errorf("%d resources, %v, %v", len(h.docs), h.failed, err)
	}
	t.Logf("%d tools, %d resources", len(s.Tools()), len(h.docs))
}

// The file server says which of its tools read only.
func TestPeersFilesystem(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "note.txt")
	if err := os.WriteFile(file, []byte("The beans come on Monday."), 0o600); err != nil {
		t.Fatal(err)
	}
	s := peer(t, "server-filesystem", dir)
	changes := map[string]bool{}
	for _, tl := range s.Tools() {
		changes[tl.Name] = tl.Changes
	}
	if changes["read_text_file"] || !changes["write_file"] {
		t.Errorf("%v", changes)
	}
	args, err := json.Marshal(map[string]string{"path": file})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tool(t, s, t.Context(), "read_text_file", string(args)); err != nil || !strings.Contains(got, "beans come on Monday") {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := tool(t, s, t.Context(), "read_text_file", `{"path": "/etc/passwd"}`); sdk.KindOf(err) != "invalid" {
		t.Errorf("outside the folder: %v", err)
	}
}
