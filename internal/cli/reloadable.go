package cli

import (
	"reflect"
	"slices"

	"github.com/footnote-bot/footnote/internal/cli/config"
)

// reloadable are the keys of footnote.yaml that count at once when the file is read
// again. All others count when footnote serve is started again.
var reloadable = []string{
	"sources", "collections", "places", "grants", "groups", "members", "agents", "canned", "curators", "admins", "digest", "prices", "quotas", "tokens", "log_level",
}

// differences sorts the keys of which two configurations say different things by
// whether they can change now, in the order of the struct.
func differences(old, next config.Config) (now, later []string) {
	a, b := reflect.ValueOf(old), reflect.ValueOf(next)
	for i := range a.NumField() {
		field := a.Type().Field(i)
		key := field.Tag.Get("yaml")
		if !field.IsExported() || key == "" || key == "-" || reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			continue
		}
		if slices.Contains(reloadable, key) {
			now = append(now, key)
		} else {
			later = append(later, key)
		}
	}
	return now, later
}

// inUse is the next configuration with what counts later left as it was.
func inUse(old, next config.Config) config.Config {
	a, b := reflect.ValueOf(old), reflect.ValueOf(&next).Elem()
	for i := range a.NumField() {
		field := a.Type().Field(i)
		if key := field.Tag.Get("yaml"); field.IsExported() && key != "" && key != "-" && !slices.Contains(reloadable, key) {
			b.Field(i).Set(a.Field(i))
		}
	}
	return next
}
