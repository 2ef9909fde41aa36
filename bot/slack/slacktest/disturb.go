package slacktest

import "time"

// Disturbance is what goes wrong on the way to the app.
type Disturbance struct {
	Event  string        // as in Delivery.Event or Delivery.Type; empty is any
	Times  int           // how many deliveries it hits; 0 is one, less than 0 all
	Drop   bool          // the first try is lost on the way; a retry follows
	Repeat int           // sent so many times more at once, with other envelope ids
	Delay  time.Duration // on the server's clock, without holding up the others
	Behind int           // sent only after so many later deliveries of the app
	left   int
}

type heldDelivery struct {
	d     *delivery
	after int
}

// Disturb makes coming deliveries go wrong.
func (s *Server) Disturb(rule Disturbance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rule.left = rule.Times
	if rule.left == 0 {
		rule.left = 1
	}
	s.disturbed = append(s.disturbed, &rule)
}

// disturb finds the rule for a delivery and uses it up.
func (s *Server) disturb(d *delivery) *Disturbance {
	for _, rule := range s.disturbed {
		if rule.left != 0 && (rule.Event == "" || rule.Event == d.Event || rule.Event == d.Type) {
			rule.left--
			return rule
		}
	}
	return nil
}

// nextDelivery takes what is to be sent next: what was held back long enough,
// then the queue. The mutex is not held.
func (s *Server) nextDelivery(a *appState) *delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, h := range a.held {
		if h.after <= 0 {
			a.held = append(a.held[:i:i], a.held[i+1:]...)
			return h.d
		}
	}
	for len(a.queue) > 0 {
		d := a.queue[0]
		a.queue = a.queue[1:]
		if d.rule != nil && d.rule.Behind > 0 {
			a.held = append(a.held, &heldDelivery{d, d.rule.Behind})
			continue
		}
		for _, h := range a.held {
			h.after--
		}
		return d
	}
	return nil
}
