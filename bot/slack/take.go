package slack

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// take puts what Slack sent into the queue and gives what the acknowledgement
// says. It reads and waits for nothing. Where there is no room, ok is false and
// Slack sends it again.
func (a *app) take(e envelope) (reply any, ok bool) {
	began := time.Now()
	defer func() {
		if took := time.Since(began); took > time.Second {
			a.opts.Counter.Add("slack_acks_late_total", "")
		}
	}()
	a.opts.Counter.Add("slack_events_total", e.kind)
	a.mu.Lock()
	ended := a.base.Err() != nil
	a.mu.Unlock()
	if ended { // nobody would handle it: the next start gets it
		return nil, false
	}
	switch e.kind {
	case "events_api":
		return a.takeEvent(e)
	case "slash_commands":
		return a.takeCommand(e)
	case "interactive":
		return a.takeInteraction(e)
	}
	return nil, true // nothing that we know
}

// noted is closed when the ledger knows of an event, or need not. Until then it is
// not acknowledged, as long as Slack has the patience: an event that was taken by a
// process that died is sent again.
type noted <-chan struct{}

// notedTime is how long an acknowledgement waits. Slack gives it three seconds.
const notedTime = 2 * time.Second

// wait returns when the event is to be acknowledged; an error tells that it is not.
func (n noted) wait(ctx context.Context) error {
	timer := time.NewTimer(notedTime)
	defer timer.Stop()
	select {
	case <-n:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func (a *app) takeEvent(e envelope) (any, bool) {
	o, ev, err := parseEvent(e.payload)
	if err != nil {
		a.log.Warn("an event cannot be read", "error", err)
		return nil, true // it would not be better the next time
	}
	if own := a.own().Team; own != "" && o.Team != "" && o.Team != own && o.Team != a.own().Enterprise {
		a.log.Warn("an event is for another workspace", "team", o.Team)
		return nil, true
	}
	do, known := handlers[ev.key()]
	if !known {
		return nil, true
	}
	if memberMoved(ev) { // before anything else is said there
		a.places.moved(ev.channel())
	} else if readersChanged(ev) {
		a.places.changed(ev.channel())
	}
	done := make(chan struct{})
	ev.noted = sync.OnceFunc(func() { close(done) })
	if !a.queue.Offer(ev.channel(), ev.key(), func(ctx context.Context) {
		defer ev.noted()
		do(a, ctx, ev)
	}) {
		a.opts.Counter.Add("slack_queue_full_total", "")
		return nil, false
	}
	if ev.Type != "message" && ev.Type != "app_mention" {
		return nil, true // nobody misses it
	}
	return noted(done), true
}

// takeCommand acknowledges a command with a first word to the person.
func (a *app) takeCommand(e envelope) (any, bool) {
	var s slash
	if err := json.Unmarshal(e.payload, &s); err != nil {
		a.log.Warn("a command cannot be read", "error", err)
		return nil, true
	}
	var word any
	if s.asks() {
		word = quietly(a.people.known(s.User).say("Looking for an answer…"))
	}
	if !a.queue.Offer(s.Channel+"/"+s.User, s.Command, func(ctx context.Context) { a.commanded(ctx, s) }) {
		return quietly("I have too much to do at the moment. Please ask again in a minute."), true
	}
	return word, true
}

// quietly is a reply that only the person sees.
func quietly(text string) any {
	return map[string]string{"response_type": "ephemeral", "text": text}
}

func (a *app) takeInteraction(e envelope) (any, bool) {
	var i interaction
	if err := json.Unmarshal(e.payload, &i); err != nil {
		a.log.Warn("an interaction cannot be read", "error", err)
		return nil, true
	}
	return nil, a.queue.Offer(i.Channel.ID+"/"+i.User.ID, i.Type, func(ctx context.Context) { a.interacted(ctx, i) })
}
