package extract

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); run with -update if the change is wanted:\n%s", name, diff)
	}
}

// dump writes a content so that people can read and compare it.
func dump(c Content) string {
	var b strings.Builder
	fmt.Fprintf(&b, "title %q language %q pages %d\n", c.Title, c.Language, c.Pages)
	for _, k := range slices.Sorted(maps.Keys(c.Meta)) {
		fmt.Fprintf(&b, "meta %s=%q\n", k, c.Meta[k])
	}
	for _, n := range c.Notes {
		fmt.Fprintf(&b, "note %s\n", n)
	}
	for _, bl := range c.Blocks {
		fmt.Fprintf(&b, "\n[%s", bl.Kind)
		if bl.Level > 0 {
			fmt.Fprintf(&b, " %d", bl.Level)
		}
		if bl.Page > 0 {
			fmt.Fprintf(&b, " page %d", bl.Page)
		}
		if bl.Anchor != "" {
			fmt.Fprintf(&b, " #%s", bl.Anchor)
		}
		fmt.Fprintf(&b, "]\n%s\n", bl.Text)
	}
	return b.String()
}
