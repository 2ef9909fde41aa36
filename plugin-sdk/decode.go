package sdk

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// decode fills the author's struct from the config object and the secrets. It
// reports every field that is unknown, missing or of the wrong type.
func decode(src Source, fields []field, config []byte, secrets map[string]string) []*Error {
	values, err := object(config)
	if err != nil {
		return []*Error{configError("", fmt.Errorf("the configuration is not a JSON object: %w", err))}
	}
	for name, secret := range secrets {
		values[name] = mustJSON(secret)
	}
	if len(fields) == 0 {
		return unknown(values, fields)
	}
	return fill(reflect.ValueOf(src).Elem(), fields, values)
}

// object reads one JSON object; nothing at all is an empty one.
func object(data []byte) (map[string]json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(data)) == 0 {
		return values, nil
	}
	if err := json.Unmarshal(data, &values); err != nil {
		return nil, err
	}
	if values == nil {
		return nil, errors.New("it is null")
	}
	return values, nil
}

// fill sets the fields of a struct from the values.
func fill(target reflect.Value, fields []field, values map[string]json.RawMessage) []*Error {
	out := unknown(values, fields)
	for _, f := range fields {
		if err := f.decode(target.Field(f.index), values[f.name]); err != nil {
			out = append(out, configError(f.name, err))
		}
	}
	return out
}

func configError(field string, err error) *Error {
	e, _ := Config(field, err).(*Error)
	return e
}

func unknown(values map[string]json.RawMessage, fields []field) []*Error {
	var out []*Error
	for name := range values {
		if slices.ContainsFunc(fields, func(f field) bool { return f.name == name }) {
			continue
		}
		err := errors.New("there is no such field")
		if near := nearest(name, fields); near != "" {
			err = fmt.Errorf("there is no such field; did you mean %s?", near)
		} else if len(fields) > 0 {
			err = fmt.Errorf("there is no such field; the fields are %s", names(fields))
		}
		out = append(out, configError(name, err))
	}
	slices.SortFunc(out, func(a, b *Error) int { return strings.Compare(a.field, b.field) })
	return out
}

func names(fields []field) string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.name
	}
	return strings.Join(list, ", ")
}

func (f field) decode(target reflect.Value, raw json.RawMessage) error {
	if len(raw) == 0 || string(raw) == "null" {
		switch {
		case f.required:
			return errors.New("a value is required")
		case f.def == "":
			return nil
		}
		raw = f.defaultJSON()
	}
	if f.required && string(raw) == `""` {
		return errors.New("a value is required, it is empty")
	}
	return f.set(target, raw)
}

func (f field) set(target reflect.Value, raw json.RawMessage) error {
	if err := setValue(target, raw); err != nil {
		return err
	}
	if f.enum == nil || target.Kind() != reflect.String {
		return nil
	}
	if !slices.Contains(f.enum, target.String()) {
		return fmt.Errorf("%q is not possible: choose one of %s", target.String(), strings.Join(f.enum, ", "))
	}
	return nil
}

func setValue(target reflect.Value, raw json.RawMessage) error {
	if readsText(target.Type()) {
		return setText(target, raw)
	}
	if err := json.Unmarshal(raw, target.Addr().Interface()); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Type != target.Type() { // further inside
			return fmt.Errorf("want %s, got %s", strings.TrimSpace(typeName(wrong.Type)+" "+insideOf(wrong.Field)), wrong.Value)
		} else if wrong != nil {
			return fmt.Errorf("want %s, got %s", typeName(target.Type()), jsonName(raw))
		}
		return err
	}
	return nil
}

func insideOf(field string) string {
	if field == "" {
		return "inside it"
	}
	return "as " + field
}

// setText accepts a number for a type that reads text too, so that a size can
// be written as 1048576 or "1MiB".
func setText(target reflect.Value, raw json.RawMessage) error {
	text := string(raw)
	if raw[0] == '"' {
		if err := json.Unmarshal(raw, &text); err != nil {
			return err
		}
	} else if strings.ContainsAny(text[:1], "{[tf") {
		return fmt.Errorf("want %s, got %s", typeName(target.Type()), jsonName(raw))
	}
	if target.Type() == durationType {
		d, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("%q is not a duration: write one such as 90s, 15m or 24h", text)
		}
		target.SetInt(int64(d))
		return nil
	}
	reader, ok := target.Addr().Interface().(encoding.TextUnmarshaler)
	if !ok {
		return fmt.Errorf("%s cannot be read from text", target.Type())
	}
	return reader.UnmarshalText([]byte(text))
}

// defaultJSON is the default tag's value as it would stand in the config.
func (f field) defaultJSON() json.RawMessage {
	switch {
	case f.typ.Kind() == reflect.String, readsText(f.typ):
		return mustJSON(f.def)
	case f.typ.Kind() == reflect.Slice && !strings.HasPrefix(f.def, "["):
		return mustJSON(strings.Split(f.def, ","))
	}
	return json.RawMessage(f.def)
}

func typeName(t reflect.Type) string {
	switch {
	case t == durationType:
		return "a duration such as 15m"
	case readsText(t), t.Kind() == reflect.String:
		return "text"
	case isInt(t):
		return "a whole number"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Map:
		return "a table of names and values"
	}
	return "a number"
}

func jsonName(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "a table"
	case '[':
		return "a list"
	case '"':
		return "text"
	case 't', 'f':
		return string(raw)
	}
	return "a number"
}
