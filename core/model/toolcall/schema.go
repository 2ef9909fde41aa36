package toolcall

import (
	"encoding/json"
	"strings"
)

// schema is the part of JSON Schema that coercion needs. The zero schema takes
// anything.
type schema struct {
	types    []string // empty: any
	props    []property
	open     bool // fields that are not listed are kept
	required []string
	items    *schema
}

type property struct {
	name   string
	schema *schema
}

// maxSchemaDepth bounds following of nested and referenced schemas; below it
// anything is taken.
const maxSchemaDepth = 12

// parseSchema reads a schema; one it cannot read takes anything.
func parseSchema(raw json.RawMessage) *schema {
	v, err := parseWhole(string(raw), true)
	root, ok := v.(object)
	if err != nil || !ok {
		return &schema{open: true}
	}
	budget := 4096 // definitions that refer to each other could multiply
	return readSchema(root, root, 0, &budget)
}

func readSchema(root object, v any, depth int, budget *int) *schema {
	o, ok := v.(object)
	*budget--
	if !ok || depth > maxSchemaDepth || *budget < 0 {
		return &schema{open: true}
	}
	if ref, ok := text(o, "$ref"); ok {
		return readSchema(root, follow(root, ref), depth+1, budget)
	}
	s := &schema{types: schemaTypes(o)}
	if items, ok := o.get("items"); ok {
		s.items = readSchema(root, items, depth+1, budget)
	}
	s.readProperties(root, o, depth, budget)
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		alts, _ := o.get(key)
		branches, _ := alts.(list)
		for _, branch := range branches {
			s.merge(readSchema(root, branch, depth+1, budget))
		}
	}
	return s
}

func (s *schema) readProperties(root, o object, depth int, budget *int) {
	props, listed := o.get("properties")
	s.open = !listed
	if extra, ok := o.get("additionalProperties"); ok && extra != nil {
		s.open = extra != false
	}
	members, _ := props.(object)
	for _, m := range members {
		s.props = append(s.props, property{m.key, readSchema(root, m.value, depth+1, budget)})
	}
	names, _ := o.get("required")
	required, _ := names.(list)
	for _, n := range required {
		if name, ok := n.(string); ok {
			s.required = append(s.required, name)
		}
	}
}

// merge adds what a branch of anyOf, oneOf or allOf allows.
func (s *schema) merge(branch *schema) {
	s.types = append(s.types, branch.types...)
	if s.items == nil {
		s.items = branch.items
	}
	if len(branch.props) > 0 {
		s.open = (s.open && len(s.props) == 0 || len(s.props) > 0 && s.open) && branch.open
		s.props = append(s.props, branch.props...)
	}
}

func schemaTypes(o object) []string {
	v, _ := o.get("type")
	switch v := v.(type) {
	case string:
		return []string{v}
	case list:
		var types []string
		for _, e := range v {
			if name, ok := e.(string); ok {
				types = append(types, name)
			}
		}
		return types
	}
	if _, ok := o.get("properties"); ok {
		return []string{"object"}
	}
	return nil
}

// follow resolves a reference inside the same schema: "#/$defs/name".
func follow(root object, ref string) any {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	var v any = root
	for step := range strings.SplitSeq(path, "/") {
		o, ok := v.(object)
		if !ok {
			return nil
		}
		v, _ = o.get(step)
	}
	return v
}

// text returns a member that is a string.
func text(o object, key string) (string, bool) {
	v, _ := o.get(key)
	s, ok := v.(string)
	return s, ok
}

// property finds a field by its name or, failing that, by a spelling of it.
func (s *schema) property(name string) *property {
	for i := range s.props {
		if s.props[i].name == name {
			return &s.props[i]
		}
	}
	folded := foldName(name)
	for i := range s.props {
		if foldName(s.props[i].name) == folded {
			return &s.props[i]
		}
	}
	return nil
}

// sole returns the one field that an unnamed value can only mean: the only one
// there is, or the only required one.
func (s *schema) sole() *property {
	if len(s.props) == 1 {
		return &s.props[0]
	}
	if len(s.required) == 1 {
		return s.property(s.required[0])
	}
	return nil
}

func (s *schema) takes(kind string) bool {
	for _, t := range s.types {
		if t == kind {
			return true
		}
	}
	return false
}
