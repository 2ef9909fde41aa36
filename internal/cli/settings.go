package cli

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/plugins"
)

// schema is the part of a connector's JSON Schema that the command line needs.
type schema struct {
	Required   []string         `json:"required"`
	Properties map[string]field `json:"properties"`

	either []string // one of these is needed; a value fills the first
}

// order is which settings the values of source add fill.
func (s schema) order() []string {
	return append(slices.Clone(s.Required), s.either[:min(len(s.either), 1)]...)
}

type field struct {
	Type        string `json:"type"`
	Description string `json:"description"`
}

// settings makes a connector's configuration of words on the command line:
// values fill the required settings in order, KEY=VALUE any.
func (inv *invocation) settings(about plugins.Description, values, set []string) (map[string]any, error) {
	var s schema
	if err := json.Unmarshal(about.Schema, &s); err != nil {
		return nil, core.Errorf(core.KindInternal, "connector %q describes its settings in a way that cannot be read: %w", about.Name, err)
	}
	s.either = bundledConnectors()[about.Name].either
	order := s.order()
	if len(values) > len(order) {
		return nil, core.Errorf(core.KindUsage, "connector %q does not know what to do with %q; it takes: %s",
			about.Name, values[len(order)], strings.Join(order, ", "))
	}
	out := map[string]any{}
	for i, v := range values {
		if err := s.put(out, about.Name, order[i], v); err != nil {
			return nil, err
		}
	}
	for _, pair := range set {
		key, v, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, core.Errorf(core.KindUsage, "--set: %q is not of the form KEY=VALUE", pair)
		}
		if err := s.put(out, about.Name, key, v); err != nil {
			return nil, err
		}
	}
	return out, s.complete(about.Name, out)
}

func (s schema) put(out map[string]any, connector, key, text string) error {
	f, ok := s.Properties[key]
	if !ok {
		known := slices.Sorted(maps.Keys(s.Properties))
		hint := "its settings are: " + strings.Join(known, ", ")
		if near := config.Nearest(key, known); near != "" {
			hint = "did you mean " + near + "?"
		}
		return core.Errorf(core.KindUsage, "connector %q has no setting %q; %s", connector, key, hint)
	}
	v, err := f.value(text)
	if err != nil {
		return core.Errorf(core.KindUsage, "setting %q: %w", key, err)
	}
	out[key] = v
	return nil
}

// value reads a word as the schema's type says.
func (f field) value(text string) (any, error) {
	switch f.Type {
	case "string", "":
		return text, nil
	case "boolean":
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, core.Errorf(core.KindUsage, "%q is neither true nor false", text)
		}
		return b, nil
	case "array":
		if !strings.HasPrefix(strings.TrimSpace(text), "[") {
			return strings.Split(text, ","), nil
		}
	}
	var v any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, core.Errorf(core.KindUsage, "%q is not of type %s", text, f.Type)
	}
	return v, nil
}

func (s schema) complete(connector string, out map[string]any) error {
	given := func(key string) bool { _, ok := out[key]; return ok }
	for _, key := range s.Required {
		if !given(key) {
			return s.missing(connector, key, "")
		}
	}
	if len(s.either) > 0 && !slices.ContainsFunc(s.either, given) {
		return s.missing(connector, s.either[0], ", or --set "+strings.Join(s.either[1:], "=… or --set ")+"=…")
	}
	return nil
}

func (s schema) missing(connector, key, or string) error {
	help := ""
	if d := s.Properties[key].Description; d != "" {
		help = " (" + d + ")"
	}
	return core.Errorf(core.KindUsage, "connector %q needs %s%s: footnote source add %s %s%s",
		connector, key, help, connector, strings.ToUpper(strings.Join(s.order(), " ")), or)
}
