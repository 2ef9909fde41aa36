package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

func lookupIn(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

func load(t *testing.T, text string, env map[string]string) (Config, error) {
	t.Helper()
	dir := t.TempDir()
	if text != "" {
		if err := os.WriteFile(filepath.Join(dir, DefaultFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Load("", dir, lookupIn(env))
}

func TestLoadReadsEveryKey(t *testing.T) {
	t.Parallel()
	c, err := load(t, `
data_dir: store
model: {base_url: https://models.example/v1, name: small, api_key: k, context_window: 8000, idle_timeout: 5s}
members: {domains: [example.com], emails: [guest@other.example]}
sources:
  - name: handbook
    connector: files
    config: {dir: /docs, exclude: ["*.tmp"]}
    access: workspace
    every: 15m
  - name: hr
    connector: files
    access: [user:hr@example.com, group:hr/all]
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(filepath.Dir(c.File), "store"); c.DataDir != want {
		t.Errorf("data_dir = %q, want %q (relative to the file)", c.DataDir, want)
	}
	if c.Model.ContextWindow != 8000 || c.Model.IdleTimeout != 5*time.Second {
		t.Errorf("model = %+v", c.Model)
	}
	first, err := c.Sources[0].Core()
	if err != nil {
		t.Fatal(err)
	}
	if first.Every != 15*time.Minute || !strings.Contains(string(first.Config), `"exclude":["*.tmp"]`) {
		t.Errorf("first source = %+v, config %s", first, first.Config)
	}
	second, err := c.Sources[1].Core()
	if err != nil {
		t.Fatal(err)
	}
	want := core.NewAccess(core.User("hr@example.com"), core.Group("hr", "all"))
	if diff := cmp.Diff(want, second.Access); diff != "" {
		t.Errorf("access (-want +got):\n%s", diff)
	}
}

func TestLoadNamesFileLineKeyAndRemedy(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, text string
		env        map[string]string
		want       []string
	}{
		{"unknown top key", "model:\n  name: x\ndata_dri: y\n", nil, []string{"footnote.yaml, line 3", `"data_dri"`, `did you mean "data_dir"?`}},
		{"unknown nested key", "model:\n  base_ulr: x\n", nil, []string{"line 2", `"model.base_ulr"`, `"base_url"`}},
		{"unknown key in a list", "sources:\n  - name: a\n    conector: files\n", nil, []string{"line 3", `"sources[0].conector"`, `"connector"`}},
		{"nothing near", "zzzzzzzz: 1\n", nil, []string{"line 1", "known keys here: data_dir, model"}},
		{"bad duration", "sources:\n  - {name: a, connector: files, every: soon}\n", nil, []string{"line 2", `"sources[0].every"`, "15m"}},
		{"bad number", "model: {context_window: many}\n", nil, []string{"line 1", "context_window", "whole number"}},
		{"list instead of text", "data_dir: [a]\n", nil, []string{"line 1", "data_dir", "text"}},
		{"text instead of list", "sources: files\n", nil, []string{"line 1", "sources", "a list"}},
		{"keys instead of a list", "groups:\n  hr: [a@example.com]\n", nil, []string{"line 2", "groups", "a list of entries with the keys name, members"}},
		{"a colon in brackets", "groups:\n  - {name: a, members: [b@example.com, group:config/hr]}\n", nil, []string{"line 2", `"group:config/hr"`, "in quotes"}},
		{"a colon in a source's settings", "sources:\n  - {name: a, connector: files,\n     config: {access: {\"hr/**\": [user:hr@example.com]}}}\n", nil, []string{"line 3", `"user:hr@example.com"`, "in quotes"}},
		{"not YAML", "model: {a\n", nil, []string{"footnote.yaml", "line"}},
		{"bad principal", "sources:\n  - {name: a, connector: files, access: everyone}\n", nil, []string{"line 2", `"everyone"`, "workspace"}},
		{"bad name", "sources:\n  - {name: A B, connector: files}\n", nil, []string{"line 2", `"A B"`}},
		{"name twice", "sources:\n  - {name: a, connector: files}\n  - {name: a, connector: files}\n", nil, []string{"line 3", "line 2"}},
		{"half a model", "model: {name: x}\n", nil, []string{"model.base_url", "FOOTNOTE_MODEL_BASE_URL"}},
		{"bad address", "model: {name: x, base_url: models}\n", nil, []string{"model.base_url", "models"}},
		{"no address of a collector", "traces: {endpoint: \"localhost:4318\"}\n", nil, []string{"traces.endpoint", "http://localhost:4318", "traces.headers"}},
		{"bad headers for a collector", "traces: {endpoint: \"http://localhost:4318\", headers: \"a=b, secret\"}\n", nil, []string{"traces.headers", "number 2"}},
		{"bad environment number", "", map[string]string{"FOOTNOTE_MODEL_MAX_OUTPUT": "lots"}, []string{"FOOTNOTE_MODEL_MAX_OUTPUT", "lots"}},
		{"missing secret file", "", map[string]string{"FOOTNOTE_MODEL_API_KEY_FILE": "/nowhere/key"}, []string{"FOOTNOTE_MODEL_API_KEY_FILE", "/nowhere/key"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := load(t, row.text, row.env)
			if core.KindOf(err) != core.KindConfig {
				t.Fatalf("error kind %q (%v), want config", core.KindOf(err), err)
			}
			for _, want := range row.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("message %q lacks %q", err, want)
				}
			}
		})
	}
}

func TestErrorsNeverShowSecrets(t *testing.T) {
	t.Parallel()
	_, err := load(t, "model:\n  api_key: sk-very-secret\n  base_url: [sk-very-secret\n", nil)
	if err == nil || strings.Contains(err.Error(), "sk-very-secret") {
		t.Fatalf("error %v must exist and must not hold the secret", err)
	}
}

func TestEnvironmentWins(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := load(t, "data_dir: a\nmodel: {base_url: http://localhost:1/v1, name: one}\n", map[string]string{
		"FOOTNOTE_DATA_DIR":           "/elsewhere",
		"FOOTNOTE_MODEL_NAME":         "two",
		"FOOTNOTE_MODEL_API_KEY_FILE": key,
		"FOOTNOTE_MEMBERS_DOMAINS":    "a.example, b.example",
		"FOOTNOTE_SOURCES":            `[{name: docs, connector: files, access: public}]`,
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.DataDir != "/elsewhere" || c.Model.Name != "two" || c.Model.APIKey != "from-file" {
		t.Errorf("config = %+v", c)
	}
	if diff := cmp.Diff([]string{"a.example", "b.example"}, c.Members.Domains); diff != "" {
		t.Error(diff)
	}
	if len(c.Sources) != 1 || c.Sources[0].Name != "docs" {
		t.Errorf("sources = %+v", c.Sources)
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"serach": "search", "Ask": "ask", "sorce": "source", "xyzzy": "", "versoin": "version"} {
		if got := Nearest(word, []string{"ask", "search", "source", "sync", "version"}); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestEveryKeyIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	var walk func(path string, typ reflect.Type)
	walk = func(path string, typ reflect.Type) {
		for i := range typ.NumField() {
			key := typ.Field(i).Tag.Get("yaml")
			if key == "-" {
				continue
			}
			switch field := typ.Field(i).Type; {
			case field.Kind() == reflect.Struct:
				walk(path+key+".", field)
			case field.Kind() == reflect.Slice && field.Elem().Kind() == reflect.Struct:
				walk("", field.Elem())
				fallthrough
			default:
				if !strings.Contains(string(page), "`"+path+key+"`") {
					t.Errorf("docs/configuration.md does not name %s", path+key)
				}
			}
		}
	}
	walk("", reflect.TypeFor[Config]())
}

func TestChangedComparesWithTheFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, DefaultFile)
	nothing := func(string) (string, bool) { return "", false }
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func() Config {
		t.Helper()
		c, err := Load("", dir, nothing)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	without := read()
	if without.Changed() {
		t.Error("changed without a file")
	}
	write("members: {domains: [a.example]}\n")
	with := read()
	if !without.Changed() || with.Changed() {
		t.Errorf("a file came into being: %t, read since: %t", without.Changed(), with.Changed())
	}
	write("members: {domains: [b.example]}\n")
	if !with.Changed() {
		t.Error("other text of the same length counts as the same")
	}
	write("members: {domains: [a.example]}\n")
	if with.Changed() {
		t.Error("the same text again counts as another")
	}
	if err := os.Remove(file); err != nil || !with.Changed() {
		t.Errorf("the file is gone: %v", err)
	}
}

// Colons that YAML knows stay as they are.
func TestColonsInTextAreTaken(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"model: {base_url: http://localhost:11434/v1, name: qwen3:8b}\n",
		"groups:\n  - name: a\n    members:\n      - group:config/b\n  - name: b\n    members: [\"group:config/a\", 'user@example.com']\n",
		"sources:\n  - name: a\n    connector: files\n    access: group:config/a\n    config:\n      dir: /x\n      access: {\"hr/**\":[\"user:a@example.com\"], \"b\":\"public\"}\n",
		"http: {listen: \"127.0.0.1:8080\"}\nsources:\n  - {name: w, connector: files, every: 15m, access: workspace, config: {dir: /x}}\n",
	} {
		if _, err := load(t, text, nil); err != nil {
			t.Errorf("%s%v", text, err)
		}
	}
}
