package toolcall

import "strings"

// blockKind is how a marker's hidden block ends.
type blockKind byte

const (
	blockNone    blockKind = iota
	blockElement           // at the closing tag of the same name
	blockToken             // at one of the marker's end tokens
	blockJSON              // where the JSON value after the marker ends
	blockHeader            // harmony header, up to its message token
	blockMessage           // harmony message that is not for the reader
	blockSolo              // the token alone
)

// elements are the XML tags that open a block. In any letter case, with any
// namespace.
var elements = map[string]blockKind{
	"function_calls": blockElement,
	"function_call":  blockElement,
	"tool_calls":     blockElement,
	"tool_call":      blockElement,
	"tool_use":       blockElement,
	"tool_code":      blockElement,
	"invoke":         blockElement,
	"function":       blockElement,
}

// tokens are the special tokens, as tagName writes them.
var tokens = map[string]blockKind{
	"|tool_calls_begin|":         blockToken, // DeepSeek
	"|tool_call_begin|":          blockToken, // DeepSeek, Kimi
	"|tool_calls_section_begin|": blockToken, // Kimi
	"|start_action|":             blockToken, // Cohere
	"|action_start|":             blockToken, // InternLM
	"|python_tag|":               blockJSON,  // Llama
	"|tool_call|":                blockJSON,  // Granite, Phi
	"|start|":                    blockHeader,
	"|channel|":                  blockHeader,
}

// enders are the tokens that close a token block.
var enders = map[string][]string{
	"|tool_calls_begin|":         {"|tool_calls_end|"},
	"|tool_call_begin|":          {"|tool_call_end|", "|tool_calls_section_end|", "|tool_calls_end|"},
	"|tool_calls_section_begin|": {"|tool_calls_section_end|"},
	"|start_action|":             {"|end_action|"},
	"|action_start|":             {"|action_end|"},
}

// solos are tokens that mean nothing to a reader wherever they stand.
var solos = map[string]bool{
	"|tool_calls_end|": true, "|tool_call_end|": true, "|tool_calls_section_end|": true, "|end_action|": true,
	"|action_end|": true, "|plugin|": true, "|tool_sep|": true, "|tool_call_argument_begin|": true,
	"|message|": true, "|call|": true, "|end|": true, "|return|": true, "|constrain|": true,
	"|eom_id|": true, "|eot_id|": true, "|end_of_text|": true, "|im_end|": true, "|/tool_call|": true,
	"|end_of_sentence|": true,
	"/function_calls":   true, "/function_call": true, "/tool_calls": true, "/tool_call": true,
}

// maxTag is the longest name of a tag in bytes, namespace included; maxAttrs
// the longest attribute text.
const (
	maxTag   = 64
	maxAttrs = 1024
)

var plainBars = strings.NewReplacer("｜", "|", "▁", "_", " ", "")

// tagName returns a tag's name without namespace, in lower case, with plain bars
// and underscores: what stands between "<" and the first blank, "=" or ">".
// Closing tags keep their slash.
func tagName(written string) string {
	name := strings.ToLower(plainBars.Replace(written))
	slash := ""
	if strings.HasPrefix(name, "/") {
		slash, name = "/", name[1:]
	}
	if rest, ok := strings.CutPrefix(name, "|dsml|"); ok {
		name = rest
	}
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	return slash + name
}

// tag is one tag of a text that is read as a whole.
type tag struct {
	name  string
	attrs string // what follows the name, without the final slash
	empty bool   // <name/>
	end   int    // index after ">"
}

// readTag reads the tag at src[i], which is "<".
func readTag(src string, i int) (tag, bool) {
	limit := min(len(src), i+maxTag+maxAttrs)
	n := strings.IndexAny(src[i+1:limit], "<>")
	if n < 0 || src[i+1+n] == '<' {
		return tag{}, false
	}
	body := src[i+1 : i+1+n]
	t := tag{end: i + n + 2}
	if rest, ok := strings.CutSuffix(body, "/"); ok {
		body, t.empty = rest, true
	}
	cut := len(body)
	if !strings.HasPrefix(body, "|") && !strings.HasPrefix(body, "｜tool") {
		if at := strings.IndexAny(body, " \t\r\n="); at >= 0 {
			cut = at
		}
	}
	t.name, t.attrs = tagName(body[:cut]), body[cut:]
	return t, true
}

// attr returns an attribute's value; <function=name> has it without a key.
func (t tag) attr(key string) string {
	rest := t.attrs
	if strings.HasPrefix(rest, "=") {
		if key == "name" {
			return strings.Trim(rest[1:], " \t\r\n\"'")
		}
		return ""
	}
	for rest != "" {
		eq := strings.IndexByte(rest, '=')
		if eq < 0 {
			return ""
		}
		name := strings.ToLower(strings.TrimSpace(rest[:eq]))
		value, after := attrValue(strings.TrimLeft(rest[eq+1:], " \t\r\n"))
		if name == key {
			return value
		}
		rest = after
	}
	return ""
}

func attrValue(s string) (value, rest string) {
	if s == "" {
		return "", ""
	}
	if q := s[0]; q == '"' || q == '\'' {
		if end := strings.IndexByte(s[1:], q); end >= 0 {
			return s[1 : 1+end], s[end+2:]
		}
		return s[1:], ""
	}
	end := strings.IndexAny(s, " \t\r\n")
	if end < 0 {
		return s, ""
	}
	return s[:end], s[end:]
}
