package access

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
)

// discord is the platform that states no address and lets anybody join: its
// accounts are nobody until a code links them.
const discord = "discord"

// Standing is what the install knows of an account's workspace or guild and of
// who its full members are.
type Standing struct {
	Home    bool             // the owner marked the workspace or guild as home
	Team    string           // its id
	Domains []string         // members.domains: e-mail is trusted only in these
	Emails  []string         // members.emails: full members listed one by one
	Groups  []core.Principal // that the person is in; count only where the account is a person
}

// PersonOf tells which person an account stands for: their address, the former
// addresses that still count as theirs, and why. The address is "" where the
// account is nobody; why then says what is missing.
//
// A code that the owner read out comes first. Otherwise the platform's address
// counts if the account is a full member of a home workspace, the address is
// confirmed, and it or its domain is listed. Former addresses have to meet the
// same, so that nobody becomes another person by having claimed their address.
func PersonOf(a core.Account, s Standing) (email string, former []string, why string) {
	switch a.Class {
	case core.AccountBot:
		return "", nil, "bots and workflows are nobody"
	case core.AccountDeactivated:
		return "", nil, "the account is deactivated"
	}
	trusted := distrust(a, s) == ""
	if linked, ok := address(a.Linked); ok {
		return linked, s.formerOf(a, linked, trusted), "linked by a code"
	}
	if !trusted {
		return "", nil, distrust(a, s)
	}
	stated, ok := address(a.Email)
	switch {
	case strings.TrimSpace(a.Email) == "":
		return "", nil, "the platform states no e-mail address"
	case !ok:
		return "", nil, "what the platform states is no e-mail address"
	case !s.lists(stated):
		return "", nil, "neither the e-mail address nor its domain is listed under members"
	}
	return stated, s.formerOf(a, stated, true), "its e-mail address is confirmed and listed under members"
}

// distrust says why the platform's addresses do not count for the account, or
// "" if they do.
func distrust(a core.Account, s Standing) string {
	switch {
	case a.Platform == discord:
		return "Discord states no e-mail address; a code has to link the account"
	case !s.memberOf(a):
		return "the account is no full member of the workspace; a code has to link it"
	case !s.Home:
		return "the workspace is not marked home; a code has to link the account"
	case !a.Verified:
		return "the e-mail address is not confirmed"
	}
	return ""
}

// memberOf tells whether the account is a full member of the team that the
// standing is about.
func (s Standing) memberOf(a core.Account) bool {
	return a.Class == core.AccountMember && (a.Team == "" || s.Team == "" || strings.EqualFold(a.Team, s.Team))
}

func (s Standing) formerOf(a core.Account, now string, trusted bool) []string {
	if !trusted {
		return nil
	}
	var out []string
	for _, f := range a.Former {
		if was, ok := address(f); ok && was != now && s.lists(was) && !slices.Contains(out, was) {
			out = append(out, was)
		}
	}
	return out
}

// lists tells whether the address or its domain is listed. Both are compared as
// a whole: a listed domain says nothing of the domains below it.
func (s Standing) lists(email string) bool {
	_, domain, _ := strings.Cut(email, "@")
	return s.listsAddress(email) || slices.ContainsFunc(s.Domains, func(d string) bool {
		listed, ok := lower(d)
		return ok && listed == domain
	})
}

func (s Standing) listsAddress(email string) bool {
	return slices.ContainsFunc(s.Emails, func(e string) bool {
		listed, ok := address(e)
		return ok && listed == email
	})
}

// address reads an e-mail address: one @ with something on both sides, without
// spaces and control characters, in lower case.
func address(s string) (string, bool) {
	s, ok := lower(s)
	name, domain, has := strings.Cut(s, "@")
	if !ok || !has || name == "" || domain == "" || strings.Contains(domain, "@") {
		return "", false
	}
	return s, true
}

// lower trims and folds a name. It refuses what would fold onto another name:
// bytes that are no UTF-8, and letters outside ASCII that fold into it, such as
// the Kelvin sign.
func lower(s string) (string, bool) {
	s = strings.TrimSpace(s)
	bad := func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || r >= utf8.RuneSelf && unicode.ToLower(r) < utf8.RuneSelf
	}
	if !utf8.ValidString(s) || strings.ContainsFunc(s, bad) {
		return "", false
	}
	return strings.ToLower(s), true
}

// ViewerOf is the account as somebody who asks. All hold public. A person holds
// their addresses and groups besides. What stands for membership is held by
// full members only: workspace:<team> by those of that team; workspace by those
// of a home workspace or guild, and by persons that are listed under members.
// On Discord, where anybody may join, only linked accounts are members.
//
// Guests and outsiders are persons by a link alone, and full members only where
// their address itself is listed; that of their domain is not enough. Bots and
// deactivated accounts hold public whatever else is said of them. The viewer
// never has the bypass.
func ViewerOf(a core.Account, s Standing) core.Viewer {
	email, former, _ := PersonOf(a, s)
	held := []core.Principal{core.Public}
	for _, e := range append([]string{email}, former...) {
		if e != "" {
			held = append(held, core.User(e))
		}
	}
	if email != "" {
		held = append(held, s.Groups...)
	}
	inTeam := s.memberOf(a) && (a.Platform != discord || email != "")
	if inTeam && s.Team != "" {
		held = append(held, core.WorkspaceOf(s.Team))
	}
	if inTeam && s.Home || s.listsPerson(a, email) {
		held = append(held, core.Workspace)
	}
	return core.Viewer{
		Email: email, Name: a.Name, Account: a.Key(), Class: a.Class, Principals: core.NewAccess(held...),
	}
}

// listsPerson tells whether the person is a full member by what is listed,
// wherever their account is.
func (s Standing) listsPerson(a core.Account, email string) bool {
	switch {
	case email == "":
		return false
	case a.Class == core.AccountMember:
		return s.lists(email)
	}
	return s.listsAddress(email)
}
