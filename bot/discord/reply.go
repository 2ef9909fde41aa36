package discord

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

// reply is the answer to an interaction. Its token works for a quarter of an hour;
// an ephemeral one is never continued where others can read it.
type reply struct {
	a       *app
	i       interaction
	private bool // ephemeral
	until   time.Time
	id      string // of the answer that was promised; "" where none was noted
	begun   bool   // the answer was, and takes the note over

	mu     sync.Mutex // held while something is shown, so that it stays in order
	filled bool       // the deferred answer has a text
	quiet  bool       // nothing was deferred: everything is a follow-up
}

// errExpired says that an interaction's time is over.
var errExpired = errors.New("the interaction's time is over")

func (a *app) newReply(i interaction, private bool) *reply {
	return &reply{a: a, i: i, private: private, until: a.opts.now().Add(a.opts.timing.token)}
}

func (r *reply) expired() bool { return r.a.opts.now().After(r.until) }

// acknowledge tells Discord, within its three seconds, that an answer follows.
func (r *reply) acknowledge(ctx context.Context) error {
	data := map[string]any{"allowed_mentions": discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}}}
	if r.private {
		data["flags"] = discordgo.MessageFlagsEphemeral
	}
	return r.a.api.respond(ctx, r.i, discordgo.InteractionResponseDeferredChannelMessageWithSource, data)
}

// acknowledgeSilently does so for a button after which nothing has to be said.
func (r *reply) acknowledgeSilently(ctx context.Context) error {
	r.quiet = true
	return r.a.api.respond(ctx, r.i, discordgo.InteractionResponseDeferredMessageUpdate, nil)
}

// send shows a message: the first takes the place of the deferred answer.
func (r *reply) send(ctx context.Context, p payload) (string, error) {
	if r.expired() {
		return "", errExpired
	}
	if r.private {
		p.Flags |= discordgo.MessageFlagsEphemeral
	}
	app := r.app()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.filled || r.quiet {
		return r.a.api.followUp(ctx, app, r.i.Token, p)
	}
	ref, err := r.a.api.editByToken(ctx, app, r.i.Token, "@original", p, false)
	if isCode(err, discordgo.ErrCodeUnknownMessage) { // somebody deleted it
		ref, err = r.a.api.followUp(ctx, app, r.i.Token, p)
	}
	r.filled = err == nil // else the promise still stands there
	return ref, err
}

func (r *reply) app() string { return firstOf(r.i.App, r.a.own().App) }

// whisper shows something to the one person alone: as an ephemeral message, or
// directly where that is not possible any more.
func (a *app) whisper(ctx context.Context, r request, p payload) {
	if r.reply != nil {
		if err := r.reply.whisper(ctx, p); err == nil {
			return
		}
	}
	if err := a.directly(ctx, r.who.ID, p); err != nil {
		a.log.Error("somebody could not be told something", "error", err)
	}
}

// whisper is send, for the person alone. A promise to answer for everybody that was
// not kept yet is taken back: what follows it first would be seen by all.
func (r *reply) whisper(ctx context.Context, p payload) error {
	if r.private || r.i.Guild == "" {
		_, err := r.send(ctx, p)
		return err
	}
	if r.expired() {
		return errExpired
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.filled && !r.quiet {
		if err := r.a.api.deleteByToken(ctx, r.app(), r.i.Token, "@original"); err != nil {
			return err
		}
		r.filled = true
	}
	p.Flags |= discordgo.MessageFlagsEphemeral
	_, err := r.a.api.followUp(ctx, r.app(), r.i.Token, p)
	return err
}

// tell shows something that is no secret: to the person alone where that is
// possible, else as a reply.
func (a *app) tell(ctx context.Context, r request, p payload) {
	if r.reply != nil {
		a.whisper(ctx, r, p)
		return
	}
	p.Reference = referTo(r)
	if _, err := a.api.post(ctx, r.channel, nonce("tell", r.asked), p); err != nil && !shut(err) {
		a.log.Error("somebody could not be told something", "error", err)
	}
}

// directly writes to a person.
func (a *app) directly(ctx context.Context, id string, p payload) error {
	channel, err := a.api.openDirect(ctx, id)
	if err != nil {
		return err
	}
	p.Flags &^= discordgo.MessageFlagsEphemeral
	p.Reference = nil
	_, err = a.api.post(ctx, channel, "", p)
	return err
}

// referTo makes a message the reply to the one that asked.
func referTo(r request) *reference {
	if r.asked == "" {
		return nil
	}
	return &reference{Message: r.asked, Channel: r.channel}
}
