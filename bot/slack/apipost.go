package slack

import (
	"context"

	"github.com/slack-go/slack"
)

// payload is what one message shows: text for notifications and for clients that
// show no blocks, and the blocks. Every post and every edit carries both, so that
// an edit never loses what a post had.
type payload struct {
	text   string // mrkdwn, escaped
	blocks []slack.Block
}

// options are the parts that all posts share. Previews are off everywhere.
func (p payload) options() []slack.MsgOption {
	blocks := p.blocks
	if blocks == nil {
		blocks = []slack.Block{} // an edit without blocks takes the old ones away
	}
	return []slack.MsgOption{
		slack.MsgOptionText(p.text, false), slack.MsgOptionBlocks(blocks...),
		slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl(),
	}
}

// post puts a message into a channel, in a thread if there is one.
func (a *api) post(ctx context.Context, channel, thread string, p payload) (ts string, err error) {
	opts := p.options()
	if thread != "" {
		opts = append(opts, slack.MsgOptionTS(thread))
	}
	err = a.call(ctx, call{method: "chat.postMessage", channel: channel, effect: adds}, func(ctx context.Context) error {
		_, ts, err = a.slack.PostMessageContext(ctx, channel, opts...)
		return err
	})
	return ts, err
}

// whisper shows a message to one person in a channel.
func (a *api) whisper(ctx context.Context, channel, thread, user string, p payload) error {
	opts := p.options()
	if thread != "" {
		opts = append(opts, slack.MsgOptionTS(thread))
	}
	return a.call(ctx, call{method: "chat.postEphemeral", channel: channel, effect: adds}, func(ctx context.Context) error {
		_, err := a.slack.PostEphemeralContext(ctx, channel, user, opts...)
		return err
	})
}

// update changes a message. Where drop is set it is left out rather than waited
// for; the error is errDropped then.
func (a *api) update(ctx context.Context, channel, ts string, p payload, drop bool) error {
	return a.call(ctx, call{method: "chat.update", channel: channel, effect: sets, drop: drop}, func(ctx context.Context) error {
		_, _, _, err := a.slack.UpdateMessageContext(ctx, channel, ts, p.options()...)
		return err
	})
}

func (a *api) delete(ctx context.Context, channel, ts string) error {
	return a.call(ctx, call{method: "chat.delete", channel: channel, effect: sets}, func(ctx context.Context) error {
		_, _, err := a.slack.DeleteMessageContext(ctx, channel, ts)
		return err
	})
}

// respond shows a message to the one person who used a command or a button. The
// address serves five times within 30 minutes.
func (a *api) respond(ctx context.Context, address string, p payload, replace bool) error {
	opts := append(p.options(), slack.MsgOptionResponseURL(address, slack.ResponseTypeEphemeral))
	if replace {
		opts = append(opts, slack.MsgOptionReplaceOriginal(address))
	}
	return a.call(ctx, call{method: "response_url", effect: adds}, func(ctx context.Context) error {
		_, _, err := a.slack.PostMessageContext(ctx, "", opts...)
		return err
	})
}

// erase takes back an ephemeral message.
func (a *api) erase(ctx context.Context, address string) error {
	return a.call(ctx, call{method: "response_url", effect: sets}, func(ctx context.Context) error {
		_, _, err := a.slack.PostMessageContext(ctx, "", slack.MsgOptionDeleteOriginal(address))
		return err
	})
}

// startStream begins a message that grows.
func (a *api) startStream(ctx context.Context, channel, thread, team, user, markdown string) (ts string, err error) {
	opts := []slack.MsgOption{slack.MsgOptionTS(thread)}
	if markdown != "" {
		opts = append(opts, slack.MsgOptionMarkdownText(markdown))
	}
	if user != "" {
		opts = append(opts, slack.MsgOptionRecipientTeamID(team), slack.MsgOptionRecipientUserID(user))
	}
	err = a.call(ctx, call{method: "chat.startStream", channel: channel, effect: adds}, func(ctx context.Context) error {
		_, ts, err = a.slack.StartStreamContext(ctx, channel, opts...)
		return err
	})
	return ts, err
}

// appendStream adds to such a message. It is left out rather than waited for,
// with errDropped: the text can come with the next one.
func (a *api) appendStream(ctx context.Context, channel, ts, markdown string) error {
	return a.call(ctx, call{method: "chat.appendStream", channel: channel, effect: adds, drop: true}, func(ctx context.Context) error {
		_, _, err := a.slack.AppendStreamContext(ctx, channel, ts, slack.MsgOptionMarkdownText(markdown))
		return err
	})
}

func (a *api) stopStream(ctx context.Context, channel, ts, markdown string, blocks []slack.Block) error {
	var opts []slack.MsgOption
	if markdown != "" {
		opts = append(opts, slack.MsgOptionMarkdownText(markdown))
	}
	if len(blocks) > 0 {
		opts = append(opts, slack.MsgOptionBlocks(blocks...))
	}
	return a.call(ctx, call{method: "chat.stopStream", channel: channel, effect: adds}, func(ctx context.Context) error {
		_, _, err := a.slack.StopStreamContext(ctx, channel, ts, opts...)
		return err
	})
}

// react adds or removes a reaction of the bot. That it is there, or gone,
// already is no error.
func (a *api) react(ctx context.Context, channel, ts, name string, on bool) error {
	item := slack.NewRefToMessage(channel, ts)
	var err error
	if on {
		err = a.call(ctx, call{method: "reactions.add", effect: sets, drop: true}, func(ctx context.Context) error {
			return a.slack.AddReactionContext(ctx, name, item)
		})
	} else {
		err = a.call(ctx, call{method: "reactions.remove", effect: sets}, func(ctx context.Context) error {
			return a.slack.RemoveReactionContext(ctx, name, item)
		})
	}
	if isCode(err, "already_reacted", "no_reaction", "message_not_found") {
		return nil
	}
	return err
}

// status shows what the bot is doing in an assistant thread; "" clears it, for
// which alone a limit is waited for.
func (a *api) status(ctx context.Context, channel, thread, text string) error {
	return a.call(ctx, call{method: "assistant.threads.setStatus", effect: sets, drop: text != ""}, func(ctx context.Context) error {
		return a.slack.SetAssistantThreadsStatusContext(ctx, slack.AssistantThreadsSetStatusParameters{ChannelID: channel, ThreadTS: thread, Status: text})
	})
}

func (a *api) title(ctx context.Context, channel, thread, text string) error {
	return a.call(ctx, call{method: "assistant.threads.setTitle", effect: sets, drop: true}, func(ctx context.Context) error {
		return a.slack.SetAssistantThreadsTitleContext(ctx, slack.AssistantThreadsSetTitleParameters{ChannelID: channel, ThreadTS: thread, Title: text})
	})
}

func (a *api) prompts(ctx context.Context, channel, thread string, questions []string) error {
	p := slack.AssistantThreadsSetSuggestedPromptsParameters{ChannelID: channel, ThreadTS: thread}
	for _, q := range questions {
		p.AddPrompt(firstRunes(q, 75), q)
	}
	return a.call(ctx, call{method: "assistant.threads.setSuggestedPrompts", effect: sets, drop: true}, func(ctx context.Context) error {
		return a.slack.SetAssistantThreadsSuggestedPromptsContext(ctx, p)
	})
}

// openView shows a modal; the trigger lasts three seconds.
func (a *api) openView(ctx context.Context, trigger string, v slack.ModalViewRequest) error {
	return a.call(ctx, call{method: "views.open", effect: adds}, func(ctx context.Context) error {
		_, err := a.slack.OpenViewContext(ctx, trigger, v)
		return err
	})
}

func (a *api) publishHome(ctx context.Context, user string, blocks []slack.Block) error {
	return a.call(ctx, call{method: "views.publish", effect: sets}, func(ctx context.Context) error {
		_, err := a.slack.PublishViewContext(ctx, slack.PublishViewContextRequest{
			UserID: user, View: slack.HomeTabViewRequest{Type: slack.VTHomeTab, Blocks: slack.Blocks{BlockSet: blocks}},
		})
		return err
	})
}

func firstRunes(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
