package access

import "github.com/footnote-bot/footnote/core"

// Operator is who uses the command line without naming a person: a full member
// without groups of their own. It never bypasses access.
func Operator() core.Viewer {
	return core.Viewer{Name: "operator", Operator: true, Principals: []core.Principal{core.Public, core.Workspace}}
}

// Person is the viewer with the e-mail address and the groups. Without an
// address, or with one that could be taken for another, only public is held,
// whatever else is given: groups and membership belong to a person.
func Person(email string, fullMember bool, groups []core.Principal) core.Viewer {
	email, ok := lower(email)
	if !ok || email == "" {
		return core.Viewer{Principals: []core.Principal{core.Public}}
	}
	held := []core.Principal{core.Public, core.User(email)}
	if fullMember {
		held = append(held, core.Workspace)
	}
	return core.Viewer{
		Email:      email,
		Name:       email,
		Principals: core.NewAccess(append(held, groups...)...),
	}
}
