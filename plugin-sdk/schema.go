package sdk

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// schemaOf writes the JSON Schema of the fields. It is built by hand because
// the order of properties and required is a promise: the command line maps
// positional arguments onto the required fields in that order.
func schemaOf(fields []field) []byte {
	var b bytes.Buffer
	b.WriteString(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{`)
	required := []string{}
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(mustJSON(f.name))
		b.WriteByte(':')
		b.Write(f.schema())
		if f.required {
			required = append(required, f.name)
		}
	}
	b.WriteString(`},"required":`)
	b.Write(mustJSON(required))
	b.WriteString(`,"additionalProperties":false}`)
	return b.Bytes()
}

func (f field) schema() []byte {
	s := schemaOfType(f.typ)
	s.Description, s.Enum = f.help, f.enum
	if f.def != "" {
		s.Default = f.defaultJSON()
	}
	return mustJSON(s)
}

type property struct {
	Type        string          `json:"type"`
	Format      string          `json:"format,omitempty"`
	Description string          `json:"description,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	WriteOnly   bool            `json:"writeOnly,omitempty"`
	Items       *property       `json:"items,omitempty"`
	Additional  *property       `json:"additionalProperties,omitempty"`
	Properties  json.RawMessage `json:"properties,omitempty"`
	Required    []string        `json:"required,omitempty"`
}

func schemaOfType(t reflect.Type) *property {
	switch {
	case t == secretType:
		return &property{Type: "string", Format: "password", WriteOnly: true}
	case t == durationType:
		return &property{Type: "string", Format: "go-duration"}
	case t == timeType:
		return &property{Type: "string", Format: "date-time"}
	case readsText(t):
		return &property{Type: "string"}
	case isInt(t):
		return &property{Type: "integer"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return &property{Type: "boolean"}
	case reflect.Float32, reflect.Float64:
		return &property{Type: "number"}
	case reflect.Slice:
		return &property{Type: "array", Items: schemaOfType(t.Elem())}
	case reflect.Map:
		return &property{Type: "object", Additional: schemaOfType(t.Elem())}
	case reflect.Pointer:
		return schemaOfType(t.Elem())
	case reflect.Struct:
		return schemaOfStruct(t)
	}
	return &property{Type: "string"}
}

// schemaOfStruct describes a struct inside a tool's arguments, whose names are
// those of encoding/json.
func schemaOfStruct(t reflect.Type) *property {
	out := &property{Type: "object"}
	var b bytes.Buffer
	for i := range t.NumField() {
		sf := t.Field(i)
		name := argumentName(sf, sf.Name)
		if !sf.IsExported() || name == "-" {
			continue
		}
		if b.Len() == 0 {
			b.WriteByte('{')
		} else {
			b.WriteByte(',')
		}
		b.Write(mustJSON(name))
		b.WriteByte(':')
		inner := schemaOfType(sf.Type)
		inner.Description = sf.Tag.Get("help")
		b.Write(mustJSON(inner))
		if sf.Tag.Get("required") == "true" {
			out.Required = append(out.Required, name)
		}
	}
	if b.Len() > 0 {
		b.WriteByte('}')
		out.Properties = b.Bytes()
	}
	return out
}

// mustJSON is for values that cannot fail to be written: strings, lists of
// strings and schemas made of them.
func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
