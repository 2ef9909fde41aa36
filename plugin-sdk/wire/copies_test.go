package wire

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Examples in other languages carry the protocol with them, so that they work
// wherever they are copied to.
func TestExamplesCarryTheProtocol(t *testing.T) {
	want, err := os.ReadFile("connector.proto")
	if err != nil {
		t.Fatal(err)
	}
	copies, err := filepath.Glob(filepath.Join("..", "examples", "*", "proto", "connector.proto"))
	if err != nil || len(copies) == 0 {
		t.Fatalf("no example has a copy of connector.proto (%v)", err)
	}
	for _, file := range copies {
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not connector.proto any more: run generate.sh, which copies it", file)
		}
	}
}

// TestPageTellsTheConstants keeps the page for authors in other languages from
// naming other values than both sides use.
func TestPageTellsTheConstants(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "connectors-other-languages.md"))
	if err != nil {
		t.Fatal(err)
	}
	h := Handshake()
	for _, want := range []string{
		fmt.Sprintf("| `%s` | `%s`.", h.MagicCookieKey, h.MagicCookieValue), "`" + HostPIDEnv + "`", fmt.Sprintf("`%s`", SocketFolder),
		MismatchText, fmt.Sprintf("1|%d|unix|", ProtocolVersion),
		fmt.Sprintf("| one message | %d MiB", MaxMessage>>20), fmt.Sprintf("| `Document.body` | %d MiB", MaxBody>>20),
		fmt.Sprintf("| cursor | %d KiB |", MaxCursor>>10), fmt.Sprintf("| one data frame of Fetch | %d KiB |", FrameSize>>10),
		fmt.Sprintf("sends %d items", ListSize), fmt.Sprintf("The host's window is %d MiB", Window>>20),
		"`" + FeatureCheck + "`", "`" + FeatureList + "`", "`" + FeatureFetch + "`", "`" + FeatureGrants + "`", "`" + FeatureSearch + "`",
		"`" + FeatureTools + "`", "`" + FeatureCensor + "`",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
