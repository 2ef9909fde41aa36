package slacktest

import (
	"fmt"
	"strings"
)

// blocksText writes blocks as lines that a person would read, with buttons in
// brackets. Markup stays as it was sent, so that tests see escaping and links.
func blocksText(blocks []any) string {
	var lines []string
	for _, value := range blocks {
		if b, ok := value.(object); ok {
			lines = append(lines, blockText(b))
		}
	}
	return strings.Join(lines, "\n")
}

func blockText(b object) string {
	kind, _ := b["type"].(string)
	switch kind {
	case "divider":
		return "---"
	case "header":
		return "# " + plainText(b["text"])
	case "markdown":
		return plainText(b["text"])
	case "actions", "context_actions":
		return joined(b["elements"], " ", elementText)
	case "context":
		return "~ " + joined(b["elements"], " ", elementText)
	case "table":
		return joined(b["rows"], "\n", func(row any) string { return "| " + joined(row, " | ", plainText) + " |" })
	case "image":
		return fmt.Sprintf("[image %s]", b["alt_text"])
	case "input":
		return plainText(b["label"]) + ": " + elementText(b["element"])
	case "rich_text":
		return richTextText(b)
	case "section":
		parts := []string{}
		if b["text"] != nil {
			parts = append(parts, plainText(b["text"]))
		}
		if b["fields"] != nil {
			parts = append(parts, joined(b["fields"], "\n", plainText))
		}
		text := strings.Join(parts, "\n")
		if b["accessory"] != nil {
			text += " " + elementText(b["accessory"])
		}
		return text
	}
	return fmt.Sprintf("[%s %s]", kind, plainText(b))
}

// elementText shows buttons as [label], selects as [a|b] and inputs as [id].
func elementText(value any) string {
	o, ok := value.(object)
	if !ok {
		return ""
	}
	switch o["type"] {
	case "button", "workflow_button", "icon_button":
		label := plainText(o["text"])
		if url, ok := o["url"].(string); ok && url != "" {
			label += " -> " + url
		}
		return "[" + label + "]"
	case "feedback_buttons":
		positive, _ := o["positive_button"].(object)
		negative, _ := o["negative_button"].(object)
		return "[" + plainText(positive["text"]) + "] [" + plainText(negative["text"]) + "]"
	case "image":
		return fmt.Sprintf("[image %s]", o["alt_text"])
	case "mrkdwn", "plain_text":
		return plainText(o)
	}
	if o["options"] != nil {
		return "[" + joined(o["options"], "|", func(v any) string { option, _ := v.(object); return plainText(option["text"]) }) + "]"
	}
	return fmt.Sprintf("[%s %s]", o["type"], o["action_id"])
}

func joined(list any, by string, show func(any) string) string {
	items, _ := list.([]any)
	out := make([]string, len(items))
	for i, v := range items {
		out[i] = show(v)
	}
	return strings.Join(out, by)
}

// plainText is every text inside a value: of text objects, of cells, of rich
// text, and mentions in their token form.
func plainText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []any:
		return joined(v, "", plainText)
	case object:
		return richPiece(v)
	}
	return ""
}
