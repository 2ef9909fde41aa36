package plugins

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

var zeroSum, oneSum = strings.Repeat("0", 64), strings.Repeat("1", 64)

func TestLockReadsWhatItWrites(t *testing.T) {
	blocks := []Locked{
		{
			Name: "jira", Version: "1.2.0", Source: "https://example.org/plugin.json", Protocol: 1, Features: []string{"check", "list"},
			Programs:  map[string]string{"linux/amd64": zeroSum},
			Downloads: map[string]Download{"linux/amd64": {"https://example.org/a.tar.gz", oneSum}, "darwin/arm64": {"https://example.org/b.tar.gz", zeroSum}},
		},
		{
			Name: "go-one", Version: "v0.3.0", Source: "go:example.org/x/cmd/one@v0.3.0", Protocol: 1, Module: Module{"example.org/x", "v0.3.0", "h1:abc="},
			Programs: map[string]string{"linux/amd64": oneSum}, Downloads: map[string]Download{},
		},
		{Name: "dev", Version: "0", Source: "local", Follows: "/a path/with \"quotes\"\nand a line", Programs: map[string]string{}, Downloads: map[string]Download{}},
	}
	text := formatLock(blocks)
	got, err := parseLock("plugins.lock", text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	want := []Locked{blocks[2], blocks[1], blocks[0]}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if again := formatLock(got); string(again) != string(text) {
		t.Errorf("written again:\n%s\nwas\n%s", again, text)
	}
	if _, err := parseLock("plugins.lock", []byte(strings.ReplaceAll(string(text), "\n", "\r\n"))); err != nil {
		t.Errorf("with other line ends: %v", err)
	}
}

func TestBadLocks(t *testing.T) {
	block := "lock 1\nplugin a\n  version 1\n  source local\n"
	for _, row := range []struct{ name, text, word string }{
		{"empty", "", `"lock 1"`},
		{"newer", "lock 2\n", "newer Footnote"},
		{"no block", "lock 1\nversion 1\n", "line 2"},
		{"two names", "lock 1\nplugin a b\n", "line 2"},
		{"a name that leads away", "lock 1\nplugin ../a\n", "line 2"},
		{"a version that leads away", "lock 1\nplugin a\nversion ../../b\nsource local\n", "line 3"},
		{"twice", block + "plugin a\n", "two blocks of a"},
		{"no version", "lock 1\nplugin a\n source local\nplugin b\n", "no version"},
		{"no source", "lock 1\nplugin a\n version 1\n", "no source"},
		{"left by a merge", block + "<<<<<<< HEAD\n", "line 5"},
		{"unknown word", block + "verify no\n", "line 5"},
		{"short sum", block + "program linux/amd64 sha256:abc\n", "64 small hexadecimal digits"},
		{"other sum", block + "program linux/amd64 md5:" + zeroSum + "\n", "64 small hexadecimal digits"},
		{"two sums", block + "program linux/amd64 sha256:" + zeroSum + "\nprogram linux/amd64 sha256:" + oneSum + "\n", "two programs for linux/amd64"},
		{"two downloads", block + strings.Repeat("download linux/amd64 sha256:"+zeroSum+" https://example.org/x\n", 2), "two downloads"},
		{"no https", block + "download linux/amd64 sha256:" + zeroSum + " http://example.org/x\n", "https only"},
		{"too large", "lock 1\n" + strings.Repeat("#\n", MaxLock), "larger than 1024 KiB"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := parseLock("the.lock", []byte(row.text))
			if core.KindOf(err) != core.KindConfig || !strings.Contains(err.Error(), row.word) || !strings.Contains(err.Error(), "the.lock") {
				t.Errorf("error = %v", err)
			}
		})
	}
}

// A lock that is committed could otherwise have any program of a machine started.
func TestSharedLockFollowsNothing(t *testing.T) {
	s := Shelf{Dir: t.TempDir(), LockFile: filepath.Join(t.TempDir(), "plugins.lock")}
	text := formatLock([]Locked{{Name: "a", Version: "1", Source: "local", Follows: "/bin/sh"}})
	if err := os.WriteFile(s.LockFile, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Command("a"); core.KindOf(err) != core.KindConfig || !strings.Contains(err.Error(), "--dev") {
		t.Errorf("error = %v", err)
	}
}

// A block without a sum for this platform is never started unchecked.
func TestNoSumNoStart(t *testing.T) {
	s := Shelf{Dir: t.TempDir(), LockFile: filepath.Join(t.TempDir(), "plugins.lock"), Platform: "linux/amd64"}
	text := formatLock([]Locked{{Name: "a", Version: "1", Source: "local", Programs: map[string]string{"darwin/arm64": zeroSum}}})
	if err := os.WriteFile(s.LockFile, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := s.Pin("a"); ok {
		t.Error("it is pinned to nothing")
	}
	if _, _, err := s.Command("a"); core.KindOf(err) != core.KindNotFound || !strings.Contains(err.Error(), "darwin/arm64") {
		t.Errorf("error = %v", err)
	}
}

func TestNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"jira": true, "my-wiki2": true, "a": true, "": false, "-a": false, "a-": false, "a--b": false, "A": false, "1a": false,
		"a_b": false, "a.b": false, "a/b": false, "ä": false, "a\n": false, strings.Repeat("a", 64): true, strings.Repeat("a", 65): false,
	} {
		if err := CheckName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestReleases(t *testing.T) {
	for _, row := range []struct {
		have, least string
		enough, bad bool
	}{
		{"v1.2.0", "1.2.0", true, false}, {"v1.2.0", "v1.2.1", false, false}, {"v1.10.0", "1.9.9", true, false},
		{"v2.0.0-rc.1", "2.0.0", true, false}, {"devel", "9.0.0", true, false}, {"v0.0.0-20260101000000-abcdefabcdef", "9.0.0", true, false},
		{"v1.2.0", "1.2", false, true}, {"v1.2.0", "x", false, true}, {"v1.2.0", "1.2.0.4", false, true},
	} {
		enough, err := atLeast(row.have, row.least)
		if (err != nil) != row.bad || !row.bad && enough != row.enough {
			t.Errorf("%s for %s: %v, %v", row.have, row.least, enough, err)
		}
	}
}
