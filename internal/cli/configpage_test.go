package cli

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/internal/cli/config"
)

var update = flag.Bool("update", false, "write the reference of all keys into docs/configuration.md")

// The reference stands between these lines; what is around it is written by hand.
const (
	referenceBegins = "<!-- The reference is made of the code: go test ./internal/cli -run TestConfigurationReference -update -->\n"
	referenceEnds   = "<!-- End of the reference. -->\n"

	section = "section" // what has keys below it
)

// TestConfigurationReference holds the reference of docs/configuration.md against the
// struct that the file is read into; with -update it writes it.
func TestConfigurationReference(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "docs", "configuration.md")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(raw), referenceBegins)
	there, after, ended := strings.Cut(rest, referenceEnds)
	if !begun || !ended {
		t.Fatalf("%s lacks the lines between which the reference stands", path)
	}
	want := reference(reflect.TypeFor[config.Config]())
	if there == want {
		return
	}
	if !*update {
		t.Fatalf("the reference in docs/configuration.md is not what the code says; write it with -update")
	}
	if err := os.WriteFile(path, []byte(before+referenceBegins+want+referenceEnds+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A key of the file has a help text and a name for its type, or the reference would
// have holes.
func TestEveryKeyExplainsItself(t *testing.T) {
	t.Parallel()
	for _, k := range keysBelow(reflect.TypeFor[config.Config](), "") {
		if k.help == "" || k.kind == "" {
			t.Errorf("%s: help %q, type %q", k.path, k.help, k.kind)
		}
	}
	for _, key := range reloadable {
		if !slices.ContainsFunc(fileFields(reflect.TypeFor[config.Config]()), func(f reflect.StructField) bool { return f.Tag.Get("yaml") == key }) {
			t.Errorf("%q counts at once, and no such key exists", key)
		}
	}
}

// key is one key of the file.
type key struct {
	path, kind, standard, help string
	secret                     bool
}

// reference writes all keys: those that stand alone, then a part for each section
// and each list.
func reference(root reflect.Type) string {
	var b strings.Builder
	b.WriteString("\n### Keys that stand alone\n\n| key | in the environment | type | if not set | counts | meaning |\n|---|---|---|---|---|---|\n")
	for _, f := range fileFields(root) {
		if name := f.Tag.Get("yaml"); elements(f.Type) == nil {
			k := keyOf(f, "")
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", k.path, variables(k), k.kind, k.standard, counts(name), k.help)
		}
	}
	for _, f := range fileFields(root) {
		if part := elements(f.Type); part != nil {
			name := f.Tag.Get("yaml")
			writePart(&b, f.Type, name, fmt.Sprintf("%s. Counts %s.", sentence(f.Tag.Get("help")), counts(name)))
			for _, inner := range fileFields(part) {
				if deeper := elements(inner.Type); deeper != nil {
					writePart(&b, inner.Type, name+"."+inner.Tag.Get("yaml"), sentence(inner.Tag.Get("help"))+".")
				}
			}
		}
	}
	b.WriteByte('\n')
	return b.String()
}

func writePart(b *strings.Builder, typ reflect.Type, path, text string) {
	list, prefix := typ.Kind() == reflect.Slice, path+"."
	if list {
		fmt.Fprintf(b, "\n### `%s`, a list\n\n%s In the environment: %s.\n\n| key of an entry | type | if not set | meaning |\n|---|---|---|---|\n", path, text, variables(key{path: path}))
		prefix = ""
	} else {
		fmt.Fprintf(b, "\n### `%s`\n\n%s\n\n| key | in the environment | type | if not set | meaning |\n|---|---|---|---|---|\n", path, text)
	}
	for _, f := range fileFields(elements(typ)) {
		k, environment := keyOf(f, prefix), ""
		if !list {
			environment = variables(k) + " | "
		}
		fmt.Fprintf(b, "| `%s` | %s%s | %s | %s |\n", k.path, environment, k.kind, k.standard, k.help)
	}
}

// variables names the environment variables of a key; a section has none of its own.
func variables(k key) string {
	if k.kind == section {
		return "–"
	}
	name := config.Prefix + strings.ToUpper(strings.ReplaceAll(k.path, ".", "_"))
	if k.secret {
		return fmt.Sprintf("`%s`, `%s_FILE`", name, name)
	}
	return "`" + name + "`"
}

func keyOf(f reflect.StructField, prefix string) key {
	k := key{path: prefix + f.Tag.Get("yaml"), kind: kindOf(f), secret: f.Tag.Get("secret") == "true"}
	k.help, k.standard = splitStandard(f.Tag.Get("help"))
	if k.secret {
		k.kind += ", secret"
	}
	if k.standard == "" {
		k.standard = map[reflect.Kind]string{reflect.Bool: "false", reflect.Slice: "none", reflect.Map: "none"}[f.Type.Kind()]
	}
	k.help, k.standard = cell(k.help), cell(cmp.Or(k.standard, "–"))
	return k
}

// splitStandard takes the part that says what holds if nothing is set out of a help
// text such as "calls at the same time; 8 if not set".
func splitStandard(help string) (meaning, standard string) {
	var rest []string
	for part := range strings.SplitSeq(help, "; ") {
		said, ok := strings.CutSuffix(part, " if not set")
		if before, after, more := strings.Cut(part, " if not set, "); more {
			said, ok = before, true
			rest = append(rest, after)
		}
		if ok && standard == "" {
			standard = said
			continue
		}
		rest = append(rest, part)
	}
	return strings.Join(rest, "; "), standard
}

func kindOf(f reflect.StructField) string {
	switch f.Type {
	case reflect.TypeFor[time.Duration]():
		return "time"
	case reflect.TypeFor[config.Access]():
		return "principals"
	}
	switch f.Type.Kind() {
	case reflect.String:
		return "text"
	case reflect.Int, reflect.Int64:
		return "whole number"
	case reflect.Float64:
		return "number"
	case reflect.Bool:
		return "true or false"
	case reflect.Map:
		return "keys and values"
	case reflect.Struct:
		return section
	case reflect.Slice:
		if f.Type.Elem().Kind() == reflect.Struct {
			return "list of entries"
		}
		return "list of texts"
	}
	return ""
}

// elements is what a section or a list of sections is made of; nil for what has no
// keys below it.
func elements(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	return t
}

func keysBelow(t reflect.Type, prefix string) []key {
	var out []key
	for _, f := range fileFields(t) {
		out = append(out, keyOf(f, prefix))
		if part := elements(f.Type); part != nil {
			out = append(out, keysBelow(part, prefix+f.Tag.Get("yaml")+".")...)
		}
	}
	return out
}

// fileFields are the fields that the file can set, in their order.
func fileFields(t reflect.Type) []reflect.StructField {
	var out []reflect.StructField
	for _, f := range reflect.VisibleFields(t) {
		if name := f.Tag.Get("yaml"); f.IsExported() && name != "" && name != "-" {
			out = append(out, f)
		}
	}
	return out
}

func counts(key string) string {
	if slices.Contains(reloadable, key) {
		return "at a reload"
	}
	return "after a restart"
}

func sentence(help string) string {
	return strings.ToUpper(help[:1]) + help[1:]
}

// cell keeps a text from ending its cell of the table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
