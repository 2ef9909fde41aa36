package slacktest

func (c *call) startStream() (object, error) {
	ch, err := c.target("channel")
	if err != nil {
		return nil, err
	}
	if c.options.noStreams[ch.Kind] {
		return nil, refuse("channel_type_not_supported")
	}
	if err := c.recipient(ch); err != nil {
		return nil, err
	}
	m := c.fresh(ch)
	if m.thread, err = c.parent(ch.ID); err != nil {
		return nil, err
	}
	if m.thread == "" && (c.has("thread_ts") || ch.Kind == DirectMessage) {
		return nil, refuse("invalid_thread_ts")
	}
	m.stream = &stream{started: c.clock.Now()}
	if err := c.write(m.stream); err != nil {
		return nil, err
	}
	c.publish(ch, m)
	return object{"channel": ch.ID, "ts": m.ts}, nil
}

// recipient checks for whom the stream is; outside direct messages Slack wants
// both ids.
func (c *call) recipient(ch *Channel) error {
	if ch.Kind == DirectMessage {
		return nil
	}
	team, user := c.str("recipient_team_id"), c.str("recipient_user_id")
	switch {
	case user == "":
		return refuse("missing_recipient_user_id")
	case team == "":
		return refuse("missing_recipient_team_id")
	case c.users[user] == nil:
		return refuse("user_not_found")
	case c.workspaces[team] == nil:
		return refuse("team_not_found")
	}
	return nil
}

// streaming finds the message of an append or stop.
func (c *call) streaming() (*Channel, *message, error) {
	ch, m, err := c.own("message_not_owned_by_app")
	if err != nil {
		return nil, nil, err
	}
	if m.stream == nil || c.streamState(m) != streamOpen {
		return nil, nil, refuse("message_not_in_streaming_state")
	}
	return ch, m, nil
}

func (c *call) appendStream() (object, error) {
	ch, m, err := c.streaming()
	if err != nil {
		return nil, err
	}
	if !c.has("markdown_text") && !c.has("chunks") {
		return nil, refuse("no_text")
	}
	if err := c.write(m.stream); err != nil {
		return nil, err
	}
	return object{"channel": ch.ID, "ts": m.ts}, nil
}

func (c *call) stopStream() (object, error) {
	ch, m, err := c.streaming()
	if err != nil {
		return nil, err
	}
	var blocks []any
	if _, err := c.decode("blocks", &blocks); err != nil {
		return nil, refuse("invalid_blocks_format", err.Error())
	}
	if err := checkBlocks(blocks, inMessage, c.options.sizes); err != nil {
		return nil, err
	}
	if err := c.write(m.stream); err != nil {
		return nil, err
	}
	before := m.object(c.Server)
	c.nameBlocks(blocks)
	m.stream.state, m.blocks = streamStopped, blocks
	c.clearStatus(ch.ID, m)
	c.changedEvent(ch, m, before)
	return object{"channel": ch.ID, "ts": m.ts, "message": m.object(c.Server)}, nil
}
