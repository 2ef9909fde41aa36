package toolcall

// The keys under which models write a call's name and arguments, in the order
// in which they are believed.
var (
	nameKeys = []string{"name", "tool_name", "tool", "function_name", "function", "recipient_name", "action"}
	argKeys  = []string{"arguments", "parameters", "args", "params", "input", "tool_input", "tool_args",
		"tool_arguments", "function_args", "action_input", "kwargs"}
	listKeys = []string{"tool_calls", "function_calls", "tool_uses", "calls"}
	wrapKeys = []string{"function", "function_call", "tool_call", "tool_use"}
)

// besideKeys may stand next to a name without being arguments.
var besideKeys = map[string]bool{"type": true, "id": true, "index": true, "call_id": true, "tool_call_id": true,
	"thought": true, "thoughts": true, "reason": true, "reasoning": true, "explanation": true, "comment": true,
	"role": true, "content": true, "status": true}

// maxWrap is how many wrappers around a call are looked through.
const maxWrap = 4

// namedCalls returns the calls that a JSON value carries by name: an object in
// one of the known shapes, or a list of such objects. Parts that name no known
// tool are skipped, never given to another tool.
func (s *toolset) namedCalls(v any, depth int) []found {
	if depth > maxWrap {
		return nil
	}
	switch v := v.(type) {
	case list:
		var calls []found
		for _, e := range v {
			if o, ok := e.(object); ok {
				calls = append(calls, s.namedCalls(o, depth+1)...)
			}
		}
		return calls
	case object:
		return s.objectCalls(v, depth)
	}
	return nil
}

func (s *toolset) objectCalls(o object, depth int) []found {
	for _, key := range listKeys {
		if inner, ok := o.get(key); ok {
			return s.namedCalls(inner, depth+1)
		}
	}
	if name, ok := callName(o); ok {
		if t := s.resolve(name); t != nil {
			return namedCall(t, o)
		}
		return nil
	}
	for _, key := range wrapKeys {
		inner, _ := o.get(key)
		if inner, ok := inner.(object); ok {
			return s.namedCalls(inner, depth+1)
		}
	}
	return s.keyedCalls(o)
}

// callName returns the name that an object states. A name that is no string is
// no name.
func callName(o object) (string, bool) {
	for _, key := range nameKeys {
		if name, ok := text(o, key); ok {
			return name, true
		}
	}
	return "", false
}

func callArguments(o object) (any, bool) {
	for _, key := range argKeys {
		if args, ok := o.get(key); ok {
			return args, true
		}
	}
	return nil, false
}

// namedCall reads the arguments beside a tool's name. With no arguments key the
// tool's own fields may stand beside the name; any other company means that the
// object only describes the tool.
func namedCall(t *tool, o object) []found {
	args, ok := callArguments(o)
	if !ok {
		args, ok = flatArguments(t, o)
	}
	if !ok || describes(t, args) {
		return nil
	}
	coerced, ok := coerceArguments(args, t.schema)
	if !ok {
		return nil
	}
	return []found{{tool: t, args: coerced}}
}

func flatArguments(t *tool, o object) (any, bool) {
	flat, other := object{}, false
	for _, m := range o {
		switch {
		case contains(nameKeys, m.key):
		case t.schema.property(m.key) != nil:
			flat = append(flat, m)
		case !besideKeys[m.key]:
			other = true
		}
	}
	return flat, len(flat) > 0 || !other
}

// describes tells a tool's definition, whose parameters are a schema, from a call.
func describes(t *tool, args any) bool {
	o, ok := args.(object)
	if !ok || t.schema.property("properties") != nil {
		return false
	}
	props, _ := o.get("properties")
	_, isObject := props.(object)
	kind, _ := text(o, "type")
	return isObject && kind == "object"
}

// keyedCalls reads {"tool": {arguments}}, one call a key.
func (s *toolset) keyedCalls(o object) []found {
	var calls []found
	for _, m := range o {
		args, isObject := m.value.(object)
		t := s.resolve(m.key)
		switch {
		case t != nil && isObject && !describes(t, args):
			calls = append(calls, found{tool: t, args: coerceObject(args, t.schema, 0)})
		case !besideKeys[m.key]:
			return nil
		}
	}
	return calls
}

func contains(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}
