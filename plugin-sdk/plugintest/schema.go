package plugintest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// schema is what the kit understands of a JSON Schema of type object.
type schema struct {
	names    []string // in the author's order
	props    map[string]property
	required []string
}

type property struct {
	Type        string          `json:"type"`
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"`
	WriteOnly   bool            `json:"writeOnly"`
}

var types = []string{"string", "integer", "number", "boolean", "array", "object"}

// readSchema says what is wrong with a schema.
func readSchema(data []byte) (schema, error) {
	var raw struct {
		Type       string          `json:"type"`
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return schema{}, fmt.Errorf("it is not JSON: %w", err)
	}
	if raw.Type != "object" {
		return schema{}, fmt.Errorf("its type is %q and has to be object", raw.Type)
	}
	out := schema{required: raw.Required}
	if len(raw.Properties) == 0 {
		raw.Properties = []byte("{}")
	}
	if err := json.Unmarshal(raw.Properties, &out.props); err != nil {
		return schema{}, fmt.Errorf("its properties cannot be read: %w", err)
	}
	var err error
	if out.names, err = keysOf(raw.Properties); err != nil {
		return schema{}, err
	}
	for _, name := range out.names {
		if p := out.props[name]; !slices.Contains(types, p.Type) {
			return schema{}, fmt.Errorf("property %q has the type %q, which is none of JSON Schema", name, p.Type)
		} else if p.WriteOnly && p.Type != "string" {
			return schema{}, fmt.Errorf("property %q is a secret (writeOnly) and not text", name)
		}
	}
	for _, name := range out.required {
		if _, ok := out.props[name]; !ok {
			return schema{}, fmt.Errorf("%q is required and is no property", name)
		}
	}
	return out, nil
}

// keysOf lists an object's keys as they stand; one that stands twice is an error.
func keysOf(object []byte) ([]string, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("its properties are not an object")
	}
	var out []string
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string) // a key is always text
		if slices.Contains(out, name) {
			return nil, fmt.Errorf("property %q stands there twice", name)
		}
		out = append(out, name)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// split takes the secrets out of a configuration, as the host does.
func (s schema) split(config json.RawMessage) (json.RawMessage, map[string]string, error) {
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(config, &values); err != nil {
		return nil, nil, err
	}
	secrets := map[string]string{}
	for name, p := range s.props {
		var text string
		if p.WriteOnly && len(values[name]) > 0 && json.Unmarshal(values[name], &text) == nil {
			secrets[name] = text
			delete(values, name)
		}
	}
	rest, err := json.Marshal(values)
	return rest, secrets, err
}

// with returns a configuration with one value set, or taken out where it is nil.
func with(config json.RawMessage, name string, value any) (json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(config, &values); err != nil {
		return nil, err
	}
	delete(values, name)
	if value != nil {
		data, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		values[name] = data
	}
	return json.Marshal(values)
}

// wrongFor is a value that cannot be right for a type.
func wrongFor(kind string) any {
	switch kind {
	case "object":
		return []int{1}
	case "array", "boolean":
		return map[string]int{"plugintest": 1}
	}
	return map[string]bool{"plugintest": true}
}
