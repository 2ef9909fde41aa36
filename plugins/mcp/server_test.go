package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// modeEnv makes the test binary a server: of the official library, or one that
// does what servers should not.
const (
	modeEnv = "FOOTNOTE_TEST_SERVER"
	dirEnv  = "FOOTNOTE_TEST_DIR"

	quickEnd = "atexit_sleep_ms=0" // of GORACE: else a program with the race detector waits a second before it ends

	generous = 2 * time.Minute // for what has to happen: a machine may stand still for seconds
)

func TestMain(m *testing.M) {
	mode := os.Getenv(modeEnv)
	if mode == "" {
		os.Exit(m.Run())
	}
	os.Exit(serveAs(mode, os.Getenv(dirEnv)))
}

func serveAs(mode, dir string) int {
	switch mode {
	case "crash":
		fmt.Fprintln(os.Stderr, "there is no licence")
		return 3
	case "garbage":
		fmt.Println("Welcome to the server!")
	case "oversized":
		fmt.Println(`{"jsonrpc": "2.0", "id": 1, "result": "` + strings.Repeat("x", 1<<20) + `"}`)
	case "hang":
		return hang(dir)
	case "silent": // takes everything and answers nothing
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "old": // ends at the first method that it does not know
		in := bufio.NewReader(os.Stdin)
		line, err := in.ReadString('\n')
		if err != nil || !strings.Contains(line, `"initialize"`) {
			return 4
		}
		all := io.NopCloser(io.MultiReader(strings.NewReader(line), in))
		if err := newServer(dir).Run(context.Background(), &mcp.IOTransport{Reader: all, Writer: os.Stdout}); err != nil {
			return 1
		}
	case "failing":
		if err := failing(dir).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			return 1
		}
	default:
		if err := newServer(dir).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			return 1
		}
	}
	return 0
}

// hang starts a program of its own, notes both and stays, whatever is closed.
func hang(dir string) int {
	child := exec.Command("/bin/sleep", "600")
	if err := child.Start(); err != nil {
		return 1
	}
	text := fmt.Sprintf("%d %d", os.Getpid(), child.Process.Pid)
	// Who waits for the file ends this program, and must find all of it.
	half := filepath.Join(dir, "half")
	if errors.Join(os.WriteFile(half, []byte(text), 0o600), os.Rename(half, filepath.Join(dir, "pids"))) != nil {
		return 1
	}
	_ = child.Wait()
	return 0
}

type noArgs struct{}

type echoArgs struct {
	Text string `json:"text" jsonschema:"what to say"`
}

func said(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// newServer has a tool of each kind, and a resource for each file of a folder.
func newServer(dir string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "tests", Version: "1"}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}, Resources: &mcp.ResourceCapabilities{ListChanged: true}},
	})
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true}
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "Says it again.", Annotations: reads}, func(_ context.Context, _ *mcp.CallToolRequest, in echoArgs) (*mcp.CallToolResult, any, error) {
		if in.Text == "fail" {
			return nil, nil, fmt.Errorf("there is no echo here")
		}
		return said(in.Text), nil, nil
	})
	plain := func(name string, answer func() *mcp.CallToolResult) {
		mcp.AddTool(s, &mcp.Tool{Name: name, Annotations: reads}, func(context.Context, *mcp.CallToolRequest, noArgs) (*mcp.CallToolResult, any, error) {
			return answer(), nil, nil
		})
	}
	plain("environment", func() *mcp.CallToolResult { return said(strings.Join(os.Environ(), "\n")) })
	plain("big", func() *mcp.CallToolResult { return said(strings.Repeat("é", longestResult)) })
	plain("mixed", func() *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: "look"}, &mcp.ImageContent{Data: []byte("12345"), MIMEType: "image/png"}, &mcp.ResourceLink{URI: "note:///a.md", Name: "a"},
		}}
	})
	plain("die", func() *mcp.CallToolResult { os.Exit(5); return nil })
	plain("grow", func() *mcp.CallToolResult {
		plain("grown", func() *mcp.CallToolResult { return said("up") })
		return said("done")
	})
	mcp.AddTool(s, &mcp.Tool{Name: "wait", Annotations: reads}, func(ctx context.Context, _ *mcp.CallToolRequest, _ noArgs) (*mcp.CallToolResult, any, error) {
		_ = os.WriteFile(filepath.Join(dir, ".waiting"), nil, 0o600)
		<-ctx.Done()
		_ = os.WriteFile(filepath.Join(dir, ".cancelled"), nil, 0o600)
		return nil, nil, ctx.Err()
	})
	for _, name := range []string{"notes/save", "notes.save", "notes_save"} {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: "Saves."}, func(_ context.Context, req *mcp.CallToolRequest, in echoArgs) (*mcp.CallToolResult, any, error) {
			return said(req.Params.Name + " saved " + in.Text), nil, nil
		})
	}
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if strings.HasPrefix(method, "resources/") {
				fill(s, dir)
			}
			return next(ctx, method, req)
		}
	})
	return s
}

// fill makes the files of the folder the server's resources.
func fill(s *mcp.Server, dir string) {
	entries, _ := os.ReadDir(dir)
	var known []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || e.Name() == "pids" {
			continue
		}
		known = append(known, e.Name())
	}
	gone, _ := filepath.Glob(filepath.Join(dir, ".gone-*"))
	for _, name := range gone {
		s.RemoveResources("note:///" + strings.TrimPrefix(filepath.Base(name), ".gone-"))
	}
	for _, name := range known {
		r := &mcp.Resource{URI: "note:///" + name, Name: name, MIMEType: "text/markdown", Description: "A note."}
		s.AddResource(r, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return nil, mcp.ResourceNotFoundError(r.URI)
			}
			c := &mcp.ResourceContents{URI: r.URI, MIMEType: r.MIMEType, Text: string(text)}
			if strings.HasSuffix(name, ".bin") {
				c = &mcp.ResourceContents{URI: r.URI, MIMEType: "application/pdf", Blob: text}
			}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
		})
	}
}

// folder is one with a few notes.
func folder(t testing.TB) string {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.md": "# Tea\n\nIs at four.", "b.md": "# Coffee", "c.bin": "%PDF-1.4 of the tests"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// child is a source whose server is this test binary.
func child(t testing.TB, mode, dir string) *Source {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Source{Command: exe, Env: map[string]string{modeEnv: mode, dirEnv: dir, "GORACE": quickEnd}, Timeout: generous}
}

func started(t testing.TB, s *Source) *Source {
	t.Helper()
	if err := s.Start(t.Context(), &sdk.Env{Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.link.close)
	return s
}

// overHTTP is a source whose server is at an address and wants a header.
func overHTTP(t testing.TB, dir string) *Source {
	server := newServer(dir)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer token-of-the-tests" || r.Header.Get("X-Team") != "blue" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	return &Source{URL: address, Token: "token-of-the-tests", Headers: map[string]string{"X-Team": "blue"}, AllowPrivate: true, Timeout: generous}
}
