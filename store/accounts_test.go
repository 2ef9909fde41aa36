package store

import (
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// member is a confirmed account of a full member in workspace T1.
func member(id, email string) core.Account {
	return core.Account{Platform: "slack", Team: "T1", ID: id, Name: "Name of " + id, Class: core.AccountMember,
		Email: email, Verified: true, Seen: time.UnixMicro(5).UTC()}
}

func former(t *testing.T, s *Store, id string) []string {
	t.Helper()
	a, err := s.Account(t.Context(), "slack", "T1", id)
	check(t, err)
	return a.Former
}

func TestAccountIsKeptAsDescribed(t *testing.T) {
	s := open(t, t.TempDir())
	a := member("U1", " Ann@Example.COM ")
	a.Linked, a.Former = "forged@example.com", []string{"forged@example.com"}
	check(t, s.PutAccount(t.Context(), a))
	want := member("U1", "ann@example.com")
	got, err := s.Account(t.Context(), "slack", "T1", "U1")
	check(t, err)
	diff(t, want, got)

	want.Name, want.Class, want.Verified, want.Seen = "Ann", core.AccountGuest, false, time.UnixMicro(9).UTC()
	check(t, s.PutAccount(t.Context(), want))
	got, err = s.Account(t.Context(), "slack", "T1", "U1")
	check(t, err)
	diff(t, want, got)
	for _, key := range [][3]string{{"slack", "T1", "U2"}, {"slack", "T2", "U1"}, {"discord", "T1", "U1"}} {
		_, err = s.Account(t.Context(), key[0], key[1], key[2])
		wantKind(t, err, core.KindNotFound)
	}
}

func TestAccountsThatCannotBe(t *testing.T) {
	s := open(t, t.TempDir())
	for _, a := range []core.Account{
		{}, {Platform: "slack"}, {ID: "U1"}, {Platform: "sl:ack", ID: "U1"}, {Platform: "sl/ack", ID: "U1"},
		{Platform: "slack", Team: "T1/U2", ID: "U1"},
	} {
		wantKind(t, s.PutAccount(t.Context(), a), core.KindInvalid)
		_, err := s.Link(t.Context(), a, "x")
		wantKind(t, err, core.KindInvalid)
	}
	check(t, s.PutAccount(t.Context(), core.Account{Platform: "discord", ID: "7"})) // accounts without a team exist
}

func TestFormerAddresses(t *testing.T) {
	put := func(a core.Account) func(*testing.T, *Store) {
		return func(t *testing.T, s *Store) { t.Helper(); check(t, s.PutAccount(t.Context(), a)) }
	}
	with := func(a core.Account, f func(*core.Account)) core.Account { f(&a); return a }
	unconfirmed := func(a *core.Account) { a.Verified = false }
	link := func(id, email string) func(*testing.T, *Store) {
		return func(t *testing.T, s *Store) {
			code, err := s.NewLink(t.Context(), email, time.Hour)
			check(t, err)
			_, err = s.Link(t.Context(), member(id, ""), code)
			check(t, err)
		}
	}
	rows := []struct {
		name  string
		steps []func(*testing.T, *Store)
		want  []string // of U1
	}{
		{"never changed", []func(*testing.T, *Store){put(member("U1", "a@x.org")), put(member("U1", "A@x.org"))}, nil},
		{"changed twice", []func(*testing.T, *Store){put(member("U1", "b@x.org")), put(member("U1", "a@x.org")), put(member("U1", "c@x.org"))},
			[]string{"a@x.org", "b@x.org"}},
		{"not told any more", []func(*testing.T, *Store){put(member("U1", "a@x.org")), put(member("U1", ""))}, []string{"a@x.org"}},
		{"told again", []func(*testing.T, *Store){put(member("U1", "a@x.org")), put(member("U1", "")), put(member("U1", "a@x.org"))}, nil},
		{"back again", []func(*testing.T, *Store){put(member("U1", "a@x.org")), put(member("U1", "b@x.org")), put(member("U1", "a@x.org"))},
			[]string{"b@x.org"}},
		{"never confirmed", []func(*testing.T, *Store){put(with(member("U1", "a@x.org"), unconfirmed)), put(member("U1", "b@x.org"))}, nil},
		{"from when it was a guest", []func(*testing.T, *Store){
			put(with(member("U1", "a@x.org"), func(a *core.Account) { a.Class = core.AccountGuest })), put(member("U1", "b@x.org"))}, nil},
		{"another takes it", []func(*testing.T, *Store){put(member("U1", "a@x.org")), put(member("U1", "b@x.org")), put(member("U2", "A@X.org"))}, nil},
		{"another states it without proof", []func(*testing.T, *Store){put(member("U1", "a@x.org")), put(member("U1", "b@x.org")),
			put(with(member("U2", "a@x.org"), unconfirmed))}, []string{"a@x.org"}},
		{"another proves it later", []func(*testing.T, *Store){put(member("U1", "a@x.org")), put(member("U1", "b@x.org")),
			put(with(member("U2", "a@x.org"), unconfirmed)), put(member("U2", "a@x.org"))}, nil},
		{"another has it already", []func(*testing.T, *Store){put(member("U1", "a@x.org")), put(member("U2", "a@x.org")), put(member("U1", "b@x.org"))}, nil},
		{"another states it already without proof", []func(*testing.T, *Store){put(member("U1", "a@x.org")),
			put(with(member("U2", "a@x.org"), unconfirmed)), put(member("U1", "b@x.org"))}, []string{"a@x.org"}},
		{"another is linked to it later", []func(*testing.T, *Store){put(member("U1", "a@x.org")), put(member("U1", "b@x.org")), link("U2", "a@x.org")}, nil},
		{"another is linked to it already", []func(*testing.T, *Store){put(member("U1", "a@x.org")), link("U2", "a@x.org"), put(member("U1", "b@x.org"))}, nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := open(t, t.TempDir())
			for _, step := range row.steps {
				step(t, s)
			}
			diff(t, row.want, former(t, s, "U1"))
		})
	}
}

func TestAccountsOfAPerson(t *testing.T) {
	s := open(t, t.TempDir())
	for _, a := range []core.Account{member("U3", "ann@x.org"), member("U1", "old@x.org"), member("U1", "new@x.org"), member("U2", "bob@x.org"),
		{Platform: "discord", Team: "G1", ID: "9", Class: core.AccountMember}} {
		check(t, s.PutAccount(t.Context(), a))
	}
	code, err := s.NewLink(t.Context(), "Ann@x.org", time.Hour)
	check(t, err)
	_, err = s.Link(t.Context(), core.Account{Platform: "discord", Team: "G1", ID: "9", Class: core.AccountMember}, code)
	check(t, err)
	for email, want := range map[string][]string{
		"":            {"discord:G1/9", "slack:T1/U1", "slack:T1/U2", "slack:T1/U3"},
		" ANN@x.org ": {"discord:G1/9", "slack:T1/U3"},
		"old@x.org":   {"slack:T1/U1"},
		"new@x.org":   {"slack:T1/U1"},
		"nobody@x":    nil,
		" ":           nil,
	} {
		found, err := s.Accounts(t.Context(), email)
		check(t, err)
		var keys []string
		for _, a := range found {
			keys = append(keys, a.Key())
		}
		diff(t, want, keys)
	}
}

// An address that only looks like another one stays another one: the ledger must
// not make one of both before anybody looks at it.
func TestLookalikeAddressIsNotAnother(t *testing.T) {
	s := open(t, t.TempDir())
	check(t, s.PutAccount(t.Context(), member("U1", "\u212aate@x.org")))
	found, err := s.Accounts(t.Context(), "kate@x.org")
	check(t, err)
	diff(t, 0, len(found))
	check(t, s.ReplaceGroups(t.Context(), "wiki", []core.GroupMembers{{Source: "wiki", Name: "s\u212aills", Users: []string{"\u0130van@x.org"}},
		{Source: "wiki", Name: "Skills", Users: []string{"ann@x.org"}}}, noon))
	held, err := s.Memberships(t.Context(), []string{"ivan@x.org"}, noon)
	check(t, err)
	diff(t, 0, len(held.Groups))
	held, err = s.Memberships(t.Context(), []string{"ann@x.org"}, noon)
	check(t, err)
	diff(t, []core.Principal{"group:wiki/skills"}, held.Groups)
}
