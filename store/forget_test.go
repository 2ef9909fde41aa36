package store

import (
	"bytes"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

func TestForgetSealed(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	good, lost := bytes.Repeat([]byte{1}, KeyLength), bytes.Repeat([]byte{2}, KeyLength)
	sealed := func(want bool) {
		t.Helper()
		got, err := s.Sealed(t.Context())
		check(t, err)
		if got != want {
			t.Errorf("sealed is %v", got)
		}
	}
	check(t, s.PutSource(t.Context(), handbookSource(core.Workspace)))
	put(t, s, page("a", []core.Principal{core.Public}, "one"))
	sealed(false)
	check(t, s.UseKeys(t.Context(), lost))
	sealed(true)
	names, err := s.ForgetSealed(t.Context(), good, lost)
	check(t, err)
	if len(names) != 0 {
		t.Errorf("forgot %v, which can be opened", names)
	}
	s = open(t, dir)
	wantKind(t, s.UseKeys(t.Context(), good), core.KindConfig)
	names, err = s.ForgetSealed(t.Context(), good)
	check(t, err)
	diff(t, []string{"handbook"}, names)
	check(t, s.UseKeys(t.Context(), good))
	src, err := s.Source(t.Context(), "handbook")
	check(t, err)
	diff(t, "{}", string(src.Config))
	diff(t, core.NewAccess(core.Workspace), src.Access)
	if len(around(t, s, "a")) != 1 {
		t.Error("documents have to stay")
	}
	_, err = s.ForgetSealed(t.Context(), []byte("short"))
	wantKind(t, err, core.KindConfig)
}
