package discord

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/bwmarrin/discordgo"
)

// api is what the bot asks Discord, one method for each call.
type api struct{ *rest }

// get reads something.
func (a api) get(ctx context.Context, path, key string, into any) error {
	return a.do(ctx, call{method: http.MethodGet, path: path, key: "GET " + key}, into)
}

// post puts a message into a channel and returns its id. The nonce makes a
// repetition the same message.
func (a api) post(ctx context.Context, channel, nonce string, p payload) (string, error) {
	p = p.sealed()
	p.Nonce, p.Enforce = nonce, nonce != ""
	var made struct {
		ID string `json:"id"`
	}
	err := a.do(ctx, call{
		method: http.MethodPost, path: "channels/" + channel + "/messages", key: "POST channels/" + channel + "/messages",
		body: p, files: p.files, still: p.still, once: nonce == "",
	}, &made)
	return made.ID, err
}

// edit changes a message of the bot's own.
func (a api) edit(ctx context.Context, channel, message string, p payload, drop bool) error {
	p = p.sealed()
	return a.do(ctx, call{
		method: http.MethodPatch, path: "channels/" + channel + "/messages/" + message,
		key: "PATCH channels/" + channel + "/messages", body: p, files: p.files, still: p.still, drop: drop,
	}, nil)
}

func (a api) delete(ctx context.Context, channel, message string) error {
	return a.do(ctx, call{
		method: http.MethodDelete, path: "channels/" + channel + "/messages/" + message,
		key: "DELETE channels/" + channel + "/messages",
	}, nil)
}

// typing shows that the bot is at work, for about ten seconds.
func (a api) typing(ctx context.Context, channel string) error {
	return a.do(ctx, call{method: http.MethodPost, path: "channels/" + channel + "/typing", key: "POST channels/" + channel + "/typing", drop: true}, nil)
}

// startThread starts a public thread at a message and returns its id.
func (a api) startThread(ctx context.Context, channel, message, name string) (string, error) {
	var made channelInfo
	err := a.do(ctx, call{
		method: http.MethodPost, path: "channels/" + channel + "/messages/" + message + "/threads",
		key:  "POST channels/" + channel + "/threads",
		body: map[string]any{"name": name, "auto_archive_duration": 1440}, once: true,
	}, &made)
	return made.ID, err
}

// openDirect is the conversation with a user.
func (a api) openDirect(ctx context.Context, user string) (string, error) {
	var made channelInfo
	err := a.do(ctx, call{
		method: http.MethodPost, path: "users/@me/channels", key: "POST users/@me/channels",
		body: map[string]string{"recipient_id": user},
	}, &made)
	return made.ID, err
}

// message reads one message.
func (a api) message(ctx context.Context, channel, id string) (message, error) {
	var m message
	err := a.get(ctx, "channels/"+channel+"/messages/"+id, "channels/"+channel+"/messages/one", &m)
	return m, err
}

// before reads the messages before one, the newest first, at most 100.
func (a api) before(ctx context.Context, channel, before string, most int) ([]message, error) {
	q := url.Values{"limit": {strconv.Itoa(most)}}
	if before != "" {
		q.Set("before", before)
	}
	var out []message
	err := a.get(ctx, "channels/"+channel+"/messages?"+q.Encode(), "channels/"+channel+"/messages", &out)
	return out, err
}

func (a api) channel(ctx context.Context, id string) (channelInfo, error) {
	var c channelInfo
	err := a.get(ctx, "channels/"+id, "channels/"+id, &c)
	return c, err
}

func (a api) guild(ctx context.Context, id string) (guildInfo, error) {
	var g guildInfo
	err := a.get(ctx, "guilds/"+id, "guilds/"+id, &g)
	return g, err
}

func (a api) member(ctx context.Context, guild, user string) (memberInfo, error) {
	var m memberInfo
	err := a.get(ctx, "guilds/"+guild+"/members/"+user, "guilds/"+guild+"/members/one", &m)
	return m, err
}

// members lists those of a guild, from the given one on; it takes the guild
// members intent.
func (a api) members(ctx context.Context, guild, after string) ([]memberInfo, error) {
	q := url.Values{"limit": {"1000"}}
	if after != "" {
		q.Set("after", after)
	}
	var out []memberInfo
	err := a.get(ctx, "guilds/"+guild+"/members?"+q.Encode(), "guilds/"+guild+"/members", &out)
	return out, err
}

// inThread tells whether a user is in a thread.
func (a api) inThread(ctx context.Context, thread, user string) (bool, error) {
	err := a.get(ctx, "channels/"+thread+"/thread-members/"+user, "channels/"+thread+"/thread-members", nil)
	if isStatus(err, http.StatusNotFound) {
		return false, nil
	}
	return err == nil, err
}

// respond is the first answer to an interaction; it has three seconds. Data that
// shows a text is a payload.
func (a api) respond(ctx context.Context, i interaction, kind discordgo.InteractionResponseType, data any) error {
	if p, ok := data.(payload); ok {
		data = p.sealed()
	}
	body := struct {
		Type discordgo.InteractionResponseType `json:"type"`
		Data any                               `json:"data,omitempty"`
	}{kind, data}
	return a.do(ctx, call{
		method: http.MethodPost, path: "interactions/" + i.ID + "/" + i.Token + "/callback", key: "POST interactions/" + i.ID,
		body: body, attempts: 3,
	}, nil)
}

// original is the message that a deferred answer became.
func (a api) original(ctx context.Context, app, token string) (message, error) {
	var m message
	err := a.get(ctx, "webhooks/"+app+"/"+token+"/messages/@original", "webhooks/"+token+"/original", &m)
	return m, err
}

// editByToken changes a message of an interaction; "@original" is the first.
func (a api) editByToken(ctx context.Context, app, token, message string, p payload, drop bool) (string, error) {
	p = p.sealed()
	p.Flags &^= discordgo.MessageFlagsEphemeral // what it is it stays
	var made struct {
		ID string `json:"id"`
	}
	err := a.do(ctx, call{
		method: http.MethodPatch, path: "webhooks/" + app + "/" + token + "/messages/" + message,
		key: "PATCH webhooks/" + token, body: p, files: p.files, still: p.still, drop: drop,
	}, &made)
	return made.ID, err
}

// followUp is another message of an interaction.
func (a api) followUp(ctx context.Context, app, token string, p payload) (string, error) {
	p = p.sealed()
	var made struct {
		ID string `json:"id"`
	}
	err := a.do(ctx, call{
		method: http.MethodPost, path: "webhooks/" + app + "/" + token + "?wait=true", key: "POST webhooks/" + token,
		body: p, files: p.files, still: p.still, once: true,
	}, &made)
	return made.ID, err
}

func (a api) deleteByToken(ctx context.Context, app, token, message string) error {
	return a.do(ctx, call{
		method: http.MethodDelete, path: "webhooks/" + app + "/" + token + "/messages/" + message, key: "DELETE webhooks/" + token,
	}, nil)
}

// self is the bot's user.
func (a api) self(ctx context.Context) (user, error) {
	var u user
	err := a.get(ctx, "users/@me", "users/@me", &u)
	return u, err
}

// application is what the token belongs to.
func (a api) application(ctx context.Context) (applicationInfo, error) {
	var out applicationInfo
	err := a.get(ctx, "oauth2/applications/@me", "applications/@me", &out)
	return out, err
}

// commandsPath is where commands of a guild, or of all, are kept.
func commandsPath(app, guild string) string {
	if guild == "" {
		return "applications/" + app + "/commands"
	}
	return "applications/" + app + "/guilds/" + guild + "/commands"
}

// putCommands makes the commands of a scope exactly these.
func (a api) putCommands(ctx context.Context, app, guild string, list []*discordgo.ApplicationCommand) error {
	if list == nil {
		list = []*discordgo.ApplicationCommand{}
	}
	return a.do(ctx, call{method: http.MethodPut, path: commandsPath(app, guild), key: "PUT commands/" + guild, body: list}, nil)
}

func (a api) commands(ctx context.Context, app, guild string) ([]commandInfo, error) {
	var out []commandInfo
	err := a.get(ctx, commandsPath(app, guild), "commands/"+guild, &out)
	return out, err
}
