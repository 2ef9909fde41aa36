//go:build peers

package plugintest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
)

// peer is the command of the connector in Node.js. A machine that lacks what it
// needs fails the test: whoever asks for these tests wants them run.
func peer(t *testing.T) (folder string, command []string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("the tests of the connector in Node.js need node, version 20.15 or later: install it and run make peers again")
	}
	folder, err = filepath.Abs(filepath.Join("..", "examples", "jsonfeed"))
	if err != nil {
		t.Fatal(err)
	}
	return folder, []string{node, filepath.Join(folder, "main.js")}
}

const (
	manyItems = 300
	itemSize  = 40 << 10
	largeFile = 1<<20 + 17
)

// notThePeers are checks of what the connector does not have: rights apart from
// documents, tools, a censor, OAuth2, and requests for single items.
var notThePeers = []string{"grants", "tools", "censor", "config.renew", "fault.denied"}

// TestPeersConnector holds the connector in Node.js against all checks, with a
// larger system than its own folder has: items enough for a host that is slow,
// and an attachment of several frames.
func TestPeersConnector(t *testing.T) {
	folder, command := peer(t)
	world := t.TempDir()
	if err := os.CopyFS(world, os.DirFS(filepath.Join(folder, "testdata"))); err != nil {
		t.Fatal(err)
	}
	grow(t, world)
	subject := plugintest.Subject{Command: command}
	skip, err := subject.Load(filepath.Join(world, "config.json"), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	results, err := plugintest.Test(t.Context(), subject, plugintest.Options{Skip: skip})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		switch {
		case r.State == plugintest.Fail:
			t.Errorf("%s does not hold: %s: %s", r.ID, r.Check, r.Reason)
		case r.State == plugintest.Skip && !slices.Contains(notThePeers, r.Feature) && !slices.Contains(notThePeers, r.ID):
			t.Errorf("%s was skipped: %s", r.ID, r.Reason)
		default:
			t.Logf("%s %s %s (%d ms)", r.ID, r.State, r.Reason, r.Millis)
		}
	}
}

// grow adds items to the feed's last page, one of them with a large attachment.
func grow(t *testing.T, world string) {
	t.Helper()
	file := filepath.Join(world, "older.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var feed map[string]any
	if err := json.Unmarshal(data, &feed); err != nil {
		t.Fatal(err)
	}
	items, _ := feed["items"].([]any)
	for i := range manyItems {
		items = append(items, map[string]any{
			"id": fmt.Sprintf("many-%d", i), "title": fmt.Sprintf("Number %d", i), "content_text": strings.Repeat("words ", itemSize/6),
		})
	}
	feed["items"] = append(items, map[string]any{
		"id": "large", "title": "A large file", "attachments": []any{map[string]any{"url": "large.bin", "size_in_bytes": largeFile}},
	})
	if data, err = json.Marshal(feed); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(world, "large.bin"), bytes.Repeat([]byte{1}, largeFile), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestPeersAlone starts the connector as no host does.
func TestPeersAlone(t *testing.T) {
	_, command := peer(t)
	cookie := "FOOTNOTE_CONNECTOR=footnote.plugin.v1"
	for _, row := range []struct {
		name string
		env  []string
		want string
	}{
		{"by hand", nil, "Footnote starts it"},
		{"without a certificate", []string{cookie}, "PLUGIN_CLIENT_CERT"},
		{"by a newer host", []string{cookie, "PLUGIN_PROTOCOL_VERSIONS=2,3"}, "this connector speaks plugin protocol 1 and this Footnote speaks 2,3: upgrade the connector"},
		{"with a certificate that is none", []string{cookie, "PLUGIN_CLIENT_CERT=x"}, "PLUGIN_CLIENT_CERT"},
	} {
		t.Run(row.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			cmd := exec.CommandContext(ctx, command[0], command[1:]...)
			cmd.Env = append(row.env, "PATH="+os.Getenv("PATH"), "TMPDIR="+t.TempDir())
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err == nil || ctx.Err() != nil {
				t.Errorf("it ended with %v, %v", err, ctx.Err())
			}
			if stdout.Len() > 0 || !strings.Contains(stderr.String(), row.want) {
				t.Errorf("stdout %q, stderr %q; want %q in it", stdout.String(), stderr.String(), row.want)
			}
		})
	}
}
