package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Tool is something that the model can have done. NewTool makes one from a
// function; the fields are for tools whose schema is known at run time only.
type Tool struct {
	Name   string          // letters, digits, _ and -, at most 64; unique in the connector
	Help   string          // for the model: what it does and when to use it
	Schema json.RawMessage // JSON Schema of type object
	// Changes is set for tools that change something in the system. The host runs
	// one only where the owner allowed it, and asks in the thread first.
	Changes bool
	// Run gets one JSON object. An Invalid or Gone error is told to the model, which
	// may try again; any other is a failure of the connector.
	Run func(ctx context.Context, caller Caller, args json.RawMessage) (Answer, error)

	err error // what is wrong with the tool itself
}

// Answer is what a tool found out.
type Answer struct {
	Value     any        // a string is text; anything else becomes JSON
	Documents []Document // what it rests on and may be cited, with Access
}

// NewTool makes a tool of a function. The exported fields of In are its
// arguments; they take the tags of the configuration (see Serve) and may hold
// structs, whose names are those of encoding/json. An argument's name is its
// json tag's or the field name in snake_case. Out is Answer, or becomes its
// Value.
//
//	sdk.NewTool("issue", "Reads one issue by its key, such as OPS-7.",
//		func(ctx context.Context, who sdk.Caller, in struct {
//			Key string `required:"true" help:"the key"`
//		}) (sdk.Answer, error) { … })
//
// A type that cannot be an argument makes the host's call of Toolbox fail, with
// its name.
func NewTool[In, Out any](name, help string, run func(context.Context, Caller, In) (Out, error)) Tool {
	fields, err := argumentsOf(reflect.TypeFor[In]())
	if err != nil {
		return Tool{Name: name, err: err}
	}
	return Tool{
		Name: name, Help: help, Schema: schemaOf(fields),
		Run: func(ctx context.Context, caller Caller, args json.RawMessage) (Answer, error) {
			var in In
			if err := decodeArguments(&in, fields, args); err != nil {
				return Answer{}, err
			}
			out, err := run(ctx, caller, in)
			if err != nil {
				return Answer{}, err
			}
			if answer, ok := any(out).(Answer); ok {
				return answer, nil
			}
			return Answer{Value: out}, nil
		},
	}
}

// ThatChanges marks a tool as one that changes something in the system.
func (t Tool) ThatChanges() Tool {
	t.Changes = true
	return t
}

const maxToolName = 64

// problem tells why a tool cannot be offered, nil if it can.
func (t Tool) problem() error {
	var schema struct {
		Type string `json:"type"`
	}
	switch {
	case t.err != nil:
		return t.err
	case t.Name == "" || len(t.Name) > maxToolName || strings.ContainsFunc(t.Name, notInToolName):
		return fmt.Errorf("its name has to be 1 to %d letters, digits, _ and -", maxToolName)
	case t.Help == "":
		return errors.New("it has no help, by which the model would know when to use it")
	case json.Unmarshal(t.Schema, &schema) != nil || schema.Type != "object":
		return errors.New("its schema is not a JSON Schema of type object")
	case t.Run == nil:
		return errors.New("it has no Run")
	}
	return nil
}

func notInToolName(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !letter && r != '_' && r != '-'
}

// argumentsOf reads the fields of a tool's In.
func argumentsOf(t reflect.Type) ([]field, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("its arguments are a %s and have to be a struct", t)
	}
	var out []field
	for i := range t.NumField() {
		sf := t.Field(i)
		name := argumentName(sf, snake(sf.Name))
		if !sf.IsExported() || name == "-" {
			continue
		}
		if sf.Anonymous || !argument(sf.Type, 0) {
			return nil, fmt.Errorf("field %s of %s has type %s, which cannot be an argument", sf.Name, t, sf.Type)
		}
		f, err := fieldOf(sf, i, name)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// argumentName is the name in the json tag, or the one given.
func argumentName(sf reflect.StructField, otherwise string) string {
	name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
	if name == "" {
		return otherwise
	}
	return name
}

const maxNesting = 6

// argument tells whether a type can stand in a tool's arguments.
func argument(t reflect.Type, depth int) bool {
	if depth > maxNesting {
		return false // it holds itself
	}
	if readsText(t) {
		return true
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return argument(t.Elem(), depth+1)
	case reflect.Map:
		return t.Key().Kind() == reflect.String && argument(t.Elem(), depth+1)
	case reflect.Struct:
		for i := range t.NumField() {
			if sf := t.Field(i); sf.IsExported() && (sf.Anonymous || !argument(sf.Type, depth+1)) {
				return false
			}
		}
		return true
	}
	return configurable(t)
}

// decodeArguments fills in and tells the model all that is wrong at once.
func decodeArguments(in any, fields []field, args json.RawMessage) error {
	values, err := object(args)
	if err != nil {
		return Invalid(fmt.Errorf("the arguments are not one JSON object: %w", err))
	}
	list := fill(reflect.ValueOf(in).Elem(), fields, values)
	if len(list) == 0 {
		return nil
	}
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = e.Error()
	}
	return Invalid(errors.New(strings.Join(texts, "; ")))
}
