package jsonapi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// rows reads every line of the files of a folder.
func rows[T any](t *testing.T, dir string, each func(T)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no rows in %s: %v", dir, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
			var row T
			d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
			d.UseNumber()
			if err := d.Decode(&row); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			each(row)
		}
	}
}

// A mistake is found before anything is fetched, and named by line, key and
// expression.
func TestMistakes(t *testing.T) {
	rows(t, "mistakes", func(row struct{ Name, Recipe, Want string }) {
		t.Run(row.Name, func(t *testing.T) {
			src := Source{Inline: row.Recipe, BaseURL: "http://127.0.0.1:1"}
			err := src.Start(t.Context(), &sdk.Env{})
			if sdk.KindOf(err) != "config" || !strings.Contains(err.Error(), row.Want) {
				t.Errorf("got  %v\nwant %s", err, row.Want)
			}
		})
	})
}

func TestTimes(t *testing.T) {
	rows(t, "times", func(row struct {
		In   any
		Want string
	}) {
		got, text := time.Time{}, ""
		got, err := readTime(row.In)
		if err != nil {
			text = "error"
		} else if !got.IsZero() {
			text = got.Format(time.RFC3339Nano)
		}
		if text != row.Want {
			t.Errorf("%v: got %s (%v), want %s", row.In, text, err, row.Want)
		}
	})
}

func TestBundledRecipesAreRight(t *testing.T) {
	if got := strings.Join(recipeNames(), " "); got != "bookstack discourse zammad" {
		t.Error(got)
	}
	for _, name := range recipeNames() {
		if r, err := bundledRecipe(name); err != nil || r.About == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "own.yaml")
	if err := os.WriteFile(file, []byte("lists: [\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const vars = "vars: {team: {help: which team, required: true}}\n" + listsOnly
	for name, c := range map[string]struct {
		src  Source
		want string
	}{
		"nothing":         {Source{}, "recipe: there is none"},
		"two":             {Source{Recipe: "zammad", Inline: "x"}, "only one of"},
		"unknown":         {Source{Recipe: "jira"}, `there is no recipe "jira"; there are bookstack, discourse, zammad`},
		"file":            {Source{File: file}, "file: " + file + ": line 1"},
		"no file":         {Source{File: file + "x"}, "does not exist"},
		"no token":        {Source{Recipe: "zammad", BaseURL: "https://a.example"}, "token: recipe zammad needs one"},
		"no address":      {Source{Recipe: "discourse"}, "base_url: the recipe needs the address"},
		"address":         {Source{Recipe: "discourse", BaseURL: "wiki.example.com"}, "is not an address"},
		"key in address":  {Source{Recipe: "discourse", BaseURL: "https://a:b@c.example"}, "keys belong into token"},
		"readable token":  {Source{Recipe: "zammad", BaseURL: "http://a.example", Token: "x"}, "has to begin with https://"},
		"allowed":         {Source{Recipe: "zammad", BaseURL: "http://a.example", Token: "x", PlainHTTP: true}, ""},
		"needed setting":  {Source{Inline: vars, BaseURL: "https://a.example"}, "vars: inline needs team: which team"},
		"unknown setting": {Source{Inline: vars, BaseURL: "https://a.example", Vars: map[string]string{"teem": "x"}}, `has no setting "teem"; it has: team`},
	} {
		err := c.src.Start(t.Context(), &sdk.Env{})
		if c.want == "" && err != nil || c.want != "" && (sdk.KindOf(err) != "config" || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An expression sees nothing of the machine, and ends.
func TestExpressionsAreHeldIn(t *testing.T) {
	t.Setenv("FOOTNOTE_OF_THE_TESTS", "secret")
	eval := func(ctx context.Context, text string, in any) ([]any, error) {
		e := expr{text: text, key: "k", line: 7}
		var err error
		if e.code, err = compile(text, e.mistake); err != nil {
			return nil, err
		}
		return e.all(ctx, in, scope{vars: map[string]any{}})
	}
	if got, err := eval(t.Context(), "env, $ENV | length", nil); err != nil || written(got) != "[0,0]" {
		t.Errorf("the environment: %v %v", got, err)
	}
	if _, err := eval(t.Context(), "range(1000000)", nil); err == nil || !strings.Contains(err.Error(), "line 7: k: it brings more than 100000 values: in the expression range(1000000)") {
		t.Error(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := eval(soon, "def f: f; f", nil); err == nil {
		t.Error("it ended")
	}
	if _, err := eval(t.Context(), ".a.b", map[string]any{"a": "x"}); err == nil || !strings.Contains(err.Error(), "line 7: k: ") {
		t.Error(err)
	}
	if got, err := eval(t.Context(), ".id", map[string]any{"id": json.Number("12345678901234567890123")}); err != nil || written(got[0]) != "12345678901234567890123" {
		t.Errorf("a long id: %v %v", got, err)
	}
}
