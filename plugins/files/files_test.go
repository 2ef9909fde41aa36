package files

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// rows runs a check on every row of the files in a folder of testdata.
func rows[R any](t *testing.T, folder string, check func(*testing.T, R)) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", folder, "*.jsonl"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no rows in %s: %v", folder, err)
	}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var named struct{ Name string }
			var row R
			if err := json.Unmarshal(lines.Bytes(), &named); err != nil {
				t.Fatalf("%s: %v in %s", name, err, lines.Text())
			}
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatalf("%s: %v in %s", name, err, lines.Text())
			}
			t.Run(named.Name, func(t *testing.T) { check(t, row) })
		}
	}
}

func TestIgnore(t *testing.T) {
	type row struct {
		Rules, Domain, Path string
		Dir, Want           bool
	}
	rows(t, "ignore", func(t *testing.T, r row) {
		rules, bad := parseIgnore(r.Rules, r.Domain)
		if len(bad) > 0 {
			t.Fatal(bad)
		}
		if got := ignored(rules, r.Path, r.Dir); got != r.Want {
			t.Errorf("%q on %q: %v", r.Rules, r.Path, got)
		}
	})
}

func TestAccessRules(t *testing.T) {
	type row struct {
		Rules      map[string][]string
		Path, Want string
	}
	rows(t, "access", func(t *testing.T, r row) {
		rules, err := parseAccess(r.Rules)
		if err != nil {
			t.Fatal(err)
		}
		access, glob := accessOf(rules, r.Path)
		if glob != r.Want || access.Host != (r.Want == "") {
			t.Errorf("rule %q, access %+v", glob, access)
		}
	})
}

func TestTitles(t *testing.T) {
	type row struct{ File, Type, Body, Want string }
	rows(t, "title", func(t *testing.T, r row) {
		if got := titleOf(r.File, r.Type, r.Body); got != r.Want {
			t.Errorf("%q", got)
		}
	})
}

func TestDecode(t *testing.T) {
	for name, row := range map[string]struct{ in, mediaType, want string }{
		"utf-8":                {"naïve 世界", "text/plain", "naïve 世界"},
		"utf-8 mark":           {"\xef\xbb\xbfx", "text/plain", "x"},
		"utf-16 little endian": {"\xff\xfeh\x00\xe9\x00", "text/plain", "hé"},
		"utf-16 big endian":    {"\xfe\xff\x00h\x4e\x16", "text/plain", "h世"},
		"utf-16 without mark":  {"h\x00e\x00l\x00l\x00o\x00", "text/plain", "hello"},
		"windows-1252":         {"\x93quoted\x94 caf\xe9", "text/plain", "“quoted” café"},
		"html says its own":    {"<meta charset=\"iso-8859-2\"><p>\xb1\xea</p>", "text/html", "<meta charset=\"iso-8859-2\"><p>ąę</p>"},
		"binary":               {"\x00\x01\x02\x03", "text/plain", ""},
		"zero byte":            {"text\x00text and more", "text/plain", ""},
		"control characters":   {"\xff\x01\x02\x03\x04\x05", "text/plain", ""},
	} {
		got, err := decode([]byte(row.in), row.mediaType)
		if got != row.want || (err != nil) != (row.want == "") {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
}

func TestSize(t *testing.T) {
	for in, want := range map[string]Size{
		"1": 1, "500KB": 500_000, "20MiB": 20 << 20, "1.5 gib": 3 << 29, "2k": 2048, "10 b": 10,
		"": 0, "0": 0, "-1": 0, "MB": 0, "1TBX": 0, "NaN": 0, "Inf": 0, "1e300": 0,
	} {
		var got Size
		if err := got.UnmarshalText([]byte(in)); got != want || (err != nil) != (want == 0) {
			t.Errorf("%q: %d %v", in, got, err)
		}
	}
}

func TestSniffWindowMayCutACharacter(t *testing.T) {
	text := []byte("abc世")
	for cut := 4; cut <= 6; cut++ {
		if got := string(wholeRunes(text[:cut])); cut < 6 && got != "abc" {
			t.Errorf("%d: %q", cut, got)
		}
	}
}

// Between the walk and the read a file can disappear or become something else.
func TestFilesThatChangeMeanwhile(t *testing.T) {
	s := &Source{Dir: t.TempDir(), MaxSize: 1 << 20}
	write(t, filepath.Join(s.Dir, "other.md"), "x")
	root, err := s.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer root.dir.Close()
	info, err := os.Stat(filepath.Join(s.Dir, "other.md"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(s.Dir, "folder.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := &pass{src: s, root: root, used: map[string]bool{}}
	for name, want := range map[string]string{
		"gone.md":   "the file disappeared while the folder was read",
		"gone":      "the file disappeared while the folder was read",
		"folder.md": "the file cannot be read: it is not a regular file",
	} {
		if _, err := p.document(entry{name: name, actual: name, info: info}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFoldersOf(t *testing.T) {
	for name, want := range map[string]string{"a.md": "", "hr/a.md": "hr", "hr/päy/2026/a.md": "hr hr/päy hr/päy/2026"} {
		if got := strings.Join(foldersOf(name), " "); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestUnreadableFolders(t *testing.T) {
	s := &Source{Dir: t.TempDir()}
	write(t, filepath.Join(s.Dir, "file"), "x")
	if err := os.Mkdir(filepath.Join(s.Dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := s.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer root.dir.Close()
	var failed []string
	w := s.walker(root)
	w.seen = map[string]bool{}
	w.closed = func(name string, err error) error { failed = append(failed, name+": "+err.Error()); return nil }
	if err := w.folder(t.Context(), folder{name: "file", actual: "file"}); err != nil || len(failed) != 1 {
		t.Errorf("%v %v", failed, err)
	}
	if err := w.folder(t.Context(), folder{actual: "missing"}); err == nil {
		t.Error("an unreadable root is no error")
	}
	if listFailure(root, "folder", os.ErrPermission) == nil || listFailure(root, "gone", os.ErrNotExist) != nil {
		t.Error("a list must fail for a folder that is there, and only then")
	}
	if _, err := (&Source{Dir: filepath.Join(s.Dir, "file")}).open(t.Context()); err == nil {
		t.Error("a file passes for a folder")
	}
}

// What somebody wanted to keep out must not go out because a file is broken.
func TestBrokenIgnoreFiles(t *testing.T) {
	for _, row := range []struct {
		name, content string
		stops         bool
	}{
		{".footnoteignore", string(make([]byte, maxIgnoreFile+1)), true},
		{".gitignore", string(make([]byte, maxIgnoreFile+1)), true},
		{".footnoteignore", "ok\n[", true},
		{".gitignore", "ok\n[", false},
	} {
		s := &Source{Dir: t.TempDir()}
		write(t, filepath.Join(s.Dir, row.name), row.content)
		root, err := s.open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer root.dir.Close()
		w := s.walker(root)
		if err := w.walk(t.Context()); (err != nil) != row.stops || row.stops == (len(w.bad) > 0) {
			t.Errorf("%s of %d bytes: %v, %q", row.name, len(row.content), err, w.bad)
		}
	}
}

func TestConfigErrorsNameTheField(t *testing.T) {
	for field, list := range map[string][]Source{
		"dir":     {{}, {Dir: "notes"}, {Dir: "../notes"}, {Dir: "/x/https:/git.example/a"}, {Dir: "https://git.example/a"}},
		"include": {{Dir: "/x", Include: []string{"["}}, {Dir: "/x", Include: []string{""}}},
		"exclude": {{Dir: "/x", Exclude: []string{"a", "["}}},
		"access": {
			{Dir: "/x", Access: map[string][]string{"a": {"friends"}}},
			{Dir: "/x", Access: map[string][]string{"a": {"user:ann"}}},
			{Dir: "/x", Access: map[string][]string{"a": {"group:"}}},
			{Dir: "/x", Access: map[string][]string{"a": {"group:/x"}}},
			{Dir: "/x", Access: map[string][]string{"a": {"workspace:"}}},
			{Dir: "/x", Access: map[string][]string{"a[": {"public"}}},
			{Dir: "/x", Access: map[string][]string{"": {"public"}}},
			{Dir: "/x", Access: map[string][]string{"a": {"nobody", "public"}}},
			{Dir: "/x", Access: map[string][]string{"a": {"public"}, "a/": {"workspace"}}},
		},
		"url_base": {{Dir: "/x", URLBase: "/files"}, {Dir: "/x", URLBase: "ftp://x.example"}, {Dir: "/x", URLBase: "::"}},
	} {
		for _, s := range list {
			var e *sdk.Error
			if err := s.Start(t.Context(), nil); !errors.As(err, &e) || !strings.HasPrefix(err.Error(), field+": ") {
				t.Errorf("%s: %+v: %v", field, s, err)
			}
		}
	}
	ok := Source{Dir: "/x", URLBase: "https://x.example", Access: map[string][]string{"a": {"user:a@b.c", "group:x", "group:s/x", "workspace:T1"}, "b": {}}}
	if err := ok.Start(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
