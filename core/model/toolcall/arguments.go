package toolcall

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Arguments decodes the arguments of a native call: one JSON object, or a JSON
// string that holds one. NUL bytes and halves of surrogate pairs are left out
// and the values get the types that the schema asks for. Nothing at all, or
// null, is taken as {} if the schema requires no field.
//
// Text that is cut off, is no object, goes on after the object or is longer
// than MaxHeld is an error that names the byte and never quotes the text: such
// a call must be answered with the error, not run without arguments.
func Arguments(raw string, schemaJSON json.RawMessage) (json.RawMessage, error) {
	if len(raw) > MaxHeld {
		return nil, fmt.Errorf("the arguments have %d bytes, %d are allowed", len(raw), MaxHeld)
	}
	s := parseSchema(schemaJSON)
	if strings.Trim(raw, " \t\r\n\x00") == "" {
		return nothing(s, "the arguments are empty at byte 0")
	}
	v, err := parseNative(raw)
	if err != nil {
		return nil, fmt.Errorf("the arguments are not one JSON object: %w", err)
	}
	if inner, ok := v.(string); ok {
		if v, err = parseNative(inner); err != nil {
			return nil, fmt.Errorf("the arguments are a string that is not one JSON object: %w", err)
		}
	}
	switch v := v.(type) {
	case object:
		return encode(coerceObject(v, s, 0)), nil
	case nil:
		return nothing(s, "the arguments are null at byte 0")
	default:
		at := len(raw) - len(strings.TrimLeft(raw, " \t\r\n"))
		return nil, fmt.Errorf("the arguments are of type %s at byte %d, not an object", kindOf(v), at)
	}
}

func nothing(s *schema, fault string) (json.RawMessage, error) {
	if len(s.required) > 0 {
		return nil, fmt.Errorf("%s, but %q is required", fault, s.required[0])
	}
	return json.RawMessage("{}"), nil
}

// parseNative reads strictly and, if that fails for another reason than a
// missing end, once more with the local repairs. The error is the strict one.
func parseNative(raw string) (any, error) {
	v, err := parseWhole(raw, true)
	if err == nil {
		return v, nil
	}
	if v, err := parseWhole(raw, false); err == nil {
		return v, nil
	}
	return nil, err
}
