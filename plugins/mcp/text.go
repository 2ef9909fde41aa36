package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// resultText is what a tool answered, as text. What is no text is named.
func resultText(got *mcp.CallToolResult) string {
	var parts []string
	for _, c := range got.Content {
		if text := contentText(c); text != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 && got.StructuredContent != nil {
		if data, err := json.Marshal(got.StructuredContent); err == nil {
			parts = append(parts, string(data))
		}
	}
	text := strings.ToValidUTF8(strings.Join(parts, "\n\n"), "\uFFFD")
	if len(text) > longestResult {
		return clip(text, longestResult) + fmt.Sprintf("\n[cut: the answer takes %d bytes, the first %d are shown]", len(text), longestResult)
	}
	return text
}

func contentText(c mcp.Content) string {
	switch c := c.(type) {
	case *mcp.TextContent:
		return c.Text
	case *mcp.ImageContent:
		return fmt.Sprintf("[a picture, %s, %d bytes]", clip(c.MIMEType, 60), len(c.Data))
	case *mcp.AudioContent:
		return fmt.Sprintf("[a recording, %s, %d bytes]", clip(c.MIMEType, 60), len(c.Data))
	case *mcp.ResourceLink:
		return fmt.Sprintf("[the resource %s, %s]", clip(c.URI, 300), clip(c.Name, 100))
	case *mcp.EmbeddedResource:
		if c.Resource == nil {
			return ""
		}
		if c.Resource.Text != "" {
			return c.Resource.Text
		}
		return fmt.Sprintf("[the resource %s, %s, %d bytes]", clip(c.Resource.URI, 300), clip(c.Resource.MIMEType, 60), len(c.Resource.Blob))
	}
	return ""
}

// clip shortens a text to so many bytes, at a character's end.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
