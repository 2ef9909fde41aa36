package httpapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// again is the body of a request to answer something once more.
type again struct {
	Agent  string `json:"agent"`
	Stream *bool  `json:"stream"`
}

// longestID bounds the ids that a client sends back to us.
const longestID = 200

// turn finds a turn of the holder's. One of somebody else looks as if it did
// not exist.
func (s *Server) turn(r *http.Request, h Holder, id string) (*bot.Running, error) {
	turn, err := s.opts.Desk.Find(r.Context(), clean(id))
	if err != nil && core.KindOf(err) != core.KindNotFound {
		return nil, err
	}
	if err != nil || !mine(h, turn) {
		return nil, core.Errorf(core.KindNotFound, "There is no turn %q.", shortened(id))
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

// shortened is an id as a message repeats it.
func shortened(id string) string {
	if len(id) > longestID {
		return strings.ToValidUTF8(id[:longestID], "") + "…"
	}
	return id
}

const placePrefix = "http:"

func place(h Holder, thread string) core.Place {
	return core.Place{ID: placePrefix + h.Token, Platform: "http", Kind: core.PlaceDirect, Thread: thread}
}

// mine tells whether the turn was asked over HTTP by the same person.
func mine(h Holder, turn *bot.Running) bool {
	return strings.HasPrefix(turn.Place, placePrefix) && turn.Asker == h.Viewer.Email &&
		(turn.Asker != "" || turn.Place == place(h, "").ID)
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
	hidden, err := s.stillAllowed(r, h, turn)
	if err != nil {
		return err
	}
	return s.stream(w, r, turn, from, hidden)
}

// stillAllowed refuses a turn that is shown again where the asker may no longer
// know it or something that it rests on may no longer be read, cited or not and
// however the turn ended: what was allowed when it was made does not count. It
// returns the other documents that the turn named and that may not be named any
// more.
func (s *Server) stillAllowed(r *http.Request, h Holder, turn *bot.Running) (hidden map[string]bool, err error) {
	here := place(h, turn.Thread)
	if !turn.KnownTo(here, h.Viewer) {
		return nil, errClosed
	}
	finished := turn.Finished()
	if finished {
		if err := turn.Settled(r.Context()); err != nil {
			return nil, err
		}
	}
	found, under := turn.Documents()
	if !finished {
		under = nil // its reader gets the rest in any case
	}
	readable, err := s.opts.Searcher.Readable(r.Context(), Reader{h.Viewer, bot.AudienceOf(here, h.Viewer)}, slices.Concat(under, found))
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(under, func(id string) bool { return !readable[id] }) {
		return nil, errClosed
	}
	hidden = map[string]bool{}
	for _, id := range found {
		hidden[id] = !readable[id]
	}
	return hidden, nil
}

// without leaves the hidden documents out of an event.
func without(e core.Event, hidden map[string]bool) core.Event {
	found, ok := e.(core.DocumentsFound)
	if !ok || len(hidden) == 0 {
		return e
	}
	shown := []core.DocumentRef{}
	for _, d := range found.Documents {
		if !hidden[d.DocumentID] {
			shown = append(shown, d)
		}
	}
	return core.DocumentsFound{Documents: shown}
}

// stillHolds tells whether the request's token is still good and its holder may
// still know the turn; the error says what a stream ends with.
func (s *Server) stillHolds(r *http.Request, turn *bot.Running) error {
	secret, err := bearer(r)
	if err != nil {
		return err
	}
	h, err := s.opts.Tokens.Holder(r.Context(), secret)
	switch {
	case core.KindOf(err) == core.KindNotFound:
		return errBadToken
	case err != nil:
		return err
	case !turn.KnownTo(place(h, turn.Thread), h.Viewer):
		return errClosed
	}
	return nil
}

var errClosed = core.Errorf(core.KindDenied, "A source of this answer is gone or may no longer be read; ask the question again.")
