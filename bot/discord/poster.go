package discord

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
)

// poster is where the messages of an answer stand.
type poster interface {
	// post shows another message and returns what names it.
	post(ctx context.Context, p payload) (ref string, err error)
	// edit changes one. Where drop is set it is left out rather than late; the error
	// is errDropped then.
	edit(ctx context.Context, ref string, p payload, drop bool) error
	delete(ctx context.Context, ref string) error
}

// channelPoster posts messages of the bot's own.
type channelPoster struct {
	a    *app
	req  *request // its channel may become a thread
	id   string   // of the answer
	next int
	lost bool // Discord may have taken the last message although it did not say so
}

// post keeps the name of a message until Discord said what became of it. So one
// that landed unseen is found by the next one, and takes its content.
func (c *channelPoster) post(ctx context.Context, p payload) (string, error) {
	if c.req.channel != c.req.root { // in a thread, the thread is the context
		p.Reference = referTo(*c.req)
	}
	ref, err := c.a.api.post(ctx, c.req.channel, nonce(c.id, fmt.Sprint(c.next)), p)
	if unsure(err) {
		c.lost = true
		return "", err
	}
	if err == nil && c.lost {
		if err := c.edit(ctx, ref, p, false); err != nil {
			return "", err // the next one finds it again
		}
	}
	c.lost = false
	c.next++
	return ref, err
}

func (c *channelPoster) edit(ctx context.Context, ref string, p payload, drop bool) error {
	return c.a.api.edit(ctx, c.req.channel, ref, p, drop)
}

func (c *channelPoster) delete(ctx context.Context, ref string) error {
	return c.a.api.delete(ctx, c.req.channel, ref)
}

// nonce names a message, so that Discord takes its repetition for the same.
func nonce(parts ...string) string {
	h := fnv.New64a()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p) //nolint:errcheck // a hash never fails
	}
	return fmt.Sprintf("%x", h.Sum64())
}

// tokenPoster answers an interaction. When its time is over, an answer for
// everybody goes on in the channel, and one for the asker alone directly to them.
type tokenPoster struct {
	reply *reply
	later poster // for everybody
	req   *request
	known []string
}

func (t *tokenPoster) post(ctx context.Context, p payload) (string, error) {
	ref, err := t.reply.send(ctx, p)
	if unsure(err) && !t.reply.private {
		if found := t.unseen(ctx, p); found != "" {
			ref, err = found, nil
		}
	}
	t.known = append(t.known, ref)
	if err == nil || err != errExpired && !tokenGone(err) {
		return ref, err
	}
	if !t.reply.private {
		return t.later.post(ctx, p)
	}
	a, r := t.reply.a, t.req
	if !r.direct() { // what one asks in a channel is for those who may read it
		if reads, err := a.facts.reads(ctx, r.guild, r.channel, r.who.ID); err != nil || !reads {
			return "", errRemoved
		}
	}
	a.opts.Counter.Add("discord_late_private_answers_total", "")
	return "", a.directly(ctx, r.who.ID, p)
}

// unseen finds a message for everybody that Discord took without saying so; "" if
// there is none. Follow-ups cannot be named as other messages can.
func (t *tokenPoster) unseen(ctx context.Context, p payload) string {
	a := t.reply.a
	list, err := a.api.before(ctx, t.req.channel, "", 25)
	if err != nil {
		a.log.Warn("it is not known whether a message was posted", "error", err)
		return ""
	}
	for _, m := range list {
		ours := m.author().ID == a.own().User && strings.TrimSpace(m.Content) == strings.TrimSpace(p.sealed().Content)
		if ours && !made(m.ID).Before(made(t.reply.i.ID)) && !contains(t.known, m.ID) {
			return m.ID
		}
	}
	return ""
}

func (t *tokenPoster) edit(ctx context.Context, ref string, p payload, drop bool) error {
	if !t.reply.expired() {
		_, err := t.reply.a.api.editByToken(ctx, t.reply.app(), t.reply.i.Token, ref, p, drop)
		if err == nil || !tokenGone(err) {
			return err
		}
	}
	if t.reply.private {
		return errExpired
	}
	return t.later.edit(ctx, ref, p, drop)
}

func (t *tokenPoster) delete(ctx context.Context, ref string) error {
	if !t.reply.expired() {
		err := t.reply.a.api.deleteByToken(ctx, t.reply.app(), t.reply.i.Token, ref)
		if err == nil || !tokenGone(err) {
			return err
		}
	}
	if t.reply.private {
		return errExpired
	}
	return t.later.delete(ctx, ref)
}
