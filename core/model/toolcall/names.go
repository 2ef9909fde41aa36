package toolcall

import (
	"strings"
	"unicode/utf8"
)

// tool is a Tool with its schema read once.
type tool struct {
	name   string
	schema *schema
}

// toolset finds tools by the names that models write.
type toolset struct {
	tools   []*tool
	exact   map[string]*tool
	folded  map[string]*tool // nil value: two tools fold to the same name
	longest int
}

func newToolset(tools []Tool) *toolset {
	s := &toolset{exact: map[string]*tool{}, folded: map[string]*tool{}}
	for _, t := range tools {
		if s.exact[t.Name] != nil || t.Name == "" {
			continue
		}
		one := &tool{name: t.Name, schema: parseSchema(t.Schema)}
		s.tools = append(s.tools, one)
		s.exact[t.Name] = one
		s.longest = max(s.longest, len(t.Name))
		key := foldName(t.Name)
		if _, taken := s.folded[key]; taken {
			s.folded[key] = nil
		} else {
			s.folded[key] = one
		}
	}
	return s
}

// namespaces that vendors put before a tool's name.
var namespaces = []string{"functions.", "function.", "tools.", "tool.", "default_api.", "api.", "functions/", "functions:"}

// resolve finds the tool that a written name means, or nil. It forgives a
// namespace, a call index, letter case and the choice of separator, and never
// more than that: a name that fits no tool, or two, is unknown.
func (s *toolset) resolve(written string) *tool {
	if len(written) > s.longest+64 {
		return nil
	}
	name := strings.Trim(written, " \t\r\n\"'`*")
	if t := s.lookup(name); t != nil {
		return t
	}
	name = dropIndex(name)
	low := strings.ToLower(name)
	for _, ns := range namespaces {
		if strings.HasPrefix(low, ns) {
			name = name[len(ns):]
			break
		}
	}
	return s.lookup(name)
}

func (s *toolset) lookup(name string) *tool {
	if t := s.exact[name]; t != nil {
		return t
	}
	return s.folded[foldName(name)]
}

// dropIndex removes the call index that Kimi writes after a name: "search:0".
func dropIndex(name string) string {
	i := strings.LastIndexByte(name, ':')
	if i <= 0 || i == len(name)-1 {
		return name
	}
	for _, c := range name[i+1:] {
		if c < '0' || c > '9' {
			return name
		}
	}
	return name[:i]
}

// foldName maps spellings that mean the same name to one key: lower case and no
// separators.
func foldName(name string) string {
	same := 0
	for same < len(name) && (name[same] >= 'a' && name[same] <= 'z' || name[same] >= '0' && name[same] <= '9') {
		same++
	}
	if same == len(name) {
		return name
	}
	key := append(make([]byte, 0, len(name)), name[:same]...)
	for _, r := range strings.ToLower(name[same:]) {
		if r != '-' && r != '_' && r != ' ' {
			key = utf8.AppendRune(key, r)
		}
	}
	return string(key)
}

func isIdent(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// isNameByte tells bytes that a written tool name, with namespace, is made of.
func isNameByte(c byte) bool {
	return isIdent(c) || c == '.' || c == '-' || c == '/' || c == ':'
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
