package discord

import (
	"context"
	"net/http"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

// facts is what is known of guilds, channels and members, for less than a minute.
type facts struct {
	api      api
	guilds   *cache[guildInfo]
	channels *cache[channelInfo]
	members  *cache[member] // by guild/user
	joined   *cache[bool]   // whether somebody is in a private thread, by thread/user
	crowds   *cache[[]memberInfo]
}

// member is somebody in a guild, or the fact that they are not.
type member struct {
	memberInfo
	in bool
}

// crowdAge is how old the list of a guild's members may be; joins and leaves drop
// it.
const crowdAge = 10 * time.Minute

func newFacts(a api, age time.Duration) *facts {
	return &facts{
		api: a, guilds: newCache[guildInfo](age), channels: newCache[channelInfo](age), members: newCache[member](age),
		joined: newCache[bool](age), crowds: newCache[[]memberInfo](crowdAge),
	}
}

// clear forgets everything: events may have been missed.
func (f *facts) clear() {
	f.guilds.clear()
	f.channels.clear()
	f.members.clear()
	f.joined.clear()
	f.crowds.clear()
}

func (f *facts) guild(ctx context.Context, id string) (guildInfo, error) {
	if id == "" {
		return guildInfo{}, core.Errorf(core.KindNotFound, "a direct message is in no server")
	}
	g, err := f.guilds.get(ctx, id, func(ctx context.Context) (guildInfo, error) { return f.api.guild(ctx, id) })
	if err == nil && g.everyone() == nil {
		err = core.Errorf(core.KindUnavailable, "Discord does not tell the roles of the server")
	}
	return g, err
}

// everyone is the role that all members have; nil if it is missing.
func (g guildInfo) everyone() *role {
	for i := range g.Roles {
		if g.Roles[i].ID == g.ID && g.ID != "" {
			return &g.Roles[i]
		}
	}
	return nil
}

func (f *facts) channel(ctx context.Context, id string) (channelInfo, error) {
	return f.channels.get(ctx, id, func(ctx context.Context) (channelInfo, error) { return f.api.channel(ctx, id) })
}

// member is somebody in a guild; who is not in it is known to be out.
func (f *facts) member(ctx context.Context, guild, user string) (member, error) {
	return f.members.get(ctx, guild+"/"+user, func(ctx context.Context) (member, error) {
		m, err := f.api.member(ctx, guild, user)
		if isStatus(err, http.StatusNotFound) {
			return member{}, nil
		}
		return member{m, err == nil}, err
	})
}

// heardAge is how old an event may be for what it says of its author to count.
const heardAge = 10 * time.Second

// heard notes what an event says of its author, which is newer than what was looked
// up, unless the event was held back.
func (f *facts) heard(guild string, u user, event string, m memberInfo) {
	if age := time.Since(made(event)); guild == "" || u.ID == "" || m.Roles == nil || age > heardAge || age < -heardAge {
		return
	}
	m.User = &u
	f.members.put(guild+"/"+u.ID, member{m, true}, time.Now(), f.members.now())
}

// spot is a channel with the one above it, where it is a thread.
type spot struct {
	guild   guildInfo
	channel channelInfo
	parent  channelInfo // the channel itself, where it is no thread
}

// spot looks a channel of a guild up.
func (f *facts) spot(ctx context.Context, guild, channel string) (spot, error) {
	g, err := f.guild(ctx, guild)
	if err != nil {
		return spot{}, err
	}
	c, err := f.channel(ctx, channel)
	if err != nil {
		return spot{}, err
	}
	if c.Guild != guild {
		return spot{}, core.Errorf(core.KindUnavailable, "the channel is not of that server")
	}
	s := spot{guild: g, channel: c, parent: c}
	if c.isThread() {
		if s.parent, err = f.channel(ctx, c.Parent); err == nil && s.parent.Guild != guild {
			err = core.Errorf(core.KindUnavailable, "the channel above the thread is not of that server")
		}
	}
	return s, err
}

// facts are what decides about the readers of the channel.
func (s spot) facts() access.DiscordFacts {
	views := inChannel(s.guild, holder{}, s.parent).has(mayView)
	f := access.DiscordFacts{Known: true}
	switch {
	case s.channel.Kind == channelPrivateThread:
		f.PrivateThread, f.ParentKnown, f.ParentEveryoneViews = true, true, views
	case s.channel.isThread():
		f.Thread, f.ParentKnown, f.ParentEveryoneViews = true, true, views
	default:
		f.EveryoneViews = views
	}
	return f
}

// permissions is what a user may do in a channel or thread; 0 for who is not in
// the guild.
func (f *facts) permissions(ctx context.Context, s spot, user string) (bits, error) {
	m, err := f.member(ctx, s.guild.ID, user)
	if err != nil || !m.in {
		return 0, err
	}
	h := holder{User: user, Owner: s.guild.Owner == user, Roles: m.Roles}
	if !s.channel.isThread() {
		return inChannel(s.guild, h, s.parent), nil
	}
	private, in := s.channel.Kind == channelPrivateThread, false
	if private {
		in, err = f.joined.get(ctx, s.channel.ID+"/"+user, func(ctx context.Context) (bool, error) {
			return f.api.inThread(ctx, s.channel.ID, user)
		})
		if err != nil {
			return 0, err
		}
	}
	return inThread(s.guild, h, s.parent, private, in), nil
}

// reads tells whether a user may read a channel now. What cannot be learned is no.
func (f *facts) reads(ctx context.Context, guild, channel, user string) (bool, error) {
	s, err := f.spot(ctx, guild, channel)
	if err != nil {
		return false, err
	}
	p, err := f.permissions(ctx, s, user)
	return err == nil && p.has(mayView), err
}
