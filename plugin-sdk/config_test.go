package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

type volume int

func (v *volume) UnmarshalText(text []byte) error {
	if !strings.HasSuffix(string(text), "l") {
		return errors.New("want litres")
	}
	_, err := fmt.Sscanf(string(text), "%dl", (*int)(v))
	return err
}

type sample struct {
	ZBase    string              `required:"true" help:"comes first"`
	APIToken Secret              `required:"true"`
	Spaces   []string            `default:"a,b"`
	Every    time.Duration       `default:"90s"`
	Depth    int                 `default:"3"`
	Deep     bool                `default:"true"`
	Level    string              `enum:"low,high" default:"low"`
	Readers  map[string][]string `help:"by path"`
	Tank     volume              `default:"5l"`
	Ratio    float64
	_        *struct{} // not exported: no setting
	Hook     func()    `config:"-"`
}

func (*sample) Sync(context.Context, Cursor, *Out) error { return nil }

func fieldsOfSample(t *testing.T) []field {
	t.Helper()
	fields, err := fieldsOf(&sample{})
	if err != nil {
		t.Fatal(err)
	}
	return fields
}

func TestSchemaKeepsOrder(t *testing.T) {
	const want = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{` +
		`"z_base":{"type":"string","description":"comes first"},` +
		`"api_token":{"type":"string","format":"password","writeOnly":true},` +
		`"spaces":{"type":"array","default":["a","b"],"items":{"type":"string"}},` +
		`"every":{"type":"string","format":"go-duration","default":"90s"},` +
		`"depth":{"type":"integer","default":3},` +
		`"deep":{"type":"boolean","default":true},` +
		`"level":{"type":"string","default":"low","enum":["low","high"]},` +
		`"readers":{"type":"object","description":"by path","additionalProperties":{"type":"array","items":{"type":"string"}}},` +
		`"tank":{"type":"string","default":"5l"},` +
		`"ratio":{"type":"number"}},"required":["z_base","api_token"],"additionalProperties":false}`
	if got := string(schemaOf(fieldsOfSample(t))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := string(schemaOf(nil)); !json.Valid([]byte(got)) {
		t.Error(got)
	}
}

func TestDecode(t *testing.T) {
	for name, row := range map[string]struct {
		config string
		want   string // joined errors
	}{
		"all well":          {`{"z_base": "x"}`, ""},
		"missing":           {`{}`, "z_base: a value is required"},
		"null is missing":   {`{"z_base": null}`, "z_base: a value is required"},
		"empty":             {`{"z_base": ""}`, "z_base: a value is required, it is empty"},
		"near miss":         {`{"z_base": "x", "spacse": []}`, "spacse: there is no such field; did you mean spaces?"},
		"far off":           {`{"z_base": "x", "qqqqqqqqqq": 1}`, "qqqqqqqqqq: there is no such field; the fields are z_base, api_token, spaces"},
		"list wanted":       {`{"z_base": "x", "spaces": "a"}`, "spaces: want a list, got text"},
		"text wanted":       {`{"z_base": 5}`, "z_base: want text, got a number"},
		"whole number":      {`{"z_base": "x", "depth": 1.5}`, "depth: want a whole number, got a number"},
		"bool wanted":       {`{"z_base": "x", "deep": "yes"}`, "deep: want true or false, got text"},
		"duration":          {`{"z_base": "x", "every": "soon"}`, `every: "soon" is not a duration`},
		"duration a list":   {`{"z_base": "x", "every": []}`, "every: want a duration such as 15m, got a list"},
		"enum":              {`{"z_base": "x", "level": "middle"}`, `level: "middle" is not possible: choose one of low, high`},
		"table wanted":      {`{"z_base": "x", "readers": []}`, "readers: want a table of names and values, got a list"},
		"own type":          {`{"z_base": "x", "tank": "5"}`, "tank: want litres"},
		"own type a number": {`{"z_base": "x", "tank": 5}`, "tank: want litres"},
		"own type a bool":   {`{"z_base": "x", "tank": true}`, "tank: want text, got true"},
		"not an object":     {`[1]`, "the configuration is not a JSON object"},
		"hidden field":      {`{"z_base": "x", "client": 1}`, "client: there is no such field"},
	} {
		var texts []string
		for _, e := range decode(&sample{}, fieldsOfSample(t), []byte(row.config), map[string]string{"api_token": "t"}) {
			texts = append(texts, e.Error())
		}
		if got := strings.Join(texts, "\n"); (row.want == "") != (got == "") || !strings.Contains(got, row.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestDecodedValues(t *testing.T) {
	var s sample
	config := `{"z_base": "x", "every": "2m", "readers": {"a": ["b"]}}`
	if list := decode(&s, fieldsOfSample(t), []byte(config), map[string]string{"api_token": "tok"}); len(list) > 0 {
		t.Fatal(list)
	}
	if s.ZBase != "x" || s.APIToken != "tok" || len(s.Spaces) != 2 || s.Every != 2*time.Minute || s.Depth != 3 || !s.Deep ||
		s.Level != "low" || s.Readers["a"][0] != "b" || s.Tank != 5 {
		t.Errorf("%#v", s)
	}
}

type odd struct{ C chan int }

func (*odd) Sync(context.Context, Cursor, *Out) error { return nil }

type badDefault struct {
	N int `default:"many"`
}

func (*badDefault) Sync(context.Context, Cursor, *Out) error { return nil }

func TestAuthorsMistakesAreToldAtStart(t *testing.T) {
	for want, src := range map[string]Source{"field C of sdk.odd": &odd{}, "the default of n is wrong": &badDefault{}, "returned nil": nil} {
		if _, err := newServer("x", "1", src, slog.New(slog.DiscardHandler), new(slog.LevelVar)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestSnake(t *testing.T) {
	for in, want := range map[string]string{
		"Dir": "dir", "MaxSize": "max_size", "URLBase": "url_base", "APIToken": "api_token", "ID": "id", "BaseURL": "base_url", "A1B": "a1_b",
	} {
		if got := snake(in); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}

func TestSecretIsNeverShown(t *testing.T) {
	s := Secret("hunter2")
	data, err := json.Marshal(map[string]any{"s": s})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "s", s, "in", struct{ S Secret }{s})
	all := fmt.Sprintf("%v %s %+v %#v %q %v", s, s, struct{ S Secret }{s}, s, s, []Secret{s}) + string(data) + log.String()
	if strings.Contains(all, "hunter2") || !strings.Contains(all, dots) {
		t.Error(all)
	}
}
