package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// server is a guild with what its channels follow from.
type server struct {
	*discordgo.Guild
	bot    []string // its roles
	public map[string]string
	roles  map[string]string
}

// room is a channel that is read.
type room struct {
	*discordgo.Channel
	in     *server
	looked time.Time // before Discord was asked who sees it
}

func (r room) forum() bool {
	return r.Type == discordgo.ChannelTypeGuildForum || r.Type == discordgo.ChannelTypeGuildMedia
}

func (r room) may(h holder) int64 { return permissions(r.in.Guild, h, r.PermissionOverwrites) }

// access is who may read what was said in a channel, or in a thread below it.
func (s *Source) access(r room, thread *discordgo.Channel) sdk.Access {
	if private(thread) {
		return sdk.Access{Groups: []string{thread.ID}}
	}
	open := reads(r.may(holder{}), false, false)
	return sdk.Access{Public: open && s.Public == "public", Workspace: open && s.Public == "workspace", Groups: []string{r.ID}}
}

func private(t *discordgo.Channel) bool {
	return t != nil && t.Type == discordgo.ChannelTypeGuildPrivateThread
}

// found is what the configuration comes to.
type found struct {
	api     *discordgo.Session
	me      string
	rooms   []room
	lost    []error  // what is named and cannot be read
	outside []string // channels that the bot may not read
}

// mostRooms is how many channels a source may have: the places in all of them go
// into one cursor.
const mostRooms = 500

func (s *Source) resolve(ctx context.Context) (*found, error) {
	api, err := s.session()
	if err != nil {
		return nil, err
	}
	me, err := api.User("@me", discordgo.WithContext(ctx))
	if err == nil && me.ID == "" {
		err = errOdd
	}
	if err != nil {
		return nil, explain("asking who the bot is", err)
	}
	f := &found{api: api, me: me.ID}
	if err := f.intent(ctx); err != nil {
		return nil, err
	}
	guilds, err := s.guilds(ctx, api)
	if err != nil {
		return nil, err
	}
	var all []*discordgo.Channel
	for _, id := range guilds {
		list, err := s.look(ctx, f, id)
		if history.Refusal(err) {
			f.lost = append(f.lost, fmt.Errorf("the server %s is not there, or the bot is not in it: %w", id, err))
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	for _, r := range s.named {
		read := slices.ContainsFunc(f.rooms, func(one room) bool { return r.Covers(one.Name, one.ID) })
		left := slices.ContainsFunc(all, func(c *discordgo.Channel) bool { return r.Covers(c.Name, c.ID) && s.left.Covers(c.Name, c.ID) })
		if r.Exact && !read && !left {
			f.lost = append(f.lost, fmt.Errorf("the channel %q is not there, or the bot may not read it: it needs View Channel and Read Message History", r.Written))
		}
	}
	if len(f.rooms) > mostRooms {
		return nil, sdk.Config("channels", fmt.Errorf("they are %d channels; a source takes %d: make two of them", len(f.rooms), mostRooms))
	}
	return f, nil
}

// intent fails where Discord empties all messages for the bot.
func (f *found) intent(ctx context.Context) error {
	address := discordgo.EndpointAPI + "applications/@me"
	body, err := f.api.RequestWithBucketID("GET", address, nil, address, discordgo.WithContext(ctx))
	if err != nil {
		return explain("asking what the bot may do", err)
	}
	var app struct {
		ID    string `json:"id"`
		Flags int    `json:"flags"`
	}
	if err := json.Unmarshal(body, &app); err != nil || app.ID == "" {
		return fmt.Errorf("asking what the bot may do: %w", errOdd)
	}
	if app.Flags&(1<<18|1<<19) == 0 {
		return sdk.Denied(errors.New("the bot gets messages without their text: switch on the Message Content Intent on the page Bot of its application"))
	}
	return nil
}

func (s *Source) guilds(ctx context.Context, api *discordgo.Session) ([]string, error) {
	if len(s.Guilds) > 0 {
		return s.Guilds, nil
	}
	var out []string
	for after := ""; ; {
		list, err := api.UserGuilds(200, "", after, false, discordgo.WithContext(ctx))
		if err != nil {
			return nil, explain("the list of servers", err)
		}
		for _, g := range list {
			if !slices.Contains(out, g.ID) {
				out = append(out, g.ID)
			}
		}
		if len(list) < 200 || list[len(list)-1].ID == after {
			return out, nil
		}
		after = list[len(list)-1].ID
	}
}

var readable = []discordgo.ChannelType{
	discordgo.ChannelTypeGuildText, discordgo.ChannelTypeGuildNews, discordgo.ChannelTypeGuildForum, discordgo.ChannelTypeGuildMedia,
}

// look finds the channels of one server.
func (s *Source) look(ctx context.Context, f *found, id string) ([]*discordgo.Channel, error) {
	began := s.now()
	g, err := f.api.Guild(id, discordgo.WithContext(ctx))
	if err != nil {
		return nil, explain("the server "+id, err)
	}
	if g.ID != id || len(g.Roles) == 0 {
		return nil, explain("the server "+id, errOdd)
	}
	me, err := f.api.GuildMember(id, f.me, discordgo.WithContext(ctx))
	if err == nil && (me.User == nil || me.User.ID != f.me) {
		err = errOdd
	}
	if err != nil {
		return nil, explain("the bot in "+g.Name, err)
	}
	list, err := f.api.GuildChannels(id, discordgo.WithContext(ctx))
	if err != nil {
		return nil, explain("the channels of "+g.Name, err)
	}
	in := &server{Guild: g, bot: me.Roles, public: map[string]string{}, roles: map[string]string{}}
	for _, r := range g.Roles {
		in.roles[r.ID] = r.Name
	}
	for _, c := range list {
		r := room{c, in, began}
		if reads(r.may(holder{}), false, false) { // a text may name a channel that its readers do not know
			in.public[c.ID] = c.Name
		}
		if !slices.Contains(readable, c.Type) || !s.named.Covers(c.Name, c.ID) || s.left.Covers(c.Name, c.ID) || c.NSFW && !s.AgeRestricted {
			continue
		}
		if !reads(r.may(holder{f.me, in.bot}), false, false) {
			f.outside = append(f.outside, "#"+c.Name)
			continue
		}
		f.rooms = append(f.rooms, r)
	}
	return list, nil
}
