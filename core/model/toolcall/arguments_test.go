package toolcall

import (
	"encoding/json"
	"strings"
	"testing"
)

const searchSchema = `{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"}}},"required":["queries"]}`

func TestArguments(t *testing.T) {
	const file = `{"type":"object","properties":{"file_id":{"type":"string"},"start":{"type":"integer"},
		"deep":{"$ref":"#/$defs/d"}},"required":["file_id"],"$defs":{"d":{"type":"object","properties":{"n":{"type":"integer"}}}}}`
	const none = `{"type":"object","properties":{}}`
	for _, c := range []struct{ name, raw, schema, want, fault string }{
		{"object", `{"queries":["a"]}`, searchSchema, `{"queries":["a"]}`, ""},
		{"list as string", `{"queries":"[\"a\",\"b\"]"}`, searchSchema, `{"queries":["a","b"]}`, ""},
		{"twice encoded", `"{\"queries\":[\"a\"]}"`, searchSchema, `{"queries":["a"]}`, ""},
		{"scalar", `{"queries":"a"}`, searchSchema, `{"queries":["a"]}`, ""},
		{"number to text", `{"file_id":12}`, file, `{"file_id":"12"}`, ""},
		{"float to integer", `{"file_id":"f","start":10.0}`, file, `{"file_id":"f","start":10}`, ""},
		{"reference", `{"file_id":"f","deep":{"n":"3","x":1}}`, file, `{"deep":{"n":3},"file_id":"f"}`, ""},
		{"unknown field", `{"file_id":"f","x":1}`, file, `{"file_id":"f"}`, ""},
		{"no schema", `{"x":[1,{"y":null}]}`, ``, `{"x":[1,{"y":null}]}`, ""},
		{"NUL and surrogates", "{\"queries\":[\"a\x00b\\u0000\\ud800c\\ud83d\\ude00\"]}\x00", searchSchema, `{"queries":["abc😀"]}`, ""},
		{"trailing comma", `{"queries":["a",],}`, searchSchema, `{"queries":["a"]}`, ""},
		{"raw break", "{\"queries\":[\"a\nb\"]}", searchSchema, `{"queries":["a\nb"]}`, ""},
		{"nothing where nothing is needed", ` `, none, `{}`, ""},
		{"null where nothing is needed", `null`, none, `{}`, ""},
		{"nothing", ``, searchSchema, "", "byte 0"},
		{"null", `null`, searchSchema, "", "byte 0"},
		{"cut off", `{"queries":["a"]`, searchSchema, "", "byte 16"},
		{"cut off in string", `{"queries":["a`, searchSchema, "", "byte 14"},
		{"cut off in the inner object", `"{\"queries\":["`, searchSchema, "", "cut off"},
		{"two objects", `{"queries":["a"]}{"queries":["b"]}`, searchSchema, "", "byte 17"},
		{"list", `["a"]`, searchSchema, "", "type array at byte 0"},
		{"number", ` 12`, searchSchema, "", "type integer at byte 1"},
		{"text", `hello`, searchSchema, "", "byte 0"},
		{"too deep", `{"queries":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, searchSchema, "", "64 levels"},
		{"too long", `{"queries":["` + strings.Repeat("x", MaxHeld) + `"]}`, searchSchema, "", "65536"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Arguments(c.raw, json.RawMessage(c.schema))
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), c.fault) {
					t.Fatalf("got %s, error %v; want an error with %q", got, err, c.fault)
				}
				if strings.Contains(err.Error(), "queries\":") {
					t.Errorf("the error quotes the text: %v", err)
				}
				return
			}
			if err != nil || string(got) != c.want {
				t.Errorf("got %s, error %v; want %s", got, err, c.want)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	tools := newToolset([]Tool{{Name: "web_search"}, {Name: "github.search"}, {Name: "get-time"}, {Name: "get_time"}})
	for written, want := range map[string]string{
		"web_search": "web_search", "functions.web_search": "web_search", "WebSearch": "web_search", "web search": "web_search",
		"functions.web-search:3": "web_search", "github.search": "github.search", "tools.github.search": "github.search",
		"search": "", "web_searches": "", "get-time": "get-time", "get_time": "get_time", "GetTime": "", "": "", "functions.": "",
	} {
		got := ""
		if found := tools.resolve(written); found != nil {
			got = found.name
		}
		if got != want {
			t.Errorf("resolve(%q) = %q, want %q", written, got, want)
		}
	}
}
