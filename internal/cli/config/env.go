package config

import (
	"net/url"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/footnote-bot/footnote/core"
)

// Prefix starts the name of every environment variable of Footnote.
const Prefix = "FOOTNOTE_"

// environment overrides the file's values by those of the environment.
func (c *Config) environment(dir string, lookup func(string) (string, bool)) error {
	before := c.DataDir
	if err := overlay(reflect.ValueOf(c).Elem(), Prefix, lookup); err != nil {
		return err
	}
	if c.DataDir != before {
		c.DataDir = absolute(dir, c.DataDir)
	}
	return nil
}

func overlay(v reflect.Value, prefix string, lookup func(string) (string, bool)) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		key := field.Tag.Get("yaml")
		if key == "-" {
			continue
		}
		name := prefix + strings.ToUpper(key)
		if field.Type.Kind() == reflect.Struct {
			if err := overlay(v.Field(i), name+"_", lookup); err != nil {
				return err
			}
			continue
		}
		text, ok, err := value(name, field.Tag.Get("secret") == "true", lookup)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := set(v.Field(i), name, text); err != nil {
			return err
		}
	}
	return nil
}

// value finds a variable, or for a secret the content of the file that its
// _FILE variable names.
func value(name string, secret bool, lookup func(string) (string, bool)) (string, bool, error) {
	if text, ok := lookup(name); ok {
		return text, true, nil
	}
	if !secret {
		return "", false, nil
	}
	path, ok := lookup(name + "_FILE")
	if !ok || path == "" {
		return "", false, nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", false, core.Errorf(core.KindConfig, "%s_FILE: %w", name, err)
	}
	return strings.TrimSpace(string(raw)), true, nil
}

func set(field reflect.Value, name, text string) error {
	switch field.Interface().(type) {
	case string:
		field.SetString(text)
	case time.Duration:
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return core.Errorf(core.KindConfig, "%s: %q is not a length of time such as 15m, 24h or 90s", name, text)
		}
		field.SetInt(int64(d))
	case int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return core.Errorf(core.KindConfig, "%s: %q is not a whole number", name, text)
		}
		field.SetInt(int64(n))
	case []string:
		field.Set(reflect.ValueOf(splitList(text)))
	default:
		if err := yaml.UnmarshalWithOptions([]byte(text), field.Addr().Interface(), yaml.Strict()); err != nil {
			return core.Errorf(core.KindConfig, "%s: %s; write it as in the file, in one line", name, yamlMessage(err))
		}
	}
	return nil
}

func splitList(text string) []string {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func checkURL(key, text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return core.Errorf(core.KindConfig, "%s: %q is not an http or https address", key, text)
	}
	return nil
}

// UnmarshalYAML accepts one principal or a list of them.
func (a *Access) UnmarshalYAML(raw []byte) error {
	var list []string
	if err := yaml.Unmarshal(raw, &list); err == nil {
		*a = list
		return nil
	}
	var one string
	if err := yaml.Unmarshal(raw, &one); err != nil {
		return err
	}
	*a = splitList(one)
	return nil
}
