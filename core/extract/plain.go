package extract

import (
	"context"
	"strings"
)

// parsePlain cuts at blank lines and guesses nothing else.
func parsePlain(_ context.Context, _, body string) (Content, error) {
	return Content{Blocks: paragraphs(body)}, nil
}

func paragraphs(body string) []Block {
	var out []Block
	start, end := -1, 0
	flush := func() {
		if start >= 0 {
			out = append(out, Block{Kind: KindParagraph, Text: strings.TrimRight(body[start:end], " \t\n")})
		}
		start = -1
	}
	for pos := 0; pos < len(body); {
		next := len(body)
		if i := strings.IndexByte(body[pos:], '\n'); i >= 0 {
			next = pos + i + 1
		}
		if strings.TrimSpace(body[pos:next]) == "" {
			flush()
		} else {
			if start < 0 {
				start = pos
			}
			end = next
		}
		pos = next
	}
	flush()
	return out
}
