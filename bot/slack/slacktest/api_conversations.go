package slacktest

import (
	"slices"
	"strings"
)

func (c *call) conversationsInfo() (object, error) {
	ch, err := c.readable("read")
	if err != nil {
		return nil, err
	}
	o := c.channelObject(ch, c.in)
	if c.flag("include_num_members") {
		o["num_members"] = len(ch.Members)
	}
	return object{"channel": o}, nil
}

// readable finds the channel of a call that reads, and asks for the scope of
// its kind.
func (c *call) readable(what string) (*Channel, error) {
	ch, err := c.visible(c.str("channel"))
	if err != nil {
		return nil, err
	}
	return ch, c.need(ch.Kind.scope() + ":" + what)
}

func (c *call) conversationsMembers() (object, error) {
	ch, err := c.readable("read")
	if err != nil {
		return nil, err
	}
	members, next, err := page(c, ch.Members, 100, 1000)
	if err != nil {
		return nil, err
	}
	return withCursor(object{"members": members}, next), nil
}

func (c *call) conversationsList() (object, error) {
	return c.listChannels(func(ch *Channel) bool { return ch.Kind == Public || ch.has(c.in.bot) })
}

func (c *call) usersConversations() (object, error) {
	user := or(c.str("user"), c.in.bot)
	if c.users[user] == nil {
		return nil, refuse("user_not_found")
	}
	return c.listChannels(func(ch *Channel) bool { return ch.has(user) && (ch.Kind == Public || ch.has(c.in.bot)) })
}

func (c *call) listChannels(keep func(*Channel) bool) (object, error) {
	types := c.words("types")
	if len(types) == 0 {
		types = []string{"public_channel"}
	}
	for _, t := range types {
		kind := slices.IndexFunc([]ChannelKind{Public, Private, DirectMessage, GroupMessage}, func(k ChannelKind) bool { return k.listType() == t })
		if kind < 0 {
			return nil, refuse("invalid_types")
		}
		if err := c.need(ChannelKind(kind).scope() + ":read"); err != nil {
			return nil, err
		}
	}
	var found []*Channel
	for _, id := range c.order {
		ch := c.channels[id]
		if !slices.Contains(ch.teams(), c.in.team) || !slices.Contains(types, ch.Kind.listType()) {
			continue
		}
		if keep(ch) && !(ch.Archived && c.flag("exclude_archived")) {
			found = append(found, ch)
		}
	}
	found, next, err := page(c, found, 100, 1000)
	if err != nil {
		return nil, err
	}
	list := []object{}
	for _, ch := range found {
		o := c.channelObject(ch, c.in)
		o["num_members"] = len(ch.Members)
		list = append(list, o)
	}
	return withCursor(object{"channels": list}, next), nil
}

func (c *call) conversationsOpen() (object, error) {
	if id := c.str("channel"); id != "" {
		ch, err := c.visible(id)
		if err != nil {
			return nil, err
		}
		return object{"channel": c.channelObject(ch, c.in), "no_op": true, "already_open": true}, nil
	}
	people := c.words("users")
	switch {
	case len(people) == 0:
		return nil, refuse("users_list_not_supplied")
	case len(people) > 8:
		return nil, refuse("too_many_users")
	}
	for _, id := range people {
		u := c.users[id]
		if u == nil {
			return nil, refuse("user_not_found")
		}
		if u.Deleted {
			return nil, refuse("user_disabled")
		}
	}
	scope := "im:write"
	if len(people) > 1 {
		scope = "mpim:write"
	}
	if err := c.need(scope); err != nil {
		return nil, err
	}
	ch := c.direct(c.in.team, append(people, c.in.bot)...)
	if c.flag("return_im") {
		return object{"channel": c.channelObject(ch, c.in)}, nil
	}
	return object{"channel": object{"id": ch.ID}}, nil
}

func (c *call) conversationsJoin() (object, error) {
	ch, err := c.visible(c.str("channel"))
	switch {
	case err != nil:
		return nil, err
	case ch.Kind != Public:
		return nil, refuse("method_not_supported_for_channel_type")
	case ch.Archived:
		return nil, refuse("is_archived")
	}
	o := object{}
	if ch.has(c.in.bot) {
		o["warning"] = "already_in_channel"
		o["response_metadata"] = object{"warnings": []string{"already_in_channel"}}
	} else {
		c.join(ch, c.in.bot, "")
	}
	o["channel"] = c.channelObject(ch, c.in)
	return o, nil
}

func (c *call) conversationsLeave() (object, error) {
	ch, err := c.visible(c.str("channel"))
	switch {
	case err != nil:
		return nil, err
	case ch.Kind == DirectMessage || ch.Kind == GroupMessage:
		return nil, refuse("method_not_supported_for_channel_type")
	case !ch.has(c.in.bot):
		return object{"not_in_channel": true}, nil
	}
	if ch.Kind == Private {
		if err := c.need("groups:write"); err != nil {
			return nil, err
		}
	}
	c.leave(ch, c.in.bot)
	return nil, nil
}

func (c *call) conversationsHistory() (object, error) {
	list, err := c.readMessages(func(m *message) bool { return m.thread == "" || m.thread == m.ts || m.broadcast })
	if err != nil {
		return nil, err
	}
	slices.Reverse(list)
	return c.messagePage(list, 100)
}

func (c *call) conversationsReplies() (object, error) {
	ts := c.str("ts")
	list, err := c.readMessages(func(m *message) bool { return m.thread == ts || m.ts == ts })
	if err != nil {
		return nil, err
	}
	if len(list) == 0 && !c.has("oldest") && !c.has("latest") {
		return nil, refuse("thread_not_found")
	}
	return c.messagePage(list, 1000)
}

// readMessages gives what history or a thread holds between oldest and latest,
// oldest first.
func (c *call) readMessages(keep func(*message) bool) ([]*message, error) {
	ch, err := c.readable("history")
	if err != nil {
		return nil, err
	}
	if !ch.has(c.in.bot) {
		return nil, refuse("not_in_channel")
	}
	oldest, _ := parseTS(c.str("oldest"))
	latest, bounded := parseTS(c.str("latest"))
	var out []*message
	for _, m := range c.messages[ch.ID] {
		if m.deleted || !keep(m) {
			continue
		}
		at, _ := parseTS(m.ts)
		inside := at > oldest && (!bounded || c.str("latest") == "" || at < latest)
		edge := c.flag("inclusive") && (at == oldest || bounded && at == latest)
		root := strings.HasSuffix(c.method, "replies") && m.ts == c.str("ts")
		if inside || edge || root {
			out = append(out, m)
		}
	}
	return out, nil
}

func (c *call) messagePage(list []*message, normal int) (object, error) {
	most := 1000
	if c.options.limits.Marketplace {
		normal, most = 15, 15
	}
	list, next, err := page(c, list, normal, most)
	if err != nil {
		return nil, err
	}
	out := []object{}
	for _, m := range list {
		out = append(out, c.full(m))
	}
	return withCursor(object{"messages": out, "has_more": next != "", "pin_count": 0}, next), nil
}
