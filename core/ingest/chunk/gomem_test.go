package chunk

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core/extract"
)

// goRoot is where the Go distribution lies.
func goRoot(t testing.TB) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// goDoc reads a page of the Go distribution's own documentation, a large
// reference page without furniture that must be kept whole.
func goDoc(t testing.TB, name string) extract.Content {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(goRoot(t), "doc", name))
	if err != nil {
		t.Skipf("the Go distribution here has no documentation: %v", err)
	}
	x := extract.New(extract.Options{})
	c, err := x.Text(t.Context(), name, "text/html", string(body))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGoMemoryModel(t *testing.T) {
	c := goDoc(t, "go_mem.html")
	if c.Title != "The Go Memory Model" || c.Language != "en" {
		t.Errorf("title %q, language %q", c.Title, c.Language)
	}
	const want = "A send on a channel is synchronized before the completion of the corresponding receive from that channel."
	for _, p := range Split(c.Title, c, Options{}) {
		if strings.Contains(strings.Join(strings.Fields(p.Text), " "), want) {
			if p.Heading != "Synchronization › Channel communication" {
				t.Errorf("heading %q", p.Heading)
			}
			return
		}
	}
	t.Errorf("no passage holds %q", want)
}
