package slacktest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// target finds the channel of a call that writes, as the bot may use it. A user
// id stands for the direct message with that user.
func (c *call) target(key string) (*Channel, error) {
	id := c.str(key)
	if u, ok := c.users[id]; ok {
		if u.Deleted {
			return nil, refuse("user_disabled")
		}
		return c.direct(c.in.team, c.in.bot, id), nil
	}
	ch, err := c.visible(id)
	switch {
	case err != nil:
		return nil, err
	case ch.Archived:
		return nil, refuse("is_archived")
	case !ch.has(c.in.bot) && !c.token.can("chat:write.public"):
		return nil, refuse("not_in_channel")
	}
	return ch, nil
}

// visible finds a channel that the bot may know of.
func (c *call) visible(id string) (*Channel, error) {
	ch, ok := c.channels[id]
	if !ok || ch.Kind != Public && !ch.has(c.in.bot) || !slices.Contains(ch.teams(), c.in.team) {
		return nil, refuse("channel_not_found")
	}
	return ch, nil
}

// content reads text, blocks and attachments of a message and judges them.
func (c *call) content(m *message) error {
	m.text = cutUnits(c.str("text"), c.options.sizes.Text)
	if _, err := c.decode("blocks", &m.blocks); err != nil {
		return refuse("invalid_blocks_format", err.Error())
	}
	if _, err := c.decode("attachments", &m.attachments); err != nil {
		return refuse("invalid_attachments", err.Error())
	}
	if _, err := c.decode("metadata", &m.metadata); err != nil {
		return refuse("invalid_metadata_format", err.Error())
	}
	if markdown := c.str("markdown_text"); markdown != "" {
		if m.text != "" || len(m.blocks) > 0 {
			return refuse("markdown_text_conflict")
		}
		if units(markdown) > c.options.sizes.MarkdownBlock {
			return refuse("msg_too_long")
		}
		m.text, m.blocks = markdown, []any{object{"type": "markdown", "text": markdown}}
	}
	if len(c.str("metadata")) > c.options.sizes.Metadata {
		return refuse("metadata_too_large")
	}
	if strings.TrimSpace(m.text) == "" && len(m.blocks) == 0 && len(m.attachments) == 0 {
		return refuse("no_text")
	}
	if err := checkBlocks(m.blocks, inMessage, c.options.sizes); err != nil {
		return err
	}
	c.nameBlocks(m.blocks)
	m.links = c.flag("link_names") || c.str("parse") == "full"
	m.unfurl = c.str("unfurl_links") != "false" || c.str("unfurl_media") != "false"
	return nil
}

// nameBlocks gives an id to each block and interactive element that has none,
// as Slack does.
func (s *Server) nameBlocks(blocks []any) {
	for _, value := range blocks {
		b, ok := value.(object)
		if !ok {
			continue
		}
		if id, _ := b["block_id"].(string); id == "" {
			b["block_id"] = s.nextID("b")
		}
		for _, e := range elementsOf(b) {
			if id, _ := e["action_id"].(string); id == "" && interactive(e) {
				e["action_id"] = s.nextID("a")
			}
		}
	}
}

// parent finds the root that thread_ts names. An unknown one makes the message
// a root of its own, as in Slack when the parent was deleted.
func (c *call) parent(channel string) (string, error) {
	ts := c.str("thread_ts")
	if ts == "" {
		return "", nil
	}
	if _, ok := parseTS(ts); !ok {
		return "", refuse("invalid_thread_ts")
	}
	root := c.find(channel, ts)
	switch {
	case root == nil && len(c.replies(channel, ts)) == 0:
		return "", nil
	case root != nil && root.thread != "" && root.thread != ts:
		return "", refuse("cannot_reply_to_message", fmt.Sprintf("%s is a reply itself, its thread is %s", ts, root.thread))
	}
	return ts, nil
}

func (c *call) fresh(ch *Channel) *message {
	return &message{channel: ch.ID, ts: c.nextTS(), user: c.in.bot, team: c.in.team, in: c.in,
		username: c.str("username"), broadcast: c.flag("reply_broadcast")}
}

func (c *call) postMessage() (object, error) {
	ch, err := c.target("channel")
	if err != nil {
		return nil, err
	}
	m := c.fresh(ch)
	if err := c.content(m); err != nil {
		return nil, err
	}
	if m.thread, err = c.parent(ch.ID); err != nil {
		return nil, err
	}
	c.publish(ch, m)
	return object{"channel": ch.ID, "ts": m.ts, "message": m.object(c.Server)}, nil
}

func (c *call) postEphemeral() (object, error) {
	user := c.str("user")
	if _, ok := c.users[user]; !ok {
		return nil, refuse("user_not_found")
	}
	ch, err := c.target("channel")
	if err != nil {
		return nil, err
	}
	if !ch.has(user) {
		return nil, refuse("user_not_in_channel")
	}
	m := c.fresh(ch)
	m.to = user
	if err := c.content(m); err != nil {
		return nil, err
	}
	if m.thread, err = c.parent(ch.ID); err != nil {
		return nil, err
	}
	c.ephemerals = append(c.ephemerals, m)
	return object{"message_ts": m.ts}, nil
}

// own finds a message of this app that may still be changed.
func (c *call) own(denied string) (*Channel, *message, error) {
	ch, err := c.visible(c.str("channel"))
	if err != nil {
		return nil, nil, err
	}
	m := c.find(ch.ID, c.str("ts"))
	switch {
	case m == nil:
		return nil, nil, refuse("message_not_found")
	case m.in == nil || m.in.app != c.in.app:
		return nil, nil, refuse(denied)
	}
	return ch, m, nil
}

func (c *call) updateMessage() (object, error) {
	ch, m, err := c.own("cant_update_message")
	if err != nil {
		return nil, err
	}
	if ch.Archived {
		return nil, refuse("is_archived")
	}
	if w := c.options.editWindow; w > 0 && c.clock.Now().Sub(timeOf(m.ts)) > w {
		return nil, refuse("edit_window_closed")
	}
	if m.stream != nil && c.streamState(m) == streamOpen {
		return nil, refuse("streaming_state_conflict")
	}
	next := &message{}
	if err := c.content(next); err != nil {
		return nil, err
	}
	if escapedBytes(c.str("text")) > c.options.sizes.EditText {
		return nil, refuse("msg_too_long")
	}
	before := m.object(c.Server)
	m.keep()
	m.text, m.attachments, m.stream = next.text, next.attachments, nil
	if c.has("blocks") || c.has("text") || c.has("markdown_text") {
		m.blocks = next.blocks // Slack drops the blocks of an edit that has only text
	}
	if next.metadata != nil {
		m.metadata = next.metadata
	}
	m.edits, m.edited = m.edits+1, c.nextTS()
	c.changedEvent(ch, m, before)
	return object{"channel": ch.ID, "ts": m.ts, "text": m.text, "message": m.object(c.Server)}, nil
}

func (c *call) deleteMessage() (object, error) {
	ch, m, err := c.own("cant_delete_message")
	if err != nil {
		return nil, err
	}
	c.remove(ch, m)
	return object{"channel": ch.ID, "ts": m.ts}, nil
}

func (c *call) getPermalink() (object, error) {
	ch, err := c.visible(c.str("channel"))
	if err != nil {
		return nil, err
	}
	m := c.find(ch.ID, c.str("message_ts"))
	if m == nil {
		return nil, refuse("message_not_found")
	}
	return object{"channel": ch.ID, "permalink": c.permalink(ch, m)}, nil
}

func (s *Server) permalink(ch *Channel, m *message) string {
	domain := "unknown"
	if w, ok := s.workspaces[ch.Team]; ok {
		domain = w.Domain
	}
	link := fmt.Sprintf("https://%s.slack.com/archives/%s/p%s", domain, ch.ID, strings.ReplaceAll(m.ts, ".", ""))
	if m.thread != "" && m.thread != m.ts {
		link += "?thread_ts=" + m.thread + "&cid=" + ch.ID
	}
	return link
}

func rawOf(value any) json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return raw
}
