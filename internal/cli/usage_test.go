package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWrongWordsAreNamed(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(map[string]string{"file.txt": "x", "bad.yaml": "modle: {}\n", "docs/a.md": "# A\n\nb\n"})
	for _, row := range []struct {
		args string
		code int
		want []string
	}{
		{"serach x", 2, []string{`"footnote serach"`, "did you mean footnote search?"}},
		{"xyzzy", 2, []string{`"footnote xyzzy"`, "footnote --help"}},
		{"source lsit", 2, []string{`"footnote source lsit"`, "footnote source list"}},
		{"ask x --jsno", 2, []string{"--jsno", "did you mean --json?"}},
		{"ask", 2, []string{"footnote ask needs a question"}},
		{"ask  ", 2, []string{"needs a question"}},
		{"search x --limit 0", 2, []string{"--limit", "1 to 1000"}},
		{"search x --limit many", 2, []string{"many"}},
		{"sync a b", 2, []string{`"b"`}},
		{"eval", 2, []string{"a folder with a test set"}},
		{"version --log-level loud", 0, nil},
		{"--version", 0, nil},
		{"access why nope", 3, []string{"footnote source add"}},
		{"ask x", 3, []string{"data", "footnote source add files FOLDER"}},
		{"source list --log-level loud", 2, []string{"--log-level", "loud"}},
		{"source add fiels docs", 3, []string{`"fiels"`, "files"}},
		{"source add files", 2, []string{"dir", "footnote source add files DIR", "--set git="}},
		{"source add files --set git=http://git.example/a", 5, []string{"git: addresses with http:// are not possible"}},
		{"source add files https://git.example/a", 5, []string{"dir: it is an address", "--set git="}},
		{"source add files nowhere", 5, []string{filepath.Join(u.dir, "nowhere")}},
		{"source add files file.txt", 5, []string{"file.txt"}},
		{"source add files docs --access everyone", 2, []string{"--access", "everyone", "workspace"}},
		{"source add files docs --set exclud=x", 2, []string{`"exclud"`, "exclude"}},
		{"source add files docs --set exclude", 2, []string{"KEY=VALUE"}},
		{"source add files docs --name A", 1, []string{`"A"`, "lower-case"}},
		{"source add files docs extra", 2, []string{"extra"}},
		{"source list --config nowhere.yaml", 5, []string{"nowhere.yaml"}},
		{"source list --config bad.yaml", 5, []string{"bad.yaml, line 1", `did you mean "model"?`}},
		{"serve-plugin nope", 3, []string{"nope"}},
	} {
		t.Run(row.args, func(t *testing.T) {
			o := u.run(splitWords(row.args)...)
			if o.code != row.code {
				t.Errorf("exit code %d, want %d\n%s", o.code, row.code, o.err)
			}
			for _, want := range row.want {
				if !strings.Contains(o.err, want) {
					t.Errorf("message lacks %q:\n%s", want, o.err)
				}
			}
		})
	}
	if _, err := os.Stat(filepath.Join(u.dir, "data", "footnote.lock")); err != nil {
		t.Errorf("the default data folder is ./data: %v", err)
	}
}

// splitWords splits at single blanks, so that two blanks make an empty word.
func splitWords(s string) []string { return strings.Split(s, " ") }

func TestSourceCommands(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	if o := u.run("source", "add", "files", "docs", "--name", "docs"); o.code != 1 || !strings.Contains(o.err, "there is a source \"docs\" already") {
		t.Errorf("same name twice: %+v", o)
	}
	if o := u.run("source", "show", "dcos"); o.code != 3 || !strings.Contains(o.err, "did you mean docs?") {
		t.Errorf("near name: %+v", o)
	}
	var v sourceView
	if err := json.Unmarshal([]byte(u.must("source", "show", "docs", "--json")), &v); err != nil {
		t.Fatal(err)
	}
	if v.Documents != 5 || v.NotIndexed != 0 || v.LastSync == nil || v.LastSync.Written != 5 || len(v.Access) != 1 {
		t.Errorf("source = %+v", v)
	}
	if out := u.must("source", "list"); !strings.Contains(out, "docs") || !lately(out) {
		t.Errorf("list:\n%s", out)
	}
	if out := u.must("source", "show", "docs"); !strings.Contains(out, "documents: 5") {
		t.Errorf("show:\n%s", out)
	}
	if out := u.must("source", "remove", "docs"); !strings.Contains(out, "with 5 documents") {
		t.Errorf("remove: %q", out)
	}
	if o := u.run("ask", "Where do visitors park?"); o.code != 3 {
		t.Errorf("after the removal: %+v", o)
	}
}

func TestSourcesFromTheFile(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(library())
	file := "sources:\n  - {name: docs, connector: files, config: {dir: " + filepath.Join(u.dir, "docs") + "}, access: public, every: 1m, fresh_within: 1ms}\n"
	u.write(map[string]string{"footnote.yaml": file})
	u.must("sync")
	if a := u.ask("ask", "Where do visitors park?", "--as", "x@outside.example"); len(a.Citations) != 1 {
		t.Errorf("public documents are for everybody: %+v", a)
	}
	if o := u.run("source", "remove", "docs"); o.code != 4 || !strings.Contains(o.err, "footnote.yaml") {
		t.Errorf("remove: %+v", o)
	}
	if o := u.run("source", "add", "files", "docs", "--name", "docs"); o.code == 0 || !strings.Contains(o.err, "configuration file") {
		t.Errorf("add: %+v", o)
	}
	u.write(map[string]string{"footnote.yaml": "data_dir: data\n"})
	if a := u.ask("ask", "Where do visitors park?"); len(a.Citations) != 1 {
		t.Error("a slip in the file must not cost documents")
	}
	if o := u.run("sync"); !strings.Contains(o.err, "footnote source remove docs") {
		t.Errorf("a source that left the file: %+v", o)
	}
	if out := u.must("source", "list"); !strings.Contains(out, "no longer listed") || strings.Contains(out, "due") || strings.Contains(out, "behind") {
		t.Errorf("list:\n%s", out)
	}
	u.must("source", "remove", "docs")
	u.write(map[string]string{"footnote.yaml": strings.Replace(file, filepath.Join(u.dir, "docs"), "docs", 1)})
	u.must("sync")
	u.must("source", "add", "files", "docs", "--name", "other")
	u.write(map[string]string{"footnote.yaml": strings.Replace(file, "name: docs", "name: other", 1)})
	if o := u.run("source", "list"); o.code != 5 || !strings.Contains(o.err, `source "other"`) || !strings.Contains(o.err, "line 2") {
		t.Errorf("same name in both: %+v", o)
	}
}

func TestVersionFlagPrintsTheVersion(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	if flag, command := u.must("--version"), u.must("version"); flag != command {
		t.Errorf("--version says %q, version %q", flag, command)
	}
}

// A source that cannot be added says nothing of who may read it.
func TestReadersOfASourceAreNotedWhenItIsAdded(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(library())
	const noted = "may be read by workspace"
	if o := u.run("source", "add", "files", "docs", "--name", "docs"); o.code != 0 || !strings.Contains(o.err, noted) {
		t.Errorf("outcome = %+v", o)
	}
	for _, folder := range []string{"docs", "nowhere"} {
		if o := u.run("source", "add", "files", folder, "--name", "docs"); o.code == 0 || strings.Contains(o.err, noted) {
			t.Errorf("%s: outcome = %+v", folder, o)
		}
	}
}

func TestWrongDocumentIdsAreNamedWithAWayOut(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	for _, command := range []string{"why", "who"} {
		o := u.run("access", command, "parking")
		if o.code != exitNotFound || !strings.Contains(o.err, `"parking"`) || !strings.Contains(o.err, "footnote search QUERY --json") {
			t.Errorf("access %s: %+v", command, o)
		}
	}
}
