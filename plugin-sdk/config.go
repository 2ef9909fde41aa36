package sdk

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
)

// field is one configuration field: an exported field of the author's struct.
type field struct {
	name     string // snake_case, as in the config
	index    int
	typ      reflect.Type
	required bool
	help     string
	def      string
	enum     []string
}

var (
	secretType   = reflect.TypeFor[Secret]()
	durationType = reflect.TypeFor[time.Duration]()
	timeType     = reflect.TypeFor[time.Time]()
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// fieldsOf reads the configuration fields of a source, in the struct's order.
// It fails for a field whose type cannot stand in a config and that is not
// tagged `config:"-"`.
func fieldsOf(src Source) ([]field, error) {
	t := reflect.TypeOf(src)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil, nil
	}
	t = t.Elem()
	var out []field
	for i := range t.NumField() {
		sf := t.Field(i)
		if !sf.IsExported() || sf.Tag.Get("config") == "-" {
			continue
		}
		if !configurable(sf.Type) {
			return nil, fmt.Errorf("field %s of %s has type %s, which cannot stand in a config: tag it config:\"-\"",
				sf.Name, t, sf.Type)
		}
		f, err := fieldOf(sf, i, snake(sf.Name))
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// fieldOf reads the tags of one field.
func fieldOf(sf reflect.StructField, index int, name string) (field, error) {
	f := field{
		name: name, index: index, typ: sf.Type,
		required: sf.Tag.Get("required") == "true", help: sf.Tag.Get("help"), def: sf.Tag.Get("default"),
	}
	if enum := sf.Tag.Get("enum"); enum != "" {
		f.enum = strings.Split(enum, ",")
	}
	return f, f.checkDefault()
}

func (f field) checkDefault() error {
	if f.def == "" {
		return nil
	}
	if err := f.set(reflect.New(f.typ).Elem(), f.defaultJSON()); err != nil {
		return fmt.Errorf("the default of %s is wrong: %w", f.name, err)
	}
	return nil
}

func configurable(t reflect.Type) bool {
	if readsText(t) {
		return true
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Float32, reflect.Float64:
		return true
	case reflect.Slice:
		return configurable(t.Elem())
	case reflect.Map:
		return t.Key().Kind() == reflect.String && configurable(t.Elem())
	}
	return isInt(t)
}

func isInt(t reflect.Type) bool {
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64
}

func readsText(t reflect.Type) bool {
	return t == durationType || reflect.PointerTo(t).Implements(textType)
}

// snake turns a Go field name into a config key: MaxSize is max_size, URLBase
// is url_base.
func snake(name string) string {
	runes := []rune(name)
	var b strings.Builder
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 {
			before := runes[i-1]
			next := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if !unicode.IsUpper(before) || next {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// nearest returns the known name that is most like a wrong one, "" if none is
// near enough to be a slip of the finger.
func nearest(wrong string, known []field) string {
	best, distance := "", len(wrong)/2+1
	for _, f := range known {
		if d := editDistance(strings.ToLower(wrong), f.name); d < distance {
			best, distance = f.name, d
		}
	}
	return best
}

// editDistance counts the single-letter changes between two short names.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = slices.Min([]int{row[j+1] + 1, row[j] + 1, cost})
		}
	}
	return row[len(b)]
}
