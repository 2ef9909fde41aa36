package slack

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sources parses the files of the package, tests left out.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*ast.File{}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = f
	}
	return out
}

// TestTableListsWhatIsCalled holds the methods that the wrapper calls against the
// table: one that is called and not listed has no scope in the manifest, one that
// is listed and not called asks for a scope for nothing.
func TestTableListsWhatIsCalled(t *testing.T) {
	var called []string
	for _, f := range sources(t) {
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if id, ok := lit.Type.(*ast.Ident); !ok || id.Name != "call" {
				return true
			}
			for _, e := range lit.Elts {
				kv := e.(*ast.KeyValueExpr)
				if kv.Key.(*ast.Ident).Name != "method" {
					continue
				}
				name, err := strconv.Unquote(kv.Value.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				called = append(called, name)
			}
			return true
		})
	}
	var listed []string
	for _, f := range features {
		listed = append(listed, f.methods...)
	}
	called = slices.DeleteFunc(called, func(m string) bool { return m == "response_url" }) // an address, not a method
	slices.Sort(called)
	slices.Sort(listed)
	if called = slices.Compact(called); !slices.Equal(called, listed) {
		t.Errorf("called and not listed: %v; listed and not called: %v", minus(called, listed), minus(listed, called))
	}
}

// TestOnlyTheWrapperCallsSlack finds calls that go around retries and limits.
func TestOnlyTheWrapperCallsSlack(t *testing.T) {
	for name, f := range sources(t) {
		if strings.HasPrefix(name, "api") {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "slack" {
				t.Errorf("%s uses the client library's client", name)
			}
			return true
		})
	}
}

func TestTableListsTheEventsThatAreHandled(t *testing.T) {
	var listed, handled []string
	for _, f := range features {
		listed = append(append(listed, f.events...), f.accepts...)
	}
	for name := range handlers {
		handled = append(handled, name)
	}
	if a, b := minus(handled, listed), minus(listed, handled); a != nil || b != nil {
		t.Errorf("handled and not listed: %v; listed and not handled: %v", a, b)
	}
}
