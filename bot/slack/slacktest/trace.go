package slacktest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Trace lists every call of the Web API and every try of a delivery in order,
// one a line, for a person who looks for what went wrong.
func (s *Server) Trace() string {
	type entry struct {
		at   time.Time
		text string
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []entry
	for _, c := range s.calls {
		all = append(all, entry{c.At, fmt.Sprintf("call  %s %s: %s", c.Method, where(c.Params), or(c.Error, "ok"))})
	}
	for _, d := range s.deliveries {
		for n, a := range d.Attempts {
			all = append(all, entry{a.Sent, fmt.Sprintf("event %s %s, try %d %s", d.Event, d.ID, n+1, d.outcome(a))})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return a.at.Compare(b.at) })
	var out strings.Builder
	for _, e := range all {
		fmt.Fprintf(&out, "%s %s\n", e.at.UTC().Format("15:04:05.000"), e.text)
	}
	return out.String()
}

// where picks what says most about a call.
func where(p map[string]string) string {
	var out []string
	for _, key := range []string{"channel", "channel_id", "user", "thread_ts", "ts", "status"} {
		if p[key] != "" {
			out = append(out, key+"="+p[key])
		}
	}
	return strings.Join(out, " ")
}

func (d *delivery) outcome(a Attempt) string {
	out := fmt.Sprintf("on socket %d", a.Socket)
	if a.Status != 0 {
		out = fmt.Sprintf("over HTTP, status %d", a.Status)
	}
	switch {
	case a.Latency > 0:
		out += fmt.Sprintf(": acked after %v", a.Latency.Round(time.Microsecond))
	case a.Error != "":
		out += ": " + a.Error
	case d.Lost:
		out += ": no ack, given up"
	default:
		out += ": no ack"
	}
	return out
}
