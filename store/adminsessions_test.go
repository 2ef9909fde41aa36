package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestAdminLinksOpenOnce(t *testing.T) {
	s := open(t, t.TempDir())
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	check(t, s.AddAdminLink(t.Context(), "h1", "operator", now, now.Add(10*time.Minute)))
	check(t, s.AddAdminLink(t.Context(), "h2", "ann@example.com", now, now.Add(10*time.Minute)))
	who, err := s.UseAdminLink(t.Context(), "h1", now.Add(9*time.Minute))
	if check(t, err); who != "operator" {
		t.Errorf("who: %q", who)
	}
	_, err = s.UseAdminLink(t.Context(), "h1", now.Add(9*time.Minute))
	wantKind(t, err, core.KindNotFound) // used
	_, err = s.UseAdminLink(t.Context(), "h2", now.Add(10*time.Minute))
	wantKind(t, err, core.KindNotFound) // too old
	_, err = s.UseAdminLink(t.Context(), "h3", now)
	wantKind(t, err, core.KindNotFound)
	for i := range 3 * mostAdminLinks { // a loop of footnote admin login fills no table
		check(t, s.AddAdminLink(t.Context(), fmt.Sprint("n", i), "operator", now, now.Add(time.Duration(i)*time.Second+time.Minute)))
	}
	var n int
	check(t, s.read(t.Context(), func(tx *session) error {
		return tx.QueryRowContext(t.Context(), `SELECT count(*) FROM admin_links`).Scan(&n)
	}))
	if n > mostAdminLinks {
		t.Errorf("%d links are kept", n)
	}
}

func TestAdminSessionsEnd(t *testing.T) {
	s := open(t, t.TempDir())
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	const idle = 30 * time.Minute
	put := func(id string) {
		check(t, s.AddAdminSession(t.Context(), "hash-"+id, AdminSession{ID: id, Who: "operator", Created: now, Expires: now.Add(12 * time.Hour)}))
	}
	put("a")
	put("b")
	for at := now; at.Before(now.Add(12 * time.Hour)); at = at.Add(20 * time.Minute) { // in use, it stays
		got, err := s.AdminSession(t.Context(), "hash-a", at, idle)
		if check(t, err); got.ID != "a" || got.Who != "operator" {
			t.Fatalf("session %+v", got)
		}
	}
	_, err := s.AdminSession(t.Context(), "hash-a", now.Add(12*time.Hour), idle)
	wantKind(t, err, core.KindNotFound) // however much it is used
	_, err = s.AdminSession(t.Context(), "hash-b", now.Add(idle), idle)
	wantKind(t, err, core.KindNotFound) // nobody used it
	put("c")
	if left, err := s.AdminSessions(t.Context(), now, idle); err != nil || len(left) != 3 {
		t.Errorf("%v, %v", left, err)
	}
	n, err := s.EndAdminSession(t.Context(), "c")
	if check(t, err); n != 1 {
		t.Errorf("%d ended", n)
	}
	_, err = s.AdminSession(t.Context(), "hash-c", now, idle)
	wantKind(t, err, core.KindNotFound)
	check(t, s.AddAdminLink(t.Context(), "link", "operator", now, now.Add(time.Minute)))
	if n, err := s.EndAdminSession(t.Context(), ""); err != nil || n != 2 {
		t.Errorf("%d ended, %v", n, err)
	}
	_, err = s.UseAdminLink(t.Context(), "link", now)
	wantKind(t, err, core.KindNotFound) // all means unused links, too
}
