package discord

import (
	"slices"

	"github.com/bwmarrin/discordgo"
)

// Discord does not tell who sees a channel: it follows from roles and overwrites.
// The bot that answers reckons the same, but a connector is a program of its own,
// which an author might write elsewhere, and shares nothing with it but the
// protocol. So the few lines stand here again, with rows of their own.

const (
	mayView    = int64(discordgo.PermissionViewChannel)
	mayRead    = int64(discordgo.PermissionReadMessageHistory)
	mayThreads = int64(discordgo.PermissionManageThreads)
	mayAll     = int64(discordgo.PermissionAdministrator)
	everything = int64(1<<62 - 1)
)

// holder is somebody in a server. The zero value is @everyone: what a member
// without any role may do.
type holder struct {
	user  string
	roles []string // without @everyone
}

// permissions are what somebody may do in a channel that is no thread: what their
// roles allow in the server, then the overwrites for @everyone, for all roles
// together, and for the person. Categories do not count: a channel holds its own
// copy. Who does not see a channel may do nothing there.
func permissions(g *discordgo.Guild, h holder, overwrites []*discordgo.PermissionOverwrite) int64 {
	var p int64
	for _, r := range g.Roles {
		if r.ID == g.ID || slices.Contains(h.roles, r.ID) {
			p |= r.Permissions
		}
	}
	if h.user != "" && h.user == g.OwnerID || p&mayAll != 0 {
		return everything
	}
	var steps [3]struct{ allow, deny int64 }
	for _, o := range overwrites {
		step := -1
		switch {
		case o.Type == discordgo.PermissionOverwriteTypeRole && o.ID == g.ID:
			step = 0
		case o.Type == discordgo.PermissionOverwriteTypeRole && slices.Contains(h.roles, o.ID):
			step = 1
		case o.Type == discordgo.PermissionOverwriteTypeMember && h.user != "" && o.ID == h.user:
			step = 2
		}
		if step >= 0 {
			steps[step].allow |= o.Allow
			steps[step].deny |= o.Deny
		}
	}
	for _, s := range steps {
		p = p&^s.deny | s.allow
	}
	if p&mayView == 0 {
		return 0
	}
	return p
}

// reads tells whether somebody who may do this in a channel reads what was said
// before they came, there or in a thread below it. A private thread is for who is
// in it and for who manages threads.
func reads(p int64, private, inside bool) bool {
	return p&mayView != 0 && p&mayRead != 0 && (!private || inside || p&mayThreads != 0)
}
