package adminpages

import (
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	shortText = 240  // runes of an ordinary text
	longText  = 4000 // of a Long
)

// clean makes text from elsewhere fit to be shown: without control and direction
// characters, which could make it look like another one, and not longer than so many
// runes. Markup is the templates' concern.
func clean(s string, most int) string {
	if len(s) > 4*most {
		s = s[:4*most] // whole runes are counted below
	}
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > most {
			b.WriteRune('…')
			break
		}
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == 0x2028, r == 0x2029:
			b.WriteRune('�')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

var (
	idType   = reflect.TypeFor[ID]()
	longType = reflect.TypeFor[Long]()
)

// cleaned cleans all text in a view, so that no template can forget it. The value
// that the pointer points at is changed.
func cleaned[T any](v *T) *T {
	cleanValue(reflect.ValueOf(v).Elem())
	return v
}

func cleanValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		switch {
		case !v.CanSet() || v.Type() == idType:
		case v.Type() == longType:
			v.SetString(clean(v.String(), longText))
		default:
			v.SetString(clean(v.String(), shortText))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			cleanValue(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			cleanValue(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() || v.Type().Field(i).Anonymous {
				cleanValue(v.Field(i))
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			if v.Type().Elem().Kind() == reflect.String {
				v.SetMapIndex(k, reflect.ValueOf(clean(v.MapIndex(k).String(), shortText)).Convert(v.Type().Elem()))
			}
		}
	}
}
