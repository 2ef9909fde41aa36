package slacktest

import (
	"slices"
	"time"
)

// statusLife is how long a status stays when nothing clears it.
const statusLife = 2 * time.Minute

type threadKey struct{ app, channel, ts string }

// thread is what an app has told about one thread of its.
type thread struct {
	status  string
	loading []string
	at      time.Time
	title   string
	prompts []Prompt
	heading string
	session string // status of the agent session, empty when there is none
	agent   string // title of the session
}

// StatusChange is one change of a thread's status, also those that Slack makes
// itself: a post clears it.
type StatusChange struct {
	Channel, Thread, Status string
	Loading                 []string
	At                      time.Time
	By                      string // app or slack
}

// Prompt is one suggested prompt.
type Prompt struct {
	Title   string `json:"title"`
	Message string `json:"message"`
}

func (s *Server) thread(app, channel, ts string) *thread {
	key := threadKey{app, channel, ts}
	if s.threads[key] == nil {
		s.threads[key] = &thread{}
	}
	return s.threads[key]
}

// threadOf checks channel_id and thread_ts. A thread may be one that only the
// pane knows: Slack gives it a time stamp before the first message.
func (c *call) threadOf() (*Channel, *thread, error) {
	ch, err := c.visible(c.str("channel_id"))
	if err != nil {
		return nil, nil, err
	}
	if !ch.has(c.in.bot) {
		return nil, nil, refuse("not_in_channel")
	}
	ts := c.str("thread_ts")
	if _, ok := parseTS(ts); ts != "" && !ok {
		return nil, nil, refuse("invalid_thread_ts")
	}
	if ts == "" && ch.Kind != DirectMessage {
		return nil, nil, refuse("invalid_thread_ts")
	}
	if ch.Kind != DirectMessage && c.find(ch.ID, ts) == nil {
		return nil, nil, refuse("invalid_thread_ts")
	}
	return ch, c.thread(c.in.app.ID, ch.ID, ts), nil
}

func (c *call) setStatus() (object, error) {
	ch, t, err := c.threadOf()
	if err != nil {
		return nil, err
	}
	t.status, t.loading, t.at = c.str("status"), c.words("loading_messages"), c.clock.Now()
	if units(t.status) > 50*4 {
		return nil, refuse("invalid_arguments", "must be less than 201 characters [json-pointer:/status]")
	}
	c.statuses = append(c.statuses, StatusChange{ch.ID, c.str("thread_ts"), t.status, t.loading, t.at, "app"})
	return nil, nil
}

// clearStatus is what a post of the app does to the status of its thread.
func (s *Server) clearStatus(channel string, m *message) {
	for _, ts := range []string{m.thread, ""} {
		t := s.threads[threadKey{m.in.app.ID, channel, ts}]
		if t != nil && t.status != "" && (m.stream == nil || m.stream.state != streamOpen) {
			t.status, t.loading = "", nil
			s.statuses = append(s.statuses, StatusChange{channel, ts, "", nil, s.clock.Now(), "slack"})
		}
	}
}

func (c *call) setTitle() (object, error) {
	_, t, err := c.threadOf()
	if err != nil {
		return nil, err
	}
	t.title = c.str("title")
	return nil, nil
}

func (c *call) setPrompts() (object, error) {
	_, t, err := c.threadOf()
	if err != nil {
		return nil, err
	}
	var prompts []Prompt
	if given, err := c.decode("prompts", &prompts); err != nil || !given || len(prompts) == 0 {
		return nil, refuse("invalid_arguments", "must provide a list of prompts [json-pointer:/prompts]")
	}
	if len(prompts) > 4 {
		return nil, refuse("invalid_arguments", "no more than 4 items allowed [json-pointer:/prompts]")
	}
	t.prompts, t.heading = prompts, c.str("title")
	return nil, nil
}

func (c *call) setSession() (object, error) {
	status := c.str("status")
	if !slices.Contains([]string{"active", "processing", "suspended", "closed"}, status) {
		return nil, refuse("invalid_arguments", "must be one of: active, processing, suspended, closed [json-pointer:/status]")
	}
	if !c.in.app.Agent {
		return nil, refuse("not_an_agent")
	}
	_, t, err := c.threadOf()
	if err != nil {
		return nil, err
	}
	if t.session == "" {
		t.agent = cutUnits(c.str("title"), 200)
	}
	t.session = status
	return object{"status": status, "agent_status": status, "title": t.agent}, nil
}

func (c *call) renameSession() (object, error) {
	_, t, err := c.threadOf()
	if err != nil {
		return nil, err
	}
	if t.session == "" {
		return nil, refuse("session_not_found")
	}
	t.agent = cutUnits(c.str("title"), 200)
	return object{"title": t.agent}, nil
}

// Thread is what an app has told about a thread.
type Thread struct {
	Status  string // empty when cleared, overwritten or older than two minutes
	Loading []string
	Title   string
	Heading string // above the prompts
	Prompts []Prompt
	Session string // active, processing, suspended, closed or empty
	Agent   string // the session's title
}

// Thread gives what an app has told about a thread; with several apps, the first
// of them by its id that told something.
func (s *Server) Thread(channel, ts string) Thread {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lookAtThread(channel, ts)
}

func (s *Server) lookAtThread(channel, ts string) Thread {
	var t *thread
	for _, app := range sortedKeys(s.apps) {
		if t = s.threads[threadKey{app, channel, ts}]; t != nil {
			break
		}
	}
	if t == nil {
		return Thread{}
	}
	out := Thread{Status: t.status, Loading: t.loading, Title: t.title, Heading: t.heading,
		Prompts: slices.Clone(t.prompts), Session: t.session, Agent: t.agent}
	if s.clock.Now().Sub(t.at) >= statusLife {
		out.Status, out.Loading = "", nil
	}
	return out
}

// Statuses returns every change of a status so far.
func (s *Server) Statuses() []StatusChange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.statuses)
}
