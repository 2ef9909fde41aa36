package cli

import (
	"strings"
	"testing"
)

// A document that was hidden is not found, not even after a sync; shown again it is,
// at once.
func TestHiddenDocumentIsNotFound(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	found := func() bool {
		t.Helper()
		return strings.Contains(u.must("search", "Where do visitors park?", "--json"), "docs/parking.md")
	}
	if !found() {
		t.Fatal("the library has no parking")
	}
	u.must("document", "hide", "docs/parking.md")
	if found() {
		t.Error("hidden, and found")
	}
	u.must("sync", "docs", "--full")
	if found() {
		t.Error("a sync brought it back")
	}
	if text := u.must("document", "list", "--json"); !strings.Contains(text, `"document_id":"docs/parking.md","by":"operator"`) {
		t.Errorf("%s", text)
	}
	u.must("document", "show", "docs/parking.md")
	if !found() {
		t.Error("shown again, and not found")
	}
}
