package discord

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/footnote-bot/footnote/bot"
)

// take handles what the gateway brings, in its order. It only reads, notes and
// hands over: the gateway waits for it.
func (a *app) take(name string, data json.RawMessage) {
	bot.Guarded(a.log, name, func() { a.taken(name, data) })
}

func (a *app) taken(name string, data json.RawMessage) {
	a.opts.Counter.Add("discord_events_total", name)
	switch name {
	case "MESSAGE_CREATE", "MESSAGE_UPDATE":
		a.takeMessage(name, data)
	case "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		a.takeDeletion(name, data)
	case "INTERACTION_CREATE":
		a.takeInteraction(data)
	default:
		a.takeChange(name, data)
	}
}

// change is an event about guilds, channels and members, as far as it is read.
type change struct {
	ID      string   `json:"id"`
	Guild   string   `json:"guild_id"`
	Parent  string   `json:"parent_id"`
	User    *user    `json:"user"`
	Missing bool     `json:"unavailable"` // of a guild that is down, not left
	Members []string `json:"removed_member_ids"`
	App     *struct {
		ID string `json:"id"`
	} `json:"application"`
	Guilds []struct {
		ID string `json:"id"`
	} `json:"guilds"`
}

// takeChange drops facts that are doubtful from now on, and has the answers look
// again that may have other readers.
func (a *app) takeChange(name string, data json.RawMessage) {
	var c change
	if err := json.Unmarshal(data, &c); err != nil {
		a.log.Debug("an event cannot be read", "event", name, "error", err)
		a.facts.clear() // whatever it was about
		return
	}
	switch name {
	case "READY":
		a.facts.clear()
		a.ready(c)
		a.recheck(func(*answer) bool { return true }) // events may have been lost
	case "RESUMED":
		a.recheck(func(*answer) bool { return true })
	case "GUILD_CREATE":
		a.joinedGuild(c.ID)
		a.guildChanged(c.ID)
	case "GUILD_DELETE":
		if !c.Missing {
			a.leftGuild(c.ID)
		}
		a.guildChanged(c.ID)
	case "GUILD_UPDATE":
		a.guildChanged(c.ID)
	case "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE":
		a.guildChanged(c.Guild)
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE", "THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE":
		a.facts.channels.drop(c.ID)
		a.recheck(func(n *answer) bool { return n.in(c.ID) || n.in(c.Parent) })
	case "THREAD_MEMBERS_UPDATE", "THREAD_MEMBER_UPDATE":
		a.facts.joined.clear()
	case "GUILD_MEMBER_ADD", "GUILD_MEMBER_REMOVE", "GUILD_MEMBER_UPDATE":
		if c.User != nil {
			a.facts.members.drop(c.Guild + "/" + c.User.ID)
		}
		a.facts.crowds.drop(c.Guild)
		a.recheck(func(n *answer) bool { return n.about.guild == c.Guild })
	}
}

func (a *app) ready(c change) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.App != nil && c.App.ID != "" {
		a.identity.App = c.App.ID
	}
	if c.User != nil && c.User.ID != "" {
		a.identity.User = c.User.ID
	}
	a.guilds = nil
	for _, g := range c.Guilds {
		if g.ID != "" && !slices.Contains(a.guilds, g.ID) {
			a.guilds = append(a.guilds, g.ID)
		}
	}
}

func (a *app) guildChanged(guild string) {
	a.facts.guilds.drop(guild)
	a.facts.members.clear()
	a.recheck(func(n *answer) bool { return n.about.guild == guild })
}

// recheck has running answers ask again who reads them.
func (a *app) recheck(which func(*answer) bool) {
	var places []string
	for _, n := range a.running.find(which) {
		if id := n.placeID(); !slices.Contains(places, id) {
			places = append(places, id)
		}
	}
	for _, id := range places {
		a.opts.Desk.Recheck(id)
	}
}

// takeMessage queues a message of somebody else.
func (a *app) takeMessage(name string, data json.RawMessage) {
	var m message
	if err := json.Unmarshal(data, &m); err != nil || m.ID == "" || m.Channel == "" {
		a.log.Warn("a message cannot be read", "error", err)
		return
	}
	if m.author().ID == a.own().User && m.Author != nil {
		return
	}
	edited := name == "MESSAGE_UPDATE"
	if edited && m.Edited == "" {
		return // a preview was added, or a thread
	}
	if !a.queue.Offer(m.Channel, name, func(ctx context.Context) { a.heard(ctx, m, edited) }) {
		a.opts.Counter.Add("discord_queue_full_total", "")
		a.log.Error("too many messages wait; one is not answered", "place", placeID(m.Guild, m.Channel))
	}
}

// takeDeletion stops the answers to questions that are gone.
func (a *app) takeDeletion(_ string, data json.RawMessage) {
	var d struct {
		ID      string   `json:"id"`
		IDs     []string `json:"ids"`
		Channel string   `json:"channel_id"`
	}
	if json.Unmarshal(data, &d) != nil {
		return
	}
	gone := append(d.IDs, d.ID)
	for _, n := range a.running.find(func(n *answer) bool { return n.about.asked != "" && slices.Contains(gone, n.about.asked) }) {
		n.forget()
	}
}

// takeInteraction handles a command or a button at once: Discord waits three
// seconds for a first answer.
func (a *app) takeInteraction(data json.RawMessage) {
	var i interaction
	if err := json.Unmarshal(data, &i); err != nil || i.ID == "" || i.Token == "" {
		a.log.Warn("an interaction cannot be read", "error", err)
		return
	}
	if !a.spawn("interaction", func(ctx context.Context) { a.interacted(ctx, i) }) {
		a.opts.Counter.Add("discord_interactions_lost_total", "")
		a.log.Error("too many interactions at once; one is not answered")
	}
}
