package extract

import (
	"context"
	"strings"
)

// codeBlockBytes is about how much source code goes into one block: a few
// functions, and not more than fits a passage.
const codeBlockBytes = 1400

// codeParser reads a file of source code: its path as heading, then fenced
// blocks that begin where a top-level declaration does.
func codeParser(language string) func(context.Context, string, string) (Content, error) {
	return func(_ context.Context, name, body string) (Content, error) {
		c := Content{Blocks: []Block{{Kind: KindHeading, Level: 1, Text: name}}}
		for _, part := range splitSource(body) {
			c.Blocks = append(c.Blocks, Block{Kind: KindCode, Text: fenced(language, part)})
		}
		if len(c.Blocks) == 1 || name == "" {
			c.Blocks = c.Blocks[1:]
		}
		return c, nil
	}
}

// splitSource cuts after a blank line before a line that stands at the left
// edge and closes nothing, and packs neighbours up to codeBlockBytes.
func splitSource(body string) []string {
	var out []string
	start, pos, blank := 0, 0, false
	cut := func(at int) {
		if text := strings.Trim(body[start:at], "\n"); strings.TrimSpace(text) != "" {
			out = append(out, text)
		}
		start = at
	}
	lastTop := 0
	for pos < len(body) {
		next := len(body)
		if i := strings.IndexByte(body[pos:], '\n'); i >= 0 {
			next = pos + i + 1
		}
		line := body[pos:next]
		if blank && startsDeclaration(line) {
			if pos-start > codeBlockBytes && lastTop > start {
				cut(lastTop)
			}
			lastTop = pos
		}
		blank = strings.TrimSpace(line) == ""
		pos = next
	}
	if len(body)-start > codeBlockBytes && lastTop > start {
		cut(lastTop)
	}
	cut(len(body))
	return out
}

func startsDeclaration(line string) bool {
	line = strings.TrimRight(line, "\n")
	if line == "" || strings.ContainsRune(" \t})]>", rune(line[0])) {
		return false
	}
	word, _, _ := strings.Cut(line, " ")
	return word != "end" && word != "else" && word != "fi" && word != "done"
}

// fenced wraps code in a fence longer than any run of backticks in it.
func fenced(info, code string) string {
	longest, run := 2, 0
	for i := range len(code) {
		if code[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + info + "\n" + strings.TrimRight(code, "\n") + "\n" + fence
}
