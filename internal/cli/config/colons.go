package config

import (
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/footnote-bot/footnote/core"
)

// checkColons finds text such as user:ann@example.com that the parser took for a
// key and a value. To YAML a colon without a blank behind it is a part of the
// text; in brackets within braces the parser thinks otherwise.
func checkColons(file string, node ast.Node) error {
	v := colons{file: file}
	ast.Walk(&v, node)
	return v.err
}

type colons struct {
	file string
	err  error // the first one
}

// Visit looks at one node of the tree.
func (v *colons) Visit(node ast.Node) ast.Visitor {
	pair, ok := node.(*ast.MappingValueNode)
	if !ok || v.err != nil {
		return v
	}
	key, colon, value := pair.Key.GetToken(), pair.Start, pair.Value.GetToken()
	if key == nil || colon == nil || value == nil || key.Type != token.StringType || !touching(colon, value) {
		return v
	}
	v.err = core.Errorf(core.KindConfig, "%s, line %d: %q has a colon in it and is taken for a key and a value: write it in quotes",
		v.file, key.Position.Line, key.Value+":"+value.Value)
	return v
}

// touching tells whether the value is plain text right behind the colon.
func touching(colon, value *token.Token) bool {
	switch value.Type {
	case token.MappingStartType, token.SequenceStartType, token.SingleQuoteType, token.DoubleQuoteType:
		return false
	}
	return value.Position.Line == colon.Position.Line && value.Position.Column == colon.Position.Column+1
}
