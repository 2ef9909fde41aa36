package agent

import (
	"encoding/json"
	"fmt"
	"strings"
)

// offered is a tool under the name and schema that models see.
type offered struct {
	Tool
	spec Spec
}

// offer makes tools fit to be offered together: names that every server takes
// and that no other tool has, and a schema also where there are no arguments.
func offer(tools []Tool) []offered {
	taken := map[string]bool{}
	out := make([]offered, 0, len(tools))
	for _, tool := range tools {
		spec := tool.Spec()
		spec.Name = freeName(taken, cleanName(spec.Name), cleanName(spec.Origin))
		spec.Schema = objectSchema(spec.Schema)
		taken[spec.Name] = true
		out = append(out, offered{tool, spec})
	}
	return out
}

// longestName is what the strictest servers take.
const longestName = 64

// cleanName leaves letters, digits, underscore and hyphen.
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, strings.TrimSpace(name))
	return name[:min(len(name), longestName)]
}

// freeName puts the origin before a name that is taken, and counts if that does
// not help.
func freeName(taken map[string]bool, name, origin string) string {
	if name == "" {
		name = "tool"
	}
	try := name
	if taken[try] && origin != "" {
		try = cleanName(origin + "_" + name)
	}
	for n := 2; taken[try]; n++ {
		end := fmt.Sprintf("_%d", n)
		try = name[:min(len(name), longestName-len(end))] + end
	}
	return try
}

// objectSchema is the schema of an object, as servers want it even where there
// are no arguments.
func objectSchema(schema json.RawMessage) json.RawMessage {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(schema, &fields); err != nil || fields == nil {
		fields = map[string]json.RawMessage{}
	}
	if fields["type"] != nil && fields["properties"] != nil {
		return schema
	}
	if fields["type"] == nil {
		fields["type"] = json.RawMessage(`"object"`)
	}
	if fields["properties"] == nil {
		fields["properties"] = json.RawMessage(`{}`)
	}
	out, err := json.Marshal(fields)
	if err != nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return out
}
