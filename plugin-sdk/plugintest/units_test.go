package plugintest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

func TestCuts(t *testing.T) {
	for _, test := range []struct {
		events int
		marks  []int
		want   []int
	}{
		{0, nil, nil},
		{1, []int{1}, nil},
		{3, []int{3}, []int{1, 2}},
		{6, []int{3, 6}, []int{3, 4, 1, 2, 5}},
		{100, nil, []int{10, 20, 30, 40, 50, 60, 70, 80, 90}},
		{100, []int{50, 100}, []int{50, 51, 10, 20, 30, 40, 60, 70, 80, 90}},
	} {
		if got := cuts(test.events, test.marks); !slices.Equal(got, test.want) {
			t.Errorf("%d events, marks %v: %v, want %v", test.events, test.marks, got, test.want)
		}
	}
}

func TestGrowth(t *testing.T) {
	at := func(mebibytes int64, threads, files, goroutines int) usage {
		return usage{memory: mebibytes << 20, threads: threads, files: files, goroutines: goroutines}
	}
	for name, test := range map[string]struct {
		before, after []usage
		want          string
	}{
		"the same":        {[]usage{at(20, 10, 10, 10)}, []usage{at(20, 10, 10, 10)}, ""},
		"it breathes":     {[]usage{at(20, 10, 10, 10), at(40, 10, 10, 10)}, []usage{at(80, 10, 10, 10), at(45, 10, 10, 10)}, ""},
		"memory":          {[]usage{at(20, 10, 10, 10)}, []usage{at(60, 10, 10, 10), at(62, 10, 10, 10)}, "memory from 20.0 MiB to 60.0 MiB"},
		"threads, files":  {[]usage{at(20, 10, 10, 10)}, []usage{at(20, 40, 30, 10)}, "threads from 10 to 40, open files from 10 to 30"},
		"goroutines":      {[]usage{at(20, 10, 10, 10)}, []usage{at(20, 10, 10, 25)}, "goroutines from 10 to 25"},
		"cannot be told":  {[]usage{at(20, -1, -1, -1)}, []usage{at(20, -1, -1, -1)}, ""},
		"nothing to tell": {nil, nil, ""},
	} {
		if got := growth(test.before, test.after); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestReadSchema(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"object"}`: "",
		`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"}},"required":["a"]}`: "",
		``:                                  "not JSON",
		`[]`:                                "not JSON",
		`{"type":"string"}`:                 "has to be object",
		`{"type":"object","properties":[]}`: "cannot be read",
		`{"type":"object","properties":{"a":{}}}`:                                      "none of JSON Schema",
		`{"type":"object","properties":{"a":{"type":"string"},"a":{"type":"string"}}}`: "twice",
		`{"type":"object","properties":{"a":{"type":"integer","writeOnly":true}}}`:     "not text",
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["b"]}`:      "is no property",
	} {
		s, err := readSchema([]byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		if strings.Contains(text, `"b":{`) && !slices.Equal(s.names, []string{"b", "a"}) {
			t.Errorf("order: %v", s.names)
		}
	}
}

func TestWhatIsWrongWithADocument(t *testing.T) {
	good := func() *wire.Document {
		return &wire.Document{Id: "a", Access: &wire.Access{Public: true}, Url: "https://example.com/a", Body: []byte("text")}
	}
	for name, test := range map[string]struct {
		spoil func(*wire.Document)
		kind  string
	}{
		"nothing":           {func(*wire.Document) {}, ""},
		"no link":           {func(d *wire.Document) { d.Url = "" }, ""},
		"a file":            {func(d *wire.Document) { d.Url = "file:///a" }, ""},
		"relative":          {func(d *wire.Document) { d.Url = "/a" }, "url"},
		"a script":          {func(d *wire.Document) { d.Url = "javascript:alert(1)" }, "url"},
		"no access":         {func(d *wire.Document) { d.Access = nil }, "access"},
		"empty access":      {func(d *wire.Document) { d.Access = &wire.Access{} }, "access"},
		"host access":       {func(d *wire.Document) { d.Access = &wire.Access{Host: true} }, ""},
		"a little ahead":    {func(d *wire.Document) { d.Updated = timestamppb.New(time.Now().Add(time.Minute)) }, ""},
		"far ahead":         {func(d *wire.Document) { d.Updated = timestamppb.New(time.Now().Add(time.Hour)) }, "updated"},
		"not UTF-8":         {func(d *wire.Document) { d.Body = []byte("\xff") }, "utf8"},
		"no id":             {func(d *wire.Document) { d.Id = "" }, "limits"},
		"long id":           {func(d *wire.Document) { d.Id = strings.Repeat("a", 1025) }, "limits"},
		"line break in id":  {func(d *wire.Document) { d.Id = "a\nb" }, "limits"},
		"just small enough": {func(d *wire.Document) { d.Body = make([]byte, wire.MaxBody) }, ""},
		"large body":        {func(d *wire.Document) { d.Body = make([]byte, wire.MaxBody+1) }, "limits"},
		"much meta":         {func(d *wire.Document) { d.Meta = map[string]string{"a": strings.Repeat("b", 64<<10)} }, "limits"},
		"many folders":      {func(d *wire.Document) { d.Folders = []string{strings.Repeat("b", 64<<10)} }, "limits"},
	} {
		r, d := newRecord(), good()
		test.spoil(d)
		r.begin()
		r.document(d)
		if _, got := r.problems[test.kind]; len(r.problems) > 1 || got == (test.kind == "") && len(r.problems) > 0 || !got && test.kind != "" {
			t.Errorf("%s: %v, want %q", name, r.problems, test.kind)
		}
	}
}

func TestCheckpointsAreCounted(t *testing.T) {
	document := &wire.SyncEvent{Event: &wire.SyncEvent_Document{Document: &wire.Document{Id: "a", Access: &wire.Access{Public: true}}}}
	mark := &wire.SyncEvent{Event: &wire.SyncEvent_Checkpoint{Checkpoint: &wire.Checkpoint{Cursor: []byte("c")}}}
	for _, test := range []struct {
		documents, every int
		want             bool
	}{{1000, 1000, true}, {2500, 500, true}, {1001, 1001, false}, {3000, 1500, false}, {10, 11, false}} {
		r := newRecord()
		r.begin()
		for n := 1; n <= test.documents; n++ {
			if err := r.see(document); err != nil {
				t.Fatal(err)
			}
			if n%test.every != 0 {
				continue
			}
			if err := r.see(mark); err != nil {
				t.Fatal(err)
			}
		}
		r.end()
		if why := r.problems["checkpoint"]; (why == "") != test.want {
			t.Errorf("%+v: %q", test, why)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(dir, "config.json")
	var s Subject
	if _, err := s.Load(config, t.TempDir()); err == nil {
		t.Error("a file that is not there is loaded")
	}
	write("config.json", `{"dir": "${testdata}/x", "token": "t"}`)
	write("doc.md", "one")
	write(WorldFile, `{"touch": ["sh", "-c", "echo two > ${testdata}/doc.md"], "viewer": "ann@example.com", "skip": {"sync.url": "no links"}}`)
	tmp := t.TempDir()
	skip, err := s.Load(config, tmp)
	if err != nil || skip["sync.url"] != "no links" || s.Viewer != "ann@example.com" || s.Remove != nil {
		t.Fatalf("%+v %v %v", s, skip, err)
	}
	if want := `{"dir": "` + tmp + `/testdata/x", "token": "t"}`; string(s.Config) != want {
		t.Errorf("%s, want %s", s.Config, want)
	}
	if err := s.Touch(context.Background()); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{filepath.Join(dir, "doc.md"): "one", filepath.Join(tmp, "testdata", "doc.md"): "two\n"} {
		if data, err := os.ReadFile(file); err != nil || string(data) != want {
			t.Errorf("%s: %q %v", file, data, err)
		}
	}
	for text, want := range map[string]string{
		`{"tuoch": []}`: "tuoch", `{} {}`: "more than one", `{"script": {"routes": []}}`: "field", `[`: "plugintest.json",
	} {
		write(WorldFile, text)
		if _, err := s.Load(config, t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestUnknownChecksAreRefused(t *testing.T) {
	for _, o := range []Options{{Only: []string{"sync.frist"}}, {Skip: map[string]string{"nope": "x"}}} {
		if _, err := Test(t.Context(), Subject{}, o); err == nil || !strings.Contains(err.Error(), "sync.first") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestNoProgram(t *testing.T) {
	for _, command := range [][]string{nil, {"/there/is/no/such/program"}} {
		results, err := Test(t.Context(), Subject{Command: command}, Options{})
		if err != nil || Failed(results) != 1 || results[0].ID != "start.up" || results[0].State != Fail {
			t.Errorf("%v: %+v %v", command, results[:1], err)
		}
	}
}
