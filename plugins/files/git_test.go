package files

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

func TestGitFirstSyncAndChanges(t *testing.T) {
	u := newUpstream(t, map[string]string{
		"README.md": "# Wiki", "docs/a.md": "# A", "docs/b.md": "# B", "docs/manual.pdf": "%PDF-1.4 one", "build/out.md": "# Tracked",
		".gitignore": "build/\n", "big.pdf": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n", "hooks.sh": "echo",
		"logo.png": "\x89PNG",
	})
	u.commit(map[string]string{"docs/a.md": "# A"}) // so that the clone has less than all commits
	s := u.source(nil)
	first := syncOnce(t, s, nil)
	const all = "README.md build/out.md docs/a.md docs/b.md docs/manual.pdf hooks.sh"
	if first.ids() != all || len(first.failed) > 0 {
		t.Fatalf("%s, failed %v", first.ids(), first.failed)
	}
	notes := strings.Join(first.notes, "\n")
	if !strings.Contains(notes, "1 files were left out because their content lies in Git LFS") || !strings.Contains(notes, "(png: 1)") {
		t.Errorf("notes: %q", notes)
	}
	if d := first.docs["docs/a.md"]; !d.Updated.IsZero() || d.Title != "A" || !d.Access.Host {
		t.Errorf("the time of a clone is no time of a change: %+v", d)
	}
	if got := joined(listOf(t, s)); got != all {
		t.Errorf("list: %s", got)
	}
	if again := syncOnce(t, s, first.cursor); again.ids() != "" || string(again.cursor) != string(first.cursor) || strings.Join(again.notes, "\n") != notes {
		t.Errorf("nothing changed: %s, %q", again.ids(), again.notes)
	}

	u.commit(map[string]string{"docs/a.md": "# A two", "docs/new name.md": "# B", "docs/b.md": ""})
	u.commit(map[string]string{"docs/manual.pdf": "%PDF-1.4 two"})
	second := syncOnce(t, s, first.cursor)
	if second.ids() != "docs/a.md docs/manual.pdf docs/new name.md" {
		t.Errorf("changed: %s", second.ids())
	}
	for id, want := range map[string]string{"docs/a.md": "2026-01-03", "docs/new name.md": "2026-01-03", "docs/manual.pdf": "2026-01-04"} {
		if got := second.docs[id].Updated.Format(time.DateOnly); got != want {
			t.Errorf("%s was changed on %s, want %s", id, got, want)
		}
	}
	if got := joined(listOf(t, s)); strings.Contains(got, "docs/b.md") || !strings.Contains(got, "docs/new name.md") {
		t.Errorf("list: %s", got)
	}
	before, after := first.docs["docs/manual.pdf"].Files[0].Ref, second.docs["docs/manual.pdf"].Files[0].Ref
	if before == after {
		t.Errorf("the reference %s did not change", before)
	}
	f, err := s.Fetch(t.Context(), after)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f.Content)
	if err = errors.Join(err, f.Content.Close()); err != nil || string(data) != "%PDF-1.4 two" || f.MediaType != "application/pdf" {
		t.Errorf("%q %v", data, err)
	}
	// Everything again, with what is known of dates by now.
	full := syncOnce(t, s, nil)
	if full.docs["docs/manual.pdf"].Files[0].Ref != after || full.docs["docs/a.md"].Updated.IsZero() || !full.docs["README.md"].Updated.IsZero() {
		t.Errorf("%+v", full.docs)
	}
}

func TestGitForcePushAndBranches(t *testing.T) {
	u := newUpstream(t, map[string]string{"a.md": "one", "b.md": "same"})
	first := u.commit(map[string]string{"a.md": "two"})
	s := u.source(nil)
	cursor := syncOnce(t, s, nil).cursor
	// Back behind the oldest commit that is known, and another way from there.
	u.git("reset", "--quiet", "--hard", "HEAD~1")
	u.day = 1
	u.commit(map[string]string{"a.md": "three"})
	got := syncOnce(t, s, cursor)
	if got.ids() != "a.md" || got.docs["a.md"].Body != "three" {
		t.Errorf("%s %+v", got.ids(), got.docs)
	}
	// A cursor of a commit that is nowhere, or of long ago, means everything.
	for _, spoil := range []func(*mark){
		func(m *mark) { m.Commit = strings.Repeat("a", 40) }, func(m *mark) { m.Commit = "--output=x" },
		func(m *mark) { m.Commit = first[:7] }, func(m *mark) { m.Full -= 25 * 3600 }, func(m *mark) { m.Full += 25 * 3600 },
	} {
		var m mark
		if err := got.cursor.JSON(&m); err != nil {
			t.Fatal(err)
		}
		spoil(&m)
		lost, err := sdk.JSONCursor(m)
		if err != nil {
			t.Fatal(err)
		}
		if all := syncOnce(t, s, lost); all.ids() != "a.md b.md" || string(all.cursor) == string(lost) {
			t.Errorf("%+v: %s", m, all.ids())
		}
	}
	u.git("checkout", "--quiet", "-b", "feature/x")
	u.commit(map[string]string{"c.md": "on a branch", "a.md": ""})
	other := startGit(t, s.data, func(o *Source) { o.Git, o.Branch = s.Git, "feature/x" })
	if on := syncOnce(t, other, got.cursor); on.ids() != "b.md c.md" || joined(listOf(t, other)) != "b.md c.md" {
		t.Errorf("%s", on.ids())
	}
	gone := startGit(t, s.data, func(o *Source) { o.Git, o.Branch = s.Git, "nope" })
	err := gone.syncClone(t.Context(), nil, newHaul())
	if sdk.KindOf(err) != "config" || !strings.Contains(err.Error(), `branch: there is no branch "nope"; there are: feature/x, main`) {
		t.Error(err)
	}
	if err := gone.Check(t.Context()); sdk.KindOf(err) != "config" {
		t.Error(err)
	}
}

// What a merge brought is as new as the merge, names are taken as they are, and
// submodules are no files.
func TestGitMergesAndNames(t *testing.T) {
	u := newUpstream(t, map[string]string{"a.md": "a"})
	u.commit(map[string]string{"a.md": "aa"})
	s := u.source(nil)
	cursor := syncOnce(t, s, nil).cursor
	const odd = "dir ü/\x01 \"quoted\" 世界.md"
	u.git("checkout", "--quiet", "-b", "side")
	u.commit(map[string]string{odd: "odd"})
	u.git("checkout", "--quiet", "main")
	u.commit(map[string]string{"b.md": "b"})
	u.git("merge", "--quiet", "--no-ff", "-m", "merge", "side")
	u.git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",module")
	u.git("commit", "--quiet", "-m", "module")
	u.push()
	got := syncOnce(t, s, cursor)
	if got.ids() != joined(map[string]bool{"b.md": true, odd: true}) || len(got.failed) > 0 {
		t.Fatalf("%s %v", got.ids(), got.failed)
	}
	if d := got.docs[odd]; d.Updated.Day() != 5 || !strings.HasSuffix(d.URL, "/dir%20%C3%BC/%01%20%22quoted%22%20%E4%B8%96%E7%95%8C.md") {
		t.Errorf("%v %s", d.Updated, d.URL)
	}
	if d := got.docs["b.md"]; d.Updated.Day() != 4 {
		t.Errorf("%v", d.Updated)
	}
}

// What is asked for decides what is sent, not the commit alone.
func TestGitSettingsThatChange(t *testing.T) {
	u := newUpstream(t, map[string]string{"a.md": "a", "docs/b.md": "b", "docs/sub/c.md": "c"})
	s := u.source(nil)
	cursor := syncOnce(t, s, nil).cursor
	for want, change := range map[string]func(*Source){
		"a.md":                         func(s *Source) { s.Exclude = []string{"docs"} },
		"b.md sub/c.md":                func(s *Source) { s.Subfolder = "docs" },
		"a.md docs/b.md docs/sub/c.md": func(s *Source) { s.Access = map[string][]string{"docs": {"user:ann@example.com"}} },
	} {
		other := startGit(t, s.data, func(o *Source) { o.Git = s.Git; change(o) })
		got := syncOnce(t, other, cursor)
		if got.ids() != want || joined(listOf(t, other)) != want {
			t.Errorf("%s, want %s", got.ids(), want)
		}
		if d, ok := got.docs["docs/b.md"]; ok && (d.Access.Host || len(d.Access.Users) != 1) {
			t.Errorf("%+v", d.Access)
		}
	}
	u.commit(map[string]string{".footnoteignore": "a.md\n"})
	if got := syncOnce(t, s, cursor); got.ids() != "docs/b.md docs/sub/c.md" {
		t.Errorf("%s", got.ids())
	}
	missing := startGit(t, s.data, func(o *Source) { o.Git, o.Subfolder = s.Git, "nowhere" })
	if err := missing.syncClone(t.Context(), nil, newHaul()); sdk.KindOf(err) != "config" || !strings.HasPrefix(err.Error(), "subfolder: ") {
		t.Error(err)
	}
}

func TestGitLinksStayInside(t *testing.T) {
	outside := t.TempDir()
	write(t, filepath.Join(outside, "secret.md"), "secret")
	u := newUpstream(t, map[string]string{
		"docs/a.md": "a", "other/o.md": "o", "docs/out.md": "->" + outside + "/secret.md", "docs/up.md": "->../../repository/config",
		"docs/beside.md": "->../other/o.md", "docs/dangling.md": "->nowhere.md", "docs/again.md": "->a.md", "away": "->" + outside,
	})
	s := u.source(nil)
	got := syncOnce(t, s, nil)
	if got.ids() != "docs/a.md other/o.md" || joined(got.failed) != "docs/dangling.md" {
		t.Errorf("%s, failed %v", got.ids(), got.failed)
	}
	if _, err := s.Fetch(t.Context(), "x:docs/out.md"); sdk.KindOf(err) != "denied" {
		t.Error(err)
	}
	if again := syncOnce(t, s, got.cursor); again.ids() != "" {
		t.Errorf("a link that leads nowhere makes everything be sent again: %s", again.ids())
	}
	docs := startGit(t, t.TempDir(), func(o *Source) { o.Git, o.Subfolder = s.Git, "docs" })
	if got := syncOnce(t, docs, nil); got.ids() != "a.md" {
		t.Errorf("%s", got.ids())
	}
	away := startGit(t, t.TempDir(), func(o *Source) { o.Git, o.Subfolder = s.Git, "away" })
	if err := away.syncClone(t.Context(), nil, newHaul()); sdk.KindOf(err) != "config" || !strings.Contains(err.Error(), "leads out") {
		t.Error(err)
	}
}

func TestGitEmptyRepository(t *testing.T) {
	u := newUpstream(t, nil)
	s := u.source(nil)
	var warning sdk.Warning
	if err := s.Check(t.Context()); !errors.As(err, &warning) || !strings.Contains(string(warning), "no commits yet") {
		t.Error(err)
	}
	got := syncOnce(t, s, nil)
	if got.ids() != "" || len(listOf(t, s)) > 0 {
		t.Errorf("%s", got.ids())
	}
	u.commit(map[string]string{"a.md": "a"})
	if got := syncOnce(t, s, got.cursor); got.ids() != "a.md" {
		t.Errorf("%s", got.ids())
	}
	if err := s.Check(t.Context()); !errors.As(err, &warning) || !strings.Contains(string(warning), "url_template") {
		t.Error(err)
	}
}

// A clone that was cut short, spoiled or touched is repaired or made anew.
func TestGitBrokenClones(t *testing.T) {
	u := newUpstream(t, map[string]string{"a.md": "a", "docs/b.md": "b"})
	s := u.source(nil)
	cursor := syncOnce(t, s, nil).cursor
	n := 0
	for name, spoil := range map[string]func(clone string) error{
		"no state":      func(c string) error { return os.Remove(filepath.Join(c, stateFile)) },
		"state of zero": func(c string) error { return os.WriteFile(filepath.Join(c, stateFile), nil, 0o600) },
		"no objects":    func(c string) error { return os.RemoveAll(filepath.Join(c, repositoryFolder, "objects")) },
		"no repository": func(c string) error { return os.RemoveAll(filepath.Join(c, repositoryFolder)) },
		"no checkout":   func(c string) error { return os.RemoveAll(filepath.Join(c, checkoutFolder)) },
		"broken index": func(c string) error {
			return os.WriteFile(filepath.Join(c, repositoryFolder, "index"), []byte("x"), 0o600)
		},
		"stale locks": func(c string) error {
			return errors.Join(os.WriteFile(filepath.Join(c, repositoryFolder, "index.lock"), nil, 0o600),
				os.WriteFile(filepath.Join(c, repositoryFolder, "shallow.lock"), nil, 0o600))
		},
		"touched": func(c string) error {
			return errors.Join(os.WriteFile(filepath.Join(c, checkoutFolder, "a.md"), []byte("forged"), 0o600),
				os.WriteFile(filepath.Join(c, checkoutFolder, "foreign.md"), []byte("forged"), 0o600))
		},
		"no head": func(c string) error { return os.Remove(filepath.Join(c, repositoryFolder, "HEAD")) },
		"half a clone": func(c string) error {
			return errors.Join(os.RemoveAll(c), os.MkdirAll(filepath.Join(filepath.Dir(c), freshFolder, "x"), 0o700))
		},
		"broken packs": func(c string) error { return spoilObjects(filepath.Join(c, repositoryFolder, "objects")) },
	} {
		n++
		if err := spoil(filepath.Join(s.data, cloneFolder)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		body := strings.Repeat("x", n)
		u.commit(map[string]string{"docs/b.md": body})
		h := newHaul()
		if err := s.syncClone(t.Context(), cursor, h); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all := syncOnce(t, s, nil)
		if all.ids() != "a.md docs/b.md" || all.docs["a.md"].Body != "a" || all.docs["docs/b.md"].Body != body || h.docs["docs/b.md"].Body != body {
			t.Errorf("%s: %+v", name, all.docs)
		}
		cursor = all.cursor
	}
}

func spoilObjects(dir string) error {
	return filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return errors.Join(os.Chmod(name, 0o600), os.WriteFile(name, []byte("spoiled"), 0o600))
	})
}

func TestGitLimits(t *testing.T) {
	u := newUpstream(t, map[string]string{"a.md": strings.Repeat("long ", 4000), "b.md": "b"})
	s := u.source(func(s *Source) { s.MaxClone = 10 << 10 })
	err := s.syncClone(t.Context(), nil, newHaul())
	if sdk.KindOf(err) != "config" || !strings.Contains(err.Error(), "max_clone: the repository takes more than 10.0 KiB unpacked") {
		t.Error(err)
	}
	if entries, err := os.ReadDir(filepath.Join(s.data, freshFolder)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v %v are left", entries, err)
	}
	small := u.source(func(s *Source) { s.MaxSize = 5 })
	got := syncOnce(t, small, nil)
	if got.ids() != "b.md" || sdk.KindOf(got.failed["a.md"]) != "too_large" {
		t.Errorf("%s %v", got.ids(), got.failed)
	}
	if again := syncOnce(t, small, got.cursor); again.ids() != "" || len(again.failed) > 0 {
		t.Error("a file that is too large is told again")
	}
}

func TestGitTransferThatGrows(t *testing.T) {
	s := &Source{data: t.TempDir(), MaxClone: 100}
	pack := filepath.Join(s.data, freshFolder, repositoryFolder, "objects", "pack")
	if err := os.MkdirAll(pack, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(pack, "tmp_pack_1"), strings.Repeat("x", 101))
	ctx, stop := context.WithCancelCause(t.Context())
	s.watchSize(ctx, freshFolder, stop)
	if err := context.Cause(ctx); sdk.KindOf(err) != "config" || !strings.Contains(err.Error(), "packed") {
		t.Error(err)
	}
}

func TestGitIsMissing(t *testing.T) {
	u := newUpstream(t, map[string]string{"a.md": "a"})
	s := u.source(nil)
	t.Setenv("PATH", t.TempDir())
	for _, err := range []error{s.Check(t.Context()), s.syncClone(t.Context(), nil, newHaul())} {
		if sdk.KindOf(err) != "config" || !strings.Contains(err.Error(), "git: the program git is not installed") {
			t.Error(err)
		}
	}
}

// A sync that the host ends in the middle is taken up where the cursor says.
func TestGitSyncThatStops(t *testing.T) {
	u := newUpstream(t, map[string]string{"a.md": "a", "b.md": "b", "c.md": "c"})
	s := u.source(nil)
	ctx, cancel := context.WithCancel(t.Context())
	h := newHaul()
	h.stop = func() error {
		if len(h.docs) == 2 {
			cancel()
		}
		return ctx.Err()
	}
	if err := s.syncClone(ctx, nil, h); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := syncOnce(t, s, h.cursor); got.ids() != "a.md b.md c.md" {
		t.Errorf("%s", got.ids())
	}
}
