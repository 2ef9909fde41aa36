package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// TestTutorial does what docs/connectors.md says: its first program is the one that
// new writes, and all its code together is a connector that passes its test.
func TestTutorial(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(sourceFolder(""), "docs", "connectors.md"))
	if err != nil {
		t.Skip("the sources are not on this machine")
	}
	blocks := goBlock.FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 3 {
		t.Fatalf("the page has %d programs", len(blocks))
	}
	u := newUser(t)
	u.must("plugin", "new", "notes")
	dir := filepath.Join(u.dir, "notes")
	written, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(string(written), `"notes", version,`, `"notes", "0.1.0",`, 1); blocks[0][1] != want {
		t.Errorf("new writes\n%s\nand the page has\n%s", want, blocks[0][1])
	}
	if testing.Short() {
		t.Skip("compiles a connector")
	}
	u.write(map[string]string{"notes/main.go": blocks[0][1], "notes/list.go": blocks[1][1], "notes/main_test.go": blocks[2][1]})
	if out := goTool(t, dir, "test", "-vet=off", "-v", "./..."); !strings.Contains(out, "PASS: TestConnector/list.equal") {
		t.Errorf("the listing was not tested:\n%s", out)
	}
}
