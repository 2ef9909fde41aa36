package discordtest

import "strings"

// Permission is a set of Discord's permission bits, the same numbers as
// discordgo.Permission….
type Permission int64

// The permissions that this server knows the meaning of.
const (
	KickMembers           Permission = 1 << 1
	Administrator         Permission = 1 << 3
	ManageChannels        Permission = 1 << 4
	ManageGuild           Permission = 1 << 5
	AddReactions          Permission = 1 << 6
	ViewChannel           Permission = 1 << 10
	SendMessages          Permission = 1 << 11
	SendTTS               Permission = 1 << 12
	ManageMessages        Permission = 1 << 13
	EmbedLinks            Permission = 1 << 14
	AttachFiles           Permission = 1 << 15
	ReadMessageHistory    Permission = 1 << 16
	MentionEveryone       Permission = 1 << 17
	Connect               Permission = 1 << 20
	ManageRoles           Permission = 1 << 28
	UseCommands           Permission = 1 << 31
	ManageThreads         Permission = 1 << 34
	CreatePublicThreads   Permission = 1 << 35
	CreatePrivateThreads  Permission = 1 << 36
	SendMessagesInThreads Permission = 1 << 38
	ModerateMembers       Permission = 1 << 40

	// AllPermissions is every bit, also those without a name here.
	AllPermissions Permission = 1<<53 - 1

	// EveryoneDefault is what @everyone of a new guild may do.
	EveryoneDefault = ViewChannel | SendMessages | EmbedLinks | AttachFiles | ReadMessageHistory | AddReactions |
		Connect | UseCommands | CreatePublicThreads | CreatePrivateThreads | SendMessagesInThreads

	// BotDefault is what Footnote's install link asks for.
	BotDefault Permission = 309237763136
)

var permissionNames = []struct {
	bit  Permission
	name string
}{
	{KickMembers, "kick"}, {Administrator, "administrator"}, {ManageChannels, "manage_channels"}, {ManageGuild, "manage_guild"},
	{AddReactions, "react"}, {ViewChannel, "view"}, {SendMessages, "send"}, {SendTTS, "tts"}, {ManageMessages, "manage_messages"},
	{EmbedLinks, "embed"}, {AttachFiles, "attach"}, {ReadMessageHistory, "history"}, {MentionEveryone, "mention_everyone"},
	{Connect, "connect"}, {ManageRoles, "manage_roles"}, {UseCommands, "commands"}, {ManageThreads, "manage_threads"},
	{CreatePublicThreads, "public_threads"}, {CreatePrivateThreads, "private_threads"},
	{SendMessagesInThreads, "send_in_threads"}, {ModerateMembers, "moderate"},
}

// Has tells whether all of want are in the set.
func (p Permission) Has(want Permission) bool { return p&want == want }

// String names the known bits, separated by spaces.
func (p Permission) String() string {
	var out []string
	for _, n := range permissionNames {
		if p&n.bit != 0 {
			out = append(out, n.name)
		}
	}
	return strings.Join(out, " ")
}

// ParsePermissions reads the names that String writes.
func ParsePermissions(names string) (Permission, bool) {
	var p Permission
	for _, word := range strings.Fields(names) {
		found := false
		for _, n := range permissionNames {
			if n.name == word {
				p, found = p|n.bit, true
			}
		}
		if !found {
			return 0, false
		}
	}
	return p, true
}

// Facts are all that the permissions of one member in one channel follow from.
// For a thread, Overwrites are those of its parent.
type Facts struct {
	Owner      bool
	Everyone   Permission            // of the role @everyone
	Roles      map[string]Permission // of the member's roles, by id
	Guild      string                // id of the guild, and so of @everyone
	User       string
	Overwrites []Overwrite
	Thread     bool
	Private    bool // the thread is private
	InThread   bool // the member is in the thread
	TimedOut   bool
}

// quiet is what stays with a member who was timed out.
const quiet = ViewChannel | ReadMessageHistory

// Effective is Discord's computation of permissions: @everyone and roles, then
// the channel's overwrites for @everyone, for roles all together, and for the
// member. Owner and administrators may do everything. Who cannot see a channel
// may do nothing there.
func Effective(f Facts) Permission {
	p := f.Everyone
	for _, role := range f.Roles {
		p |= role
	}
	if f.Owner || p.Has(Administrator) {
		return AllPermissions
	}
	p = overwritten(p, f)
	if f.TimedOut {
		p &= quiet
	}
	if !p.Has(ViewChannel) {
		return 0
	}
	if f.Thread {
		return inThread(p, f)
	}
	if !p.Has(SendMessages) {
		p &^= MentionEveryone | SendTTS | AttachFiles | EmbedLinks
	}
	return p
}

func overwritten(p Permission, f Facts) Permission {
	var everyone, roles, member Overwrite
	for _, o := range f.Overwrites {
		_, has := f.Roles[o.ID]
		switch {
		case !o.Member && o.ID == f.Guild:
			everyone = o
		case !o.Member && has:
			roles.Allow |= o.Allow
			roles.Deny |= o.Deny
		case o.Member && o.ID == f.User:
			member = o
		}
	}
	for _, o := range []Overwrite{everyone, roles, member} {
		p = p&^o.Deny | o.Allow
	}
	return p
}

// inThread turns the permissions in the parent into those in the thread.
func inThread(p Permission, f Facts) Permission {
	if f.Private && !f.InThread && !p.Has(ManageThreads) {
		return 0
	}
	if p.Has(SendMessagesInThreads) {
		return p | SendMessages
	}
	return p &^ (SendMessages | MentionEveryone | SendTTS | AttachFiles | EmbedLinks)
}
