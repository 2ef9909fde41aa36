package discord

import "github.com/bwmarrin/discordgo"

// The permissions that matter here.
const (
	mayView        = bits(discordgo.PermissionViewChannel)
	maySend        = bits(discordgo.PermissionSendMessages)
	maySendThreads = bits(discordgo.PermissionSendMessagesInThreads)
	mayManage      = bits(discordgo.PermissionManageGuild)
	mayThreads     = bits(discordgo.PermissionManageThreads)
	mayEverything  = bits(discordgo.PermissionAdministrator)
	all            = bits(1<<62 - 1)
)

// holder is somebody in a guild, as far as their permissions go. The zero value
// of User is @everyone: what a member without any role may do.
type holder struct {
	User  string
	Owner bool
	Roles []string // without @everyone
}

// inGuild is what somebody may do before any channel's overwrites.
func inGuild(g guildInfo, h holder) bits {
	var p bits
	for _, r := range g.Roles {
		if r.ID == g.ID || contains(h.Roles, r.ID) {
			p |= r.Permissions
		}
	}
	if h.Owner || p.has(mayEverything) {
		return all
	}
	return p
}

// inChannel is what somebody may do in a channel that is no thread: the guild's
// permissions, then the overwrites for @everyone, for all roles together, and
// for the person. Categories do not count: a channel holds its own copy.
func inChannel(g guildInfo, h holder, c channelInfo) bits {
	p := inGuild(g, h)
	if p == all {
		return p
	}
	var everyone, roles, own overwrite
	for _, o := range c.Overwrites {
		switch {
		case o.Kind == 0 && o.ID == g.ID:
			everyone = o
		case o.Kind == 0 && contains(h.Roles, o.ID):
			roles.Allow |= o.Allow
			roles.Deny |= o.Deny
		case o.Kind == 1 && o.ID == h.User && h.User != "":
			own = o
		}
	}
	for _, o := range []overwrite{everyone, roles, own} {
		p = p&^o.Deny | o.Allow
	}
	if !p.has(mayView) {
		return 0
	}
	return p
}

// inThread is what somebody may do in a thread: what they may in the channel above
// it, and in a private one only as a member or as who manages threads. The
// thread's own overwrites, which discordgo takes, are always empty.
func inThread(g guildInfo, h holder, parent channelInfo, private, member bool) bits {
	p := inChannel(g, h, parent)
	if p == all {
		return p
	}
	if private && !member && !p.has(mayThreads) {
		return 0
	}
	if p.has(maySendThreads) {
		return p | maySend
	}
	return p &^ maySend
}

func contains(list []string, s string) bool {
	for _, one := range list {
		if one == s {
			return true
		}
	}
	return false
}
