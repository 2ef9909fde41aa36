package config

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/footnote-bot/footnote/core"
)

// check walks the parsed file beside the struct and reports the first key that
// does not exist or value that has the wrong form, with its line.
func check(file string, node ast.Node, t reflect.Type, path string) error {
	switch t {
	case reflect.TypeFor[time.Duration]():
		return checkDuration(file, node, path)
	case reflect.TypeFor[Access]():
		return checkStrings(file, node, path)
	}
	switch t.Kind() {
	case reflect.Struct:
		return checkStruct(file, node, t, path)
	case reflect.Slice:
		return checkList(file, node, t, path)
	case reflect.String:
		return checkScalar(file, node, path, "text", ast.StringType, ast.LiteralType, ast.IntegerType, ast.FloatType, ast.BoolType)
	case reflect.Int:
		return checkScalar(file, node, path, "a whole number", ast.IntegerType)
	case reflect.Float64:
		return checkScalar(file, node, path, "a number", ast.IntegerType, ast.FloatType)
	case reflect.Bool:
		return checkScalar(file, node, path, "true or false", ast.BoolType)
	}
	return nil // an open map: the connector checks it
}

func checkStruct(file string, node ast.Node, t reflect.Type, path string) error {
	pairs, ok := pairsOf(node)
	if !ok {
		return wrongValue(file, node, path, "keys and values")
	}
	for _, pair := range pairs {
		key := pair.Key.GetToken().Value
		field, ok := fieldOf(t, key)
		if !ok {
			return unknownKey(file, pair.Key, join(path, key), key, keysOf(t))
		}
		if isNull(pair.Value) {
			continue
		}
		if err := check(file, pair.Value, field.Type, join(path, key)); err != nil {
			return err
		}
	}
	return nil
}

func checkList(file string, node ast.Node, t reflect.Type, path string) error {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		return wrongValue(file, node, path, "a list"+entries(t.Elem()))
	}
	for i, item := range list.Values {
		if err := check(file, item, t.Elem(), fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

// entries tells what the entries of a list hold, where they have keys.
func entries(t reflect.Type) string {
	if t.Kind() != reflect.Struct {
		return ""
	}
	return " of entries with the keys " + strings.Join(keysOf(t), ", ")
}

func checkStrings(file string, node ast.Node, path string) error {
	if _, ok := node.(*ast.SequenceNode); ok {
		return checkList(file, node, reflect.TypeFor[[]string](), path)
	}
	return checkScalar(file, node, path, "a principal or a list of them", ast.StringType, ast.LiteralType)
}

func checkDuration(file string, node ast.Node, path string) error {
	d, err := time.ParseDuration(scalarText(node))
	if err != nil || d < 0 {
		return wrongValue(file, node, path, "a length of time such as 15m, 24h or 90s")
	}
	return nil
}

func checkScalar(file string, node ast.Node, path, want string, kinds ...ast.NodeType) error {
	for _, k := range kinds {
		if node.Type() == k {
			return nil
		}
	}
	return wrongValue(file, node, path, want)
}

func scalarText(node ast.Node) string {
	if s, ok := node.(*ast.StringNode); ok {
		return s.Value
	}
	if tok := node.GetToken(); tok != nil {
		return tok.Value
	}
	return ""
}

func pairsOf(node ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := node.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

func isNull(node ast.Node) bool { return node == nil || node.Type() == ast.NullType }

func fieldOf(t reflect.Type, key string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name == key && name != "-" {
			return t.Field(i), true
		}
	}
	return reflect.StructField{}, false
}

func keysOf(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name != "-" {
			keys = append(keys, name)
		}
	}
	return keys
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func lineOf(node ast.Node) int {
	if tok := node.GetToken(); tok != nil && tok.Position != nil {
		return tok.Position.Line
	}
	return 0
}

func unknownKey(file string, node ast.Node, path, key string, known []string) error {
	hint := "known keys here: " + strings.Join(known, ", ")
	if near := Nearest(key, known); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return core.Errorf(core.KindConfig, "%s, line %d: unknown key %q; %s", file, lineOf(node), path, hint)
}

func wrongValue(file string, node ast.Node, path, want string) error {
	return core.Errorf(core.KindConfig, "%s, line %d: key %q: want %s", file, lineOf(node), path, want)
}
