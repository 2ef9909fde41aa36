package httpapi

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
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

// again is the body of a request to answer something once more.
type again struct {
	Agent  string `json:"agent"`
	Stream *bool  `json:"stream"`
}

// longestID bounds ids that a client sends back to us.
const longestID = 200

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
		return core.Agent{}, core.Errorf(core.KindInvalid, "The field \"agent\" names no agent of this install: %q.", name)
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
			return "", core.Errorf(core.KindNotFound, "There is no thread %q.", m.ThreadID)
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

// turn finds a turn of the holder's. One of somebody else looks as if it did
// not exist.
func (s *Server) turn(r *http.Request, h Holder, id string) (*bot.Running, error) {
	turn, err := s.opts.Desk.Find(r.Context(), clean(id))
	if err != nil && core.KindOf(err) != core.KindNotFound {
		return nil, err
	}
	if err != nil || !mine(h, turn) {
		return nil, core.Errorf(core.KindNotFound, "There is no turn %q.", id)
	}
	return turn, nil
}

// clean makes an id that cannot exist of one that is too long to look for.
func clean(id string) string {
	if len(id) > longestID || strings.ContainsRune(id, 0) {
		return "\uFFFD"
	}
	return id
}

const placePrefix = "http:"

func place(h Holder, thread string) core.Place {
	return core.Place{ID: placePrefix + h.Token, Platform: "http", Kind: core.PlaceDirect, Thread: thread}
}

// mine tells whether the turn was asked over HTTP by the same person, who may
// still know what it was made of.
func mine(h Holder, turn *bot.Running) bool {
	here := place(h, turn.Thread)
	return strings.HasPrefix(turn.Place, placePrefix) && turn.Asker == h.Viewer.Email &&
		(turn.Asker != "" || turn.Place == here.ID) && turn.KnownTo(here, h.Viewer)
}

// stopped is the answer to a request to stop.
type stopped struct {
	TurnID string `json:"turn_id"`
	State  string `json:"state"` // stopping, finished
}

func (s *Server) stop(w http.ResponseWriter, r *http.Request, h Holder) error {
	turn, err := s.turn(r, h, r.PathValue("id"))
	if err != nil {
		return err
	}
	out := stopped{turn.ID, "finished"}
	if !turn.Finished() {
		out.State = "stopping"
		// What is not at the desk any more has ended meanwhile.
		if err := s.opts.Desk.Stop(turn.ID); err != nil && core.KindOf(err) != core.KindNotFound {
			return err
		}
	}
	return s.writeJSON(w, http.StatusOK, out)
}

// regenerate asks a question again, as a sibling of its turn.
func (s *Server) regenerate(w http.ResponseWriter, r *http.Request, h Holder) error {
	var body again
	if err := readBody(w, r, &body, true); err != nil {
		return err
	}
	old, err := s.turn(r, h, r.PathValue("id"))
	if err != nil {
		return err
	}
	if !old.Finished() {
		return core.Errorf(core.KindConflict, "The turn %q is still running; stop it first.", old.ID)
	}
	agent := old.Agent
	if body.Agent != "" {
		if agent, err = s.agent(body.Agent); err != nil {
			return err
		}
	}
	t, err := s.opts.Turns.Turn(r.Context(), old.ID)
	if core.KindOf(err) == core.KindNotFound {
		return core.Errorf(core.KindConflict, "The turn %q was stopped before it began and was not kept; send its question anew.", old.ID)
	}
	if err != nil {
		return err
	}
	q := core.Question{Text: t.Question, Parent: t.Parent, Agent: agent, Viewer: h.Viewer, Place: place(h, t.Thread)}
	if t.Parent == "" {
		q.History = []core.Turn{} // the first of its thread, again without anything before it
	}
	turn, err := s.opts.Desk.Ask(r.Context(), q, bot.Wait)
	if err != nil {
		return err
	}
	return s.answer(w, r, turn, body.Stream)
}

// events attaches to a turn, running or not.
func (s *Server) events(w http.ResponseWriter, r *http.Request, h Holder) error {
	from := 0
	if list, ok := r.URL.Query()["from"]; ok {
		n, err := strconv.Atoi(list[0])
		if err != nil || n < 0 {
			return core.Errorf(core.KindInvalid, "The parameter \"from\" must be a whole number from 0 on: how many events were seen already.")
		}
		from = n
	}
	turn, err := s.turn(r, h, r.PathValue("id"))
	if err != nil {
		return err
	}
	if err := s.stillAllowed(r, h, turn); err != nil {
		return err
	}
	return s.stream(w, r, turn, from)
}

// stillAllowed refuses an answer that is shown again where a source of it may no
// longer be read: what was allowed when it was made does not count.
func (s *Server) stillAllowed(r *http.Request, h Holder, turn *bot.Running) error {
	if !turn.Finished() {
		return nil
	}
	last, err := turn.Wait(r.Context())
	if err != nil {
		return err
	}
	done, _ := last.(core.Done)
	audience := bot.AudienceOf(place(h, turn.Thread), h.Viewer)
	for _, c := range done.Citations {
		visible, err := s.opts.Searcher.Visible(r.Context(), audience, c.DocumentID)
		if err != nil {
			return err
		}
		if !visible {
			return core.Errorf(core.KindDenied, "A source of this answer is gone or may no longer be read; ask the question again.")
		}
	}
	return nil
}

// answer waits for the turn or streams it, as the client wishes. The turn goes
// on if the client leaves.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, turn *bot.Running, stream *bool) error {
	wants := slices.ContainsFunc(r.Header.Values("Accept"), func(v string) bool { return strings.Contains(v, ndjson) })
	if stream != nil {
		wants = *stream
	}
	if wants {
		return s.stream(w, r, turn, 0)
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // see guard
	last, err := turn.Wait(r.Context())
	if err != nil {
		return nil // nobody is there to be told
	}
	switch e := last.(type) {
	case core.Done:
		return s.writeJSON(w, http.StatusOK, answered{e.Answer, turn.Thread})
	case core.Failed:
		return &turnError{core.Errorf(e.Kind, "%s", e.Message), turn.ID}
	}
	return core.Errorf(core.KindInternal, "a turn ended with an event of type %s", last.EventType())
}

// answered is the answer object with what a client needs to go on.
type answered struct {
	core.Answer
	ThreadID string `json:"thread_id"`
}
