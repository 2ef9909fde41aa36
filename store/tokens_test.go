package store

import (
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestTokens(t *testing.T) {
	s := open(t, t.TempDir())
	at := func(n int64) time.Time { return time.UnixMicro(n).UTC() }
	ci := Token{ID: "t1", Name: "ci", As: "dev@example.com", Created: at(10)}
	site := Token{ID: "t2", Name: "site", As: "web@example.com", Created: at(20)}
	push := Token{ID: "t9", Name: "push", Source: "wiki", Expires: at(99), Created: at(15)}
	check(t, s.AddToken(t.Context(), push, "hash-9a"))
	got, err := s.TokenByHash(t.Context(), "hash-9a")
	check(t, err)
	diff(t, push, got)
	check(t, s.RevokeTokensOf(t.Context(), "other"))
	check(t, s.RevokeTokensOf(t.Context(), ""))
	check(t, s.RevokeTokensOf(t.Context(), "wiki"))
	_, err = s.TokenByHash(t.Context(), "hash-9a")
	wantKind(t, err, core.KindNotFound)
	check(t, s.AddToken(t.Context(), site, "hash-2"))
	check(t, s.AddToken(t.Context(), ci, "hash-1"))
	for _, again := range []struct {
		token Token
		hash  string
	}{
		{Token{ID: "t3", Name: "ci"}, "hash-3"},
		{Token{ID: "t1", Name: "x"}, "hash-3"},
		{Token{ID: "t3", Name: "x"}, "hash-1"},
	} {
		wantKind(t, s.AddToken(t.Context(), again.token, again.hash), core.KindConflict)
	}
	check(t, s.UseToken(t.Context(), "t1", at(30)))
	check(t, s.UseToken(t.Context(), "gone", at(30)))
	ci.LastUsed = at(30)

	list, err := s.Tokens(t.Context())
	check(t, err)
	diff(t, []Token{ci, site}, list)
	got, err = s.TokenByHash(t.Context(), "hash-1")
	check(t, err)
	diff(t, ci, got)
	for _, hash := range []string{"", "hash", "HASH-1", "hash-9", "hash-1%"} {
		_, err = s.TokenByHash(t.Context(), hash)
		wantKind(t, err, core.KindNotFound)
	}
	check(t, s.RevokeToken(t.Context(), "t1"))
	_, err = s.TokenByHash(t.Context(), "hash-1")
	wantKind(t, err, core.KindNotFound)
	wantKind(t, s.RevokeToken(t.Context(), "t1"), core.KindNotFound)
}
