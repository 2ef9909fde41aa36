package discord

import (
	"context"
	"net/url"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/core"
)

// InstallPermissions is what the bot asks for when it is added to a guild: to see
// channels and their history, to write in them and in threads, to start public
// threads, and to show links, files and reactions.
const InstallPermissions int64 = discordgo.PermissionViewChannel | discordgo.PermissionSendMessages |
	discordgo.PermissionSendMessagesInThreads | discordgo.PermissionCreatePublicThreads | discordgo.PermissionEmbedLinks |
	discordgo.PermissionAttachFiles | discordgo.PermissionReadMessageHistory | discordgo.PermissionAddReactions

// InstallLink is where the owner of a guild adds the application to it.
func InstallLink(application string) string {
	q := url.Values{
		"client_id": {application}, "scope": {"bot applications.commands"}, "integration_type": {"0"},
		"permissions": {strconv.FormatInt(InstallPermissions, 10)},
	}
	return "https://discord.com/oauth2/authorize?" + q.Encode()
}

// Identity is what a token stands for.
type Identity struct {
	App, Name string // the application
	User      string // id of the bot's user
	UserName  string
	Content   bool // message content is switched on for the application
	Members   bool // and so are guild members
	Install   string
}

// Flags of an application that say which privileged intents it has; the second of
// each is for applications in fewer than 100 guilds.
const (
	flagMembers, flagMembersSmall = 1 << 14, 1 << 15
	flagContent, flagContentSmall = 1 << 18, 1 << 19
)

// CheckToken asks Discord what the application's token stands for. The error is of
// kind auth where Discord refuses it, of kind config where it cannot be one.
func CheckToken(ctx context.Context, config App, counter Counter) (Identity, error) {
	if counter == nil {
		counter = nothing{}
	}
	o := Options{Counter: counter}.withDefaults()
	a, err := newApp(o, config)
	if err != nil {
		return Identity{}, err
	}
	return a.check(ctx)
}

func (a *app) check(ctx context.Context) (Identity, error) {
	u, err := a.api.self(ctx)
	if isStatus(err, 401) {
		return Identity{}, core.Wrap(core.KindAuth, err, "Discord refuses the bot token of "+a.config.Name+". Copy it from the developer portal under Bot, not the client secret; after Reset Token only the new one works.")
	}
	if err != nil {
		return Identity{}, core.Wrap(core.KindUnavailable, err, "Discord does not answer; try again in a minute.")
	}
	it, err := a.api.application(ctx)
	if err != nil {
		return Identity{}, core.Wrap(core.KindUnavailable, err, "Discord does not tell which application the token belongs to.")
	}
	if !u.Bot {
		return Identity{}, core.Errorf(core.KindAuth, "The token of %s is not a bot's. Make one in the developer portal under Bot.", a.config.Name)
	}
	return Identity{
		App: it.ID, Name: it.Name, User: u.ID, UserName: u.display(), Install: InstallLink(it.ID),
		Content: it.Flags&(flagContent|flagContentSmall) != 0, Members: it.Flags&(flagMembers|flagMembersSmall) != 0,
	}, nil
}
