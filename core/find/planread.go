package find

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/footnote-bot/footnote/core"
)

const (
	maxKeywords    = 3
	maxAuthors     = 3
	longestWording = 500 // letters
	longestName    = 80
)

// planSchema is what the planning call asks for.
const planSchema = `{"type":"object","additionalProperties":false,` +
	`"required":["rewrite","keywords","sources","time","authors"],"properties":{` +
	`"rewrite":{"type":["string","null"]},` +
	`"keywords":{"type":["array","null"],"items":{"type":"string"}},` +
	`"sources":{"anyOf":[{"type":"null"},{"type":"object","additionalProperties":false,"required":["names","in_order"],` +
	`"properties":{"names":{"type":"array","items":{"type":"string"}},"in_order":{"type":"boolean"}}}]},` +
	`"time":{"anyOf":[{"type":"null"},{"type":"object","additionalProperties":false,"required":["field","start","end"],` +
	`"properties":{"field":{"type":"string","enum":["created","updated"]},"start":{"type":["string","null"]},"end":{"type":["string","null"]}}}]},` +
	`"authors":{"type":["array","null"],"items":{"type":"string"}}}}`

// readPlan reads a model's plan. Each part that is not what was asked for is left
// out by itself. Names are those that may be a scope, as the asker wrote them. It
// reports whether there was an object at all.
func readPlan(reply, question string, names []string, now time.Time) (Plan, bool) {
	fields, ok := object(reply)
	if !ok {
		return Plan{}, false
	}
	p := Plan{Rewrite: wording(text(fields["rewrite"])), Scope: scopeOf(fields["sources"], names)}
	for _, k := range texts(fields["keywords"]) {
		if k = wording(k); k != "" && len(p.Keywords) < maxKeywords {
			p.Keywords = append(p.Keywords, k)
		}
	}
	p.Window = windowOf(fields["time"], question, now)
	for _, a := range texts(fields["authors"]) {
		// Whom the question does not name was made up, or taken from elsewhere.
		if a = clipped(clean(a), longestName); a != "" && said(a, question) && len(p.Authors) < maxAuthors {
			p.Authors = append(p.Authors, a)
		}
	}
	return p, true
}

// object finds the JSON object in a reply: whatever stands around it, a fence or
// sentences, is passed over.
func object(reply string) (map[string]json.RawMessage, bool) {
	for tries := 0; tries < 8; tries++ {
		at := strings.IndexByte(reply, '{')
		if at < 0 {
			return nil, false
		}
		reply = reply[at:]
		fields := map[string]json.RawMessage{}
		if json.NewDecoder(strings.NewReader(reply)).Decode(&fields) == nil {
			return fields, true
		}
		reply = reply[1:]
	}
	return nil, false
}

// text reads a text; "" for anything else.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// texts reads a list of texts, or one text where the model forgot the list.
// Entries that are no text are passed over.
func texts(raw json.RawMessage) []string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return strings.Split(text(raw), "\n")
	}
	var out []string
	for _, one := range list {
		out = append(out, text(one))
	}
	return out
}

func scopeOf(raw json.RawMessage, names []string) Scope {
	var in struct {
		Names   json.RawMessage `json:"names"`
		InOrder json.RawMessage `json:"in_order"`
	}
	if json.Unmarshal(raw, &in) != nil {
		in.Names = raw // the list alone
	}
	var s Scope
	for _, name := range texts(in.Names) {
		i := slices.IndexFunc(names, func(n string) bool { return folded(n) == folded(name) })
		if i >= 0 && !slices.Contains(s.Names, names[i]) {
			s.Names = append(s.Names, names[i])
		}
	}
	s.InOrder = string(in.InOrder) == "true" && len(s.Names) > 1
	return s
}

func windowOf(raw json.RawMessage, question string, now time.Time) Window {
	var in map[string]json.RawMessage
	if json.Unmarshal(raw, &in) != nil {
		return Window{}
	}
	w := Window{Created: text(in["field"]) == "created", Range: window(text(in["start"]), text(in["end"]), now)}
	if titled(w.Range, question) {
		w.Range = core.Range{}
	}
	if !w.Range.On() {
		return Window{}
	}
	return w
}

// said tells whether one of the name's words stands in the question.
func said(name, question string) bool {
	question = strings.ToLower(question)
	return slices.ContainsFunc(strings.Fields(strings.ToLower(name)), func(word string) bool {
		return occurs(word, question)
	})
}

// wording makes a model's text fit to be searched for: one line, not too long.
func wording(s string) string { return clipped(clean(s), longestWording) }

func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// clipped cuts a text to a number of letters.
func clipped(s string, most int) string {
	for i := range s {
		if most--; most < 0 {
			return strings.TrimSpace(s[:i])
		}
	}
	return s
}
