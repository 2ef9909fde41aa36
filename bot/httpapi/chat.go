package httpapi

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// message is the body of a request to answer something.
type message struct {
	Message  string `json:"message"`
	ThreadID string `json:"thread_id"`
	ParentID string `json:"parent_id"`
	Agent    string `json:"agent"`
	Stream   *bool  `json:"stream"`
	Replace  bool   `json:"replace"`
}

// send answers a question.
func (s *Server) send(w http.ResponseWriter, r *http.Request, h Holder) error {
	var m message
	if err := readBody(w, r, &m, false); err != nil {
		return err
	}
	if err := text("message", m.Message, maxBody); err != nil {
		return err
	}
	agent, err := s.agent(m.Agent)
	if err != nil {
		return err
	}
	thread, err := s.thread(r, h, m)
	if err != nil {
		return err
	}
	policy := bot.Wait
	if m.Replace {
		policy = bot.Replace
	}
	turn, err := s.opts.Desk.Ask(r.Context(), core.Question{
		Text: m.Message, Parent: m.ParentID, Agent: agent, Viewer: h.Viewer, Place: place(h, thread),
	}, policy)
	if err != nil {
		return err
	}
	return s.answer(w, r, turn, m.Stream)
}

// defaultAgent is the name of the agent that answers where none is named.
const defaultAgent = "default"

func (s *Server) agent(name string) (core.Agent, error) {
	agent, ok := s.opts.Agents.Agent(cmp.Or(name, defaultAgent))
	if !ok && name != "" && name != defaultAgent {
		return core.Agent{}, core.Errorf(core.KindInvalid, "The field \"agent\" names no agent of this install: %q.", shortened(name))
	}
	return agent, nil
}

// thread finds the thread that the question belongs to; without one it starts a
// new one.
func (s *Server) thread(r *http.Request, h Holder, m message) (string, error) {
	if m.ThreadID != "" {
		first, err := s.opts.Desk.First(r.Context(), clean(m.ThreadID))
		if err != nil && core.KindOf(err) != core.KindNotFound {
			return "", err
		}
		if err != nil || !mine(h, first) {
			return "", core.Errorf(core.KindNotFound, "There is no thread %q.", shortened(m.ThreadID))
		}
	}
	if m.ParentID == "" {
		if m.ThreadID == "" {
			return s.opts.NewID(), nil
		}
		return m.ThreadID, nil
	}
	parent, err := s.turn(r, h, m.ParentID)
	if err != nil {
		return "", err
	}
	if m.ThreadID != "" && parent.Thread != m.ThreadID {
		return "", core.Errorf(core.KindInvalid, "The field \"parent_id\" names a turn of another thread than \"thread_id\" does.")
	}
	return parent.Thread, nil
}

// answer waits for the turn or streams it, as the client wishes. The turn goes
// on if the client leaves.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, turn *bot.Running, stream *bool) error {
	wants := slices.ContainsFunc(r.Header.Values("Accept"), func(v string) bool { return strings.Contains(v, ndjson) })
	if stream != nil {
		wants = *stream
	}
	if wants {
		return s.stream(w, r, turn, 0, nil)
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // see guard
	last, err := turn.Wait(r.Context())
	if err != nil {
		return nil // nobody is there to be told
	}
	switch e := last.(type) {
	case core.Done:
		return s.writeJSON(w, http.StatusOK, answered{e.Answer, turn.Thread, turn.Notices()})
	case core.Failed:
		return &turnError{core.Errorf(e.Kind, "%s", e.Message), turn.ID}
	}
	return core.Errorf(core.KindInternal, "a turn ended with an event of type %s", last.EventType())
}

// answered is the answer object with what a client needs to go on.
type answered struct {
	core.Answer
	ThreadID string         `json:"thread_id"`
	Notices  []core.Noticed `json:"notices,omitempty"` // what a stream tells as events
}
