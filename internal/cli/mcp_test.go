package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
)

// newToolServer is a server of the Model Context Protocol with a tool and a
// resource.
func newToolServer(t *testing.T) string {
	s := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1"}, nil)
	type in struct {
		City string `json:"city"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "weather", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, func(_ context.Context, _ *mcp.CallToolRequest, a in) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "rain in " + a.City}}}, nil, nil
	})
	for _, uri := range []string{"note:///coffee", "note:///tea"} {
		s.AddResource(&mcp.Resource{URI: uri, Name: "Kitchen", MIMEType: "text/markdown"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, Text: "# Coffee machine\n\nIt leaks at the back."}}}, nil
		})
	}
	server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}

// Its resources are for whom the source's access names, since the protocol does not
// say.
func TestMCPByCommand(t *testing.T) {
	t.Parallel()
	address := newToolServer(t)
	u := newUser(t)
	if o := u.run("source", "add", "mcp", "--set", "url="+strings.Replace(address, "http:", "https:", 1)); o.code != exitConfig || !strings.Contains(o.err, "allow_private") {
		t.Errorf("a private address: %+v", o)
	}
	added := u.run("source", "add", "mcp", "--set", "url="+address, "--set", "allow_private=true", "--name", "kitchen", "--access", "user:ann@example.com")
	if added.code != exitOK || !strings.Contains(added.err, "the server has 1 tools; 0 of them may change something") {
		t.Fatalf("%+v", added)
	}
	u.must("sync", "kitchen")
	for email, want := range map[string]bool{"ann@example.com": true, "bob@example.com": false} {
		if out := u.must("search", "coffee machine", "--as", email, "--json"); strings.Contains(out, "kitchen/note:///coffee") != want {
			t.Errorf("%s finds %s", email, out)
		}
	}
}

func TestPluginTestHoldsMCP(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a dozen processes")
	}
	u, dir := newUser(t), t.TempDir()
	config, err := json.Marshal(map[string]any{"url": newToolServer(t), "allow_private": true})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "config.json")
	writeTestFile(t, file, string(config), 0o600)
	got := u.run("plugin", "test", "mcp", "--config", file, "--only", "config.secrets,sync.first,sync.resume,list.equal,tools", "--json")
	results := testResults(t, got.out)
	if got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	for _, id := range []string{"sync.first", "list.equal", "tools.schema", "tools.arguments"} {
		if results[id].State != plugintest.Pass {
			t.Errorf("%+v", results[id])
		}
	}
}
