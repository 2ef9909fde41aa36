package toolcall

import "strings"

// bareCall takes an object that is the whole message for the arguments of the
// forced tool, or of the one tool that they fit.
func (s *toolset) bareCall(v any, forced string) (found, bool) {
	o, ok := v.(object)
	if !ok {
		return found{}, false
	}
	if t := s.exact[forced]; t != nil {
		return bareFor(t, o, shares(t, o) || len(o) == 0 && len(t.schema.required) == 0)
	}
	var fitting []*tool
	for _, t := range s.tools {
		if fits(t, o) {
			fitting = append(fitting, t)
		}
	}
	if t := oneOf(fitting); t != nil {
		return bareFor(t, o, true)
	}
	return found{}, false
}

func bareFor(t *tool, o object, ok bool) (found, bool) {
	_, hasArgs := callArguments(o)
	_, named := callName(o)
	if !ok || named && (hasArgs || t.schema.property("name") == nil) || describes(t, o) {
		return found{}, false
	}
	return found{tool: t, args: coerceObject(o, t.schema, 0), bare: true}, true
}

// fits tells whether an object can only be meant as the tool's arguments: all
// required fields with values of their types, and for a tool that requires
// nothing, no field that it does not know.
func fits(t *tool, o object) bool {
	if !shares(t, o) {
		return false
	}
	given := coerceObject(o, t.schema, 0)
	for _, name := range t.schema.required {
		v, ok := given.get(name)
		p := t.schema.property(name)
		if !ok || p != nil && len(p.schema.types) > 0 && !p.schema.takes(kindOf(v)) &&
			!(kindOf(v) == "integer" && p.schema.takes("number")) {
			return false
		}
	}
	if len(t.schema.required) > 0 {
		return true
	}
	for _, m := range o {
		if t.schema.property(m.key) == nil {
			return false
		}
	}
	return true
}

func shares(t *tool, o object) bool {
	for _, m := range o {
		if t.schema.property(m.key) != nil {
			return true
		}
	}
	return false
}

// oneOf picks the tool if there is just one. Of several search tools it is the
// internal one: a question for the team's own sources must not be sent to the
// web because two schemas look alike.
func oneOf(fitting []*tool) *tool {
	if len(fitting) == 1 {
		return fitting[0]
	}
	var internal, local []*tool
	for _, t := range fitting {
		name := strings.ToLower(t.name)
		if !strings.Contains(name, "search") {
			return nil
		}
		if strings.Contains(name, "internal") {
			internal = append(internal, t)
		}
		if !strings.Contains(name, "web") {
			local = append(local, t)
		}
	}
	switch {
	case len(internal) == 1:
		return internal[0]
	case len(local) == 1:
		return local[0]
	}
	return nil
}
