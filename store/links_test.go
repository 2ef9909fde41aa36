package store

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func code(t *testing.T, s *Store, email string, now time.Time) string {
	t.Helper()
	c, err := s.newLink(t.Context(), email, time.Hour, now)
	check(t, err)
	return c
}

func linked(t *testing.T, s *Store, id string) string {
	t.Helper()
	a, err := s.Account(t.Context(), "slack", "T1", id)
	check(t, err)
	return a.Linked
}

func TestLinkWorksOnce(t *testing.T) {
	s := open(t, t.TempDir())
	c := code(t, s, " Ann@Example.com", noon)
	if len(c) != 8 || strings.Trim(c, codeAlphabet) != "" {
		t.Fatalf("code %q", c)
	}
	written := strings.ToLower(c[:4]) + " - " + c[4:] + "\n"
	email, err := s.link(t.Context(), member("U1", ""), written, noon)
	check(t, err)
	if email != "ann@example.com" || linked(t, s, "U1") != email {
		t.Fatalf("linked to %q and %q", email, linked(t, s, "U1"))
	}
	_, again := s.link(t.Context(), member("U2", ""), c, noon)
	wantKind(t, again, core.KindNotFound)
	old := code(t, s, "ann@example.com", noon)
	_, expired := s.link(t.Context(), member("U3", ""), old, noon.Add(time.Hour))
	wantKind(t, expired, core.KindNotFound)
	_, wrong := s.link(t.Context(), member("U4", ""), "ABCDEFGH", noon)
	if again.Error() != wrong.Error() || expired.Error() != wrong.Error() {
		t.Fatalf("the sentences differ:\n%v\n%v\n%v", again, expired, wrong)
	}

	check(t, s.PutAccount(t.Context(), member("U1", "else@example.com")))
	if linked(t, s, "U1") != "ann@example.com" {
		t.Fatal("describing the account took its link away")
	}
	_, err = s.link(t.Context(), member("U1", ""), code(t, s, "bob@example.com", noon), noon)
	check(t, err)
	check(t, s.Unlink(t.Context(), "slack:T1/U1"))
	if linked(t, s, "U1") != "" {
		t.Fatal("still linked")
	}
	wantKind(t, s.Unlink(t.Context(), "slack:T1/U1"), core.KindNotFound)
	wantKind(t, s.Unlink(t.Context(), "slack:T1/U9"), core.KindNotFound)
}

func TestLinksThatAreRefused(t *testing.T) {
	s := open(t, t.TempDir())
	for _, email := range []string{"", " ", "ann", "@x.org", "ann@"} {
		_, err := s.NewLink(t.Context(), email, time.Hour)
		wantKind(t, err, core.KindInvalid)
	}
	for _, ttl := range []time.Duration{-1, 0, LongestLink + 1} {
		_, err := s.NewLink(t.Context(), "ann@x.org", ttl)
		wantKind(t, err, core.KindInvalid)
	}
	c := code(t, s, "ann@x.org", noon)
	for _, class := range []core.AccountClass{core.AccountBot, core.AccountDeactivated} {
		a := member("U1", "")
		a.Class = class
		_, err := s.link(t.Context(), a, c, noon)
		wantKind(t, err, core.KindDenied)
		check(t, s.PutAccount(t.Context(), a))
		_, err = s.link(t.Context(), member("U1", ""), c, noon)
		wantKind(t, err, core.KindDenied)
	}
	for i, class := range []core.AccountClass{core.AccountGuest, core.AccountExternal, core.AccountUnknown} {
		a := member(fmt.Sprint("G", i), "")
		a.Class = class
		_, err := s.link(t.Context(), a, code(t, s, "ann@x.org", noon), noon)
		check(t, err)
	}
}

// A clock that was set back does not keep codes open for longer.
func TestClockSetBackClosesLinks(t *testing.T) {
	s := open(t, t.TempDir())
	_, err := s.link(t.Context(), member("U1", ""), code(t, s, "ann@x.org", noon), noon.Add(-time.Minute))
	check(t, err)
	_, err = s.link(t.Context(), member("U2", ""), code(t, s, "ann@x.org", noon), noon.Add(-24*time.Hour))
	wantKind(t, err, core.KindNotFound)
}

// Linking says nothing about the account: a platform's handler may know its key only.
func TestLinkLeavesTheDescription(t *testing.T) {
	s := open(t, t.TempDir())
	a := member("U1", "work@x.org")
	check(t, s.PutAccount(t.Context(), a))
	_, err := s.link(t.Context(), core.Account{Platform: "slack", Team: "T1", ID: "U1"}, code(t, s, "ann@x.org", noon), noon)
	check(t, err)
	a.Linked = "ann@x.org"
	got, err := s.Account(t.Context(), "slack", "T1", "U1")
	check(t, err)
	diff(t, a, got)
}

func TestNewestLinksStayOpen(t *testing.T) {
	s := open(t, t.TempDir())
	var codes []string
	for i := range openLinks + 1 {
		codes = append(codes, code(t, s, "ann@x.org", noon.Add(time.Duration(i)*time.Second)))
	}
	other := code(t, s, "bob@x.org", noon)
	_, err := s.link(t.Context(), member("U0", ""), codes[0], noon.Add(time.Minute))
	wantKind(t, err, core.KindNotFound)
	for i, c := range append(codes[1:], other) {
		_, err := s.link(t.Context(), member(fmt.Sprint("U", i), ""), c, noon.Add(time.Minute))
		check(t, err)
	}
}

func TestGuessingIsSlow(t *testing.T) {
	s := open(t, t.TempDir())
	right := code(t, s, "ann@x.org", noon)
	try := func(id, c string, at time.Time) error {
		_, err := s.link(t.Context(), member(id, ""), c, at)
		return err
	}
	for i := range linkMisses {
		wantKind(t, try("U1", "WRONG", noon.Add(time.Duration(i)*time.Minute)), core.KindNotFound)
	}
	wantKind(t, try("U1", right, noon.Add(5*time.Minute)), core.KindBusy)
	wantKind(t, try("U2", "WRONG", noon.Add(5*time.Minute)), core.KindNotFound) // others go on
	wantKind(t, try("U1", "WRONG", noon.Add(15*time.Minute)), core.KindNotFound)
	wantKind(t, try("U1", right, noon.Add(15*time.Minute)), core.KindBusy) // the five newest are from 12:01 on
	check(t, try("U1", right, noon.Add(16*time.Minute)))
	for range linkMisses - 1 { // a right one makes up for the wrong ones
		wantKind(t, try("U1", "WRONG", noon.Add(16*time.Minute)), core.KindNotFound)
	}
	check(t, try("U1", code(t, s, "ann@x.org", noon), noon.Add(16*time.Minute)))
}

func TestOneOfManyRedeems(t *testing.T) {
	s := open(t, t.TempDir())
	c := code(t, s, "ann@x.org", noon)
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() { _, errs[i] = s.link(t.Context(), member(fmt.Sprint("U", i), ""), c, noon) })
	}
	wg.Wait()
	won := 0
	for i, err := range errs {
		if err == nil {
			won++
		} else {
			wantKind(t, err, core.KindNotFound)
		}
		if (err == nil) != (linked(t, s, fmt.Sprint("U", i)) != "") {
			t.Errorf("account %d: %v, linked %q", i, err, linked(t, s, fmt.Sprint("U", i)))
		}
	}
	if won != 1 {
		t.Fatalf("%d accounts were linked", won)
	}
}

func TestCodeIsNotKept(t *testing.T) {
	s := open(t, t.TempDir())
	c := code(t, s, "ann@x.org", noon)
	for _, file := range []string{s.path, s.path + "-wal"} {
		data, err := os.ReadFile(file)
		check(t, err)
		if strings.Contains(string(data), c) {
			t.Fatalf("%s holds the code", file)
		}
	}
}
