package files

import (
	"path"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

const titleWindow = 16 << 10 // bytes of a body that are searched for a title

// titleOf finds a Markdown file's first heading or an HTML file's title, and
// falls back to the file name in a readable form.
func titleOf(name, mediaType, body string) string {
	head := body[:min(len(body), titleWindow)]
	found := ""
	switch mediaType {
	case "text/markdown":
		found = markdownTitle(head)
	case "text/html":
		found = htmlTitle(head)
	}
	if found = strings.Join(strings.Fields(strings.ToValidUTF8(found, "")), " "); found != "" {
		return found
	}
	return readableName(name)
}

// markdownTitle reads the title of the front matter, or else the first heading
// outside of code.
func markdownTitle(text string) string {
	lines := strings.Split(text, "\n")
	body, found := frontMatter(lines)
	if found != "" {
		return found
	}
	fence, before := "", ""
	for _, line := range body {
		line = strings.TrimRight(line, " \t\r")
		trimmed := strings.TrimLeft(line, " ")
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
		case isHeading(trimmed):
			return plainHeading(trimmed)
		case before != "" && len(trimmed) >= 3 && (strings.Trim(trimmed, "=") == "" || strings.Trim(trimmed, "-") == ""):
			return plainHeading(before)
		}
		before = trimmed
	}
	return ""
}

// frontMatter splits a YAML head off and returns its title.
func frontMatter(lines []string) (body []string, title string) {
	if strings.TrimSpace(lines[0]) != "---" {
		return lines, ""
	}
	for i, line := range lines[1:] {
		line = strings.TrimRight(line, "\r")
		if line == "---" || line == "..." {
			return lines[i+2:], title
		}
		if value, ok := strings.CutPrefix(line, "title:"); ok {
			title = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return lines, ""
}

func isHeading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	level := len(line) - len(rest)
	return level >= 1 && level <= 6 && strings.HasPrefix(rest, " ") && strings.TrimSpace(rest) != ""
}

// plainHeading takes the marks of emphasis, code and links off a heading.
func plainHeading(line string) string {
	line = strings.TrimSpace(strings.Trim(strings.TrimLeft(line, "#"), " "))
	line = strings.TrimRight(strings.TrimRight(line, "#"), " ")
	for {
		open := strings.Index(line, "](")
		start := strings.LastIndex(line[:max(open, 0)], "[")
		if open < 0 || start < 0 {
			break
		}
		end := strings.Index(line[open:], ")")
		if end < 0 {
			break
		}
		line = line[:start] + line[start+1:open] + line[open+end+1:]
	}
	return strings.NewReplacer("**", "", "`", "").Replace(line)
}

func htmlTitle(text string) string {
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken:
			if name, _ := z.TagName(); string(name) == "title" && z.Next() == html.TextToken {
				return z.Token().Data
			}
		}
	}
}

// readableName turns release-notes_2024.md into Release notes 2024. Names that
// hold spaces or capitals are somebody's choice and stay.
func readableName(name string) string {
	base := path.Base(name)
	if stem := strings.TrimSuffix(base, path.Ext(base)); stem != "" {
		base = stem
	}
	if strings.ContainsFunc(base, unicode.IsUpper) || strings.Contains(base, " ") {
		return base
	}
	base = strings.Join(strings.FieldsFunc(base, func(r rune) bool { return r == '-' || r == '_' }), " ")
	for i, r := range base {
		return base[:i] + string(unicode.ToUpper(r)) + base[i+len(string(r)):]
	}
	return path.Base(name)
}
