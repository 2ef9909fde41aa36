package extract

import "strings"

// maxFrontMatter bounds how far the closing line is looked for, in bytes.
const maxFrontMatter = 64 << 10

// cutFrontMatter separates the metadata that some tools keep at the top of a
// Markdown file from its text. Only scalars at the left edge are read; text
// between two rules that is not metadata stays text.
func cutFrontMatter(body string) (meta map[string]string, rest string) {
	fence, separator := "---", ":"
	if strings.HasPrefix(body, "+++\n") {
		fence, separator = "+++", "="
	}
	after, ok := strings.CutPrefix(body, fence+"\n")
	if !ok {
		return nil, body
	}
	end := strings.Index("\n"+after[:min(len(after), maxFrontMatter)], "\n"+fence)
	if end < 0 {
		return nil, body
	}
	head, tail := after[:end], after[end+len(fence):]
	line, rest, _ := strings.Cut(tail, "\n")
	if strings.TrimSpace(line) != "" {
		return nil, body
	}
	meta = map[string]string{}
	for l := range strings.SplitSeq(head, "\n") {
		if !readMetaLine(l, separator, meta) {
			return nil, body
		}
	}
	return meta, rest
}

// readMetaLine tells whether the line can stand in front matter.
func readMetaLine(line, separator string, meta map[string]string) bool {
	if line == "" || strings.ContainsRune(" \t#-[]}", rune(line[0])) {
		return true
	}
	key, value, ok := strings.Cut(line, separator)
	key = strings.TrimSpace(key)
	if !ok || key == "" || strings.ContainsAny(key, " \t") {
		return false
	}
	value = strings.TrimSpace(value)
	if len(value) >= 2 && (value[0] == '"' || value[0] == '\'') && value[len(value)-1] == value[0] {
		quote := value[:1]
		value = value[1 : len(value)-1]
		if quote == "'" {
			value = strings.ReplaceAll(value, "''", "'")
		} else {
			value = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(value)
		}
	}
	if value != "" && !strings.ContainsAny(value[:1], "[{|>&*") {
		meta[strings.ToLower(key)] = value
	}
	return true
}
