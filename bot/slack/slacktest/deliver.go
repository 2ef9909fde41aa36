package slacktest

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// Delivery is one event, command or interaction on its way to an app.
type Delivery struct {
	ID       string // event_id, or an id of this server for what has none
	App      string
	Type     string // events_api, slash_commands or interactive
	Event    string // app_mention, message.im, block_actions, /ask …
	Payload  json.RawMessage
	Attempts []Attempt
	Acked    bool
	Lost     bool            // given up: no ack came in time, and no retry is left
	Response json.RawMessage // what came with the ack
}

// Attempt is one try to deliver.
type Attempt struct {
	Envelope string // envelope_id, for Socket Mode
	Socket   int    // number of the socket; 0 over HTTP, or when none was open
	Reason   string // retry_reason of this try, empty for the first
	Sent     time.Time
	Latency  time.Duration // real time from sending to ack; 0 without ack
	Status   int           // HTTP status of the answer
	Error    string
}

type delivery struct {
	Delivery
	to     *appState
	in     *install
	done   chan struct{}         // closed by the ack
	then   func(json.RawMessage) // what Slack does with the response, under the mutex
	failed func()                // what a person sees when nothing came, under the mutex
	sent   map[string]time.Time  // real time of sending, by envelope
	rule   *Disturbance
	at     time.Time // when it was queued
}

// emit queues an event for an installation, if it is subscribed.
func (s *Server) emit(in *install, event string, inner object, ch *Channel) {
	if in.subscribed(event) {
		s.emitTo(in, event, inner, ch)
	}
}

// emitTo queues an event whether the installation wants it or not.
func (s *Server) emitTo(in *install, event string, inner object, ch *Channel) string {
	id := s.nextID("Ev")
	outer := object{"token": "verification", "team_id": in.team, "api_app_id": in.app.ID, "type": "event_callback", "event": inner,
		"event_id": id, "event_time": s.clock.Now().Unix(), "event_context": "4-" + id,
		"is_ext_shared_channel": ch != nil && ch.ExtShared, "authorizations": []object{{"enterprise_id": nil,
			"team_id": in.team, "user_id": in.bot, "is_bot": true, "is_enterprise_install": false}}}
	if ch != nil {
		outer["context_team_id"] = ch.Team
	}
	return s.enqueue(&delivery{Delivery: Delivery{ID: id, App: in.app.ID, Type: "events_api", Event: event, Payload: rawOf(outer)}, in: in})
}

// emitAll emits an event of a workspace to every app that is installed there.
func (s *Server) emitAll(event, team string, inner object) {
	for _, id := range sortedKeys(s.apps) {
		for _, in := range s.apps[id].installs {
			if in.team == team {
				s.emit(in, event, inner, nil)
			}
		}
	}
}

func (s *Server) enqueue(d *delivery) string {
	d.at = s.clock.Now()
	d.to, d.done, d.sent = d.in.app, make(chan struct{}), map[string]time.Time{}
	d.rule = s.disturb(d)
	s.deliveries = append(s.deliveries, d)
	s.byID[d.ID] = d
	d.to.queue = append(d.to.queue, d)
	if !d.to.running {
		d.to.running = true
		s.run(func() { s.dispatch(d.to) })
	}
	select {
	case d.to.wake <- struct{}{}:
	default:
	}
	s.touch()
	return d.ID
}

// dispatch makes the first try of each delivery of an app, in order. The mutex
// is not held.
func (s *Server) dispatch(a *appState) {
	for {
		d := s.nextDelivery(a)
		if d == nil {
			select {
			case <-a.wake:
				continue
			case <-s.ctx.Done():
				return
			}
		}
		if d.rule != nil && d.rule.Delay > 0 {
			s.runUnlocked(func() {
				if s.clock.Until(s.ctx, d.at.Add(d.rule.Delay)) {
					s.start(d)
				}
			})
			continue
		}
		s.start(d)
	}
}

// start makes the first try and leaves waiting and retries to a goroutine. The
// mutex is not held.
func (s *Server) start(d *delivery) {
	copies := 1
	if d.rule != nil {
		copies += d.rule.Repeat
	}
	reason, ok := "", false
	for range copies {
		reason, ok = s.try(d, 0, "")
	}
	s.runUnlocked(func() { s.follow(d, reason, ok) })
}

// follow waits for the ack and retries. The mutex is not held.
func (s *Server) follow(d *delivery, reason string, sent bool) {
	for attempt := 0; ; attempt++ {
		if sent && s.waitAck(d) {
			return
		}
		if sent {
			reason = "timeout"
		}
		if d.Type != "events_api" || attempt >= len(s.options.retryDelays) || s.stopped(d) {
			s.giveUp(d)
			return
		}
		if !s.clock.Until(s.ctx, s.clock.Now().Add(s.options.retryDelays[attempt])) {
			return
		}
		if s.isDone(d) {
			return
		}
		reason, sent = s.try(d, attempt+1, reason)
	}
}

func (s *Server) waitAck(d *delivery) bool {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	timeout := s.clock.After(ctx, s.runUnlocked, s.sentAt(d).Add(s.options.ackTimeout))
	select {
	case <-d.done:
		return true
	case <-timeout:
		return s.isDone(d)
	case <-s.ctx.Done():
		return true
	}
}

// sentAt is when the last try went out.
func (s *Server) sentAt(d *delivery) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(d.Attempts) == 0 {
		return s.clock.Now()
	}
	return d.Attempts[len(d.Attempts)-1].Sent
}

func (s *Server) isDone(d *delivery) bool {
	select {
	case <-d.done:
		return true
	default:
		return false
	}
}

func (s *Server) giveUp(d *delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.Acked || s.closed {
		return
	}
	d.Lost = true
	if d.failed != nil {
		d.failed()
	}
	s.touch()
}

// acked takes the ack of an envelope. The mutex is not held.
func (s *Server) acked(envelope string, response json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.deliveries {
		if at, ok := d.sent[envelope]; ok {
			s.finish(d, envelope, at, response)
		}
	}
	s.touch()
}

func (s *Server) finish(d *delivery, envelope string, at time.Time, response json.RawMessage) {
	i := slices.IndexFunc(d.Attempts, func(a Attempt) bool { return a.Envelope == envelope })
	if i >= 0 && d.Attempts[i].Latency == 0 {
		d.Attempts[i].Latency = max(time.Since(at), 1)
	}
	if d.Acked || d.Lost {
		return // too late, or the ack of a repeat
	}
	d.Acked, d.Response = true, response
	close(d.done)
	if d.then != nil {
		d.then(response)
	}
}

// Deliveries returns everything that was sent to apps, or only the deliveries
// of one event or command.
func (s *Server) Deliveries(event string) []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Delivery
	for _, d := range s.deliveries {
		if event == "" || d.Event == event || d.Type == event {
			out = append(out, d.copy())
		}
	}
	return out
}

// Delivery returns one delivery by its id, as the senders give it.
func (s *Server) Delivery(id string) (Delivery, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok := s.byID[id]
	if !ok {
		return Delivery{}, false
	}
	return d.copy(), true
}

func (d *delivery) copy() Delivery {
	out := d.Delivery
	out.Attempts = slices.Clone(d.Attempts)
	return out
}
