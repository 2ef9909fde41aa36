package mcp

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A tool cannot take the place of another by being called what that one becomes:
// one of the two would run under the other's rights.
func TestToolCalledAsAnotherBecomes(t *testing.T) {
	s := &Source{}
	safe := safeName("delete all")
	out, left := s.offered([]*mcp.Tool{
		{Name: "delete all"}, {Name: safe, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, {Name: "search"},
	})
	names := map[string]int{}
	for _, tool := range out {
		names[tool.Name]++
		if tool.Name == safe && !tool.Changes {
			t.Error("the tool that says it only reads is offered in place of the other")
		}
	}
	if names[safe] != 1 || names["search"] != 1 || len(left) != 1 {
		t.Errorf("%v, left out: %v", names, left)
	}
}
