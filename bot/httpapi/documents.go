package httpapi

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Pusher is a source that a bearer token may push documents to.
type Pusher struct {
	Token  string // the token's name
	Source string
	// HostAccess tells that the source's own row says who may read a document that
	// states no access; otherwise such a document is refused.
	HostAccess bool
}

// Pushes takes documents in.
type Pushes interface {
	// Pusher finds the source of a token by its secret. The error is of kind
	// not_found for a token that does not exist or has ended, of kind denied for one
	// that speaks for a person.
	Pusher(ctx context.Context, secret string) (Pusher, error)
	// Push makes the documents part of the source. What it returns is true then.
	Push(ctx context.Context, source string, p core.Push) (core.Pushed, error)
}

const (
	maxPush      = 32 << 20        // bytes of a request
	pushPatience = 2 * time.Minute // for a request to arrive whole
	pushesAtOnce = 4               // that are held in memory
)

var errWrongSource = core.Errorf(core.KindDenied, "This token may push to another source than the one that the parameter source names.")

// withPusher lets only requests through whose token is bound to a source.
func (s *Server) withPusher(h func(http.ResponseWriter, *http.Request, Pusher) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		secret, err := bearer(r)
		if err != nil {
			return err
		}
		by, err := s.opts.Pushes.Pusher(r.Context(), secret)
		if core.KindOf(err) == core.KindNotFound {
			return errBadToken
		}
		if err != nil {
			return err
		}
		if wait := s.tokens.take(by.Token); wait > 0 {
			return tooMany(wait, "This token sends too many requests; wait as long as the header Retry-After says.")
		}
		return h(w, r, by)
	}
}

// push takes in what a request brings. The answer comes when all of it is
// committed and can be searched; a client that leaves before stops the rest, and
// sends the same again to be sure.
func (s *Server) push(w http.ResponseWriter, r *http.Request, by Pusher) error {
	if source := r.URL.Query().Get("source"); source != "" && source != by.Source {
		return errWrongSource
	}
	select {
	case s.pushing <- struct{}{}:
		defer func() { <-s.pushing }()
	default:
		return tooMany(secondsIfCrowd*time.Second, "Too many pushes are being taken in; wait as long as the header Retry-After says.")
	}
	raw, err := readPush(w, r)
	if err != nil {
		return err
	}
	p, err := ReadPush(r.Header.Get("Content-Type"), raw, by.HostAccess)
	if err != nil {
		return err
	}
	done, err := s.opts.Pushes.Push(r.Context(), by.Source, p.Push)
	if err != nil {
		return err
	}
	return s.writeJSON(w, http.StatusOK, p.Answer(by.Source, done))
}

func readPush(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > maxPush {
		return nil, errPushTooLarge // before the client has sent all of it
	}
	// Not every writer has deadlines; the limit on the size holds in any case.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(pushPatience))
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPush))
	if tooLarge(err) {
		return nil, errPushTooLarge
	}
	if err != nil {
		return nil, core.Wrap(core.KindInvalid, err, "The request's body could not be read to its end; send it again.")
	}
	return raw, nil
}

var errPushTooLarge = core.Errorf(core.KindTooLarge, "The request's body is larger than %d MiB; send the documents in several requests.", maxPush>>20)

// PushAnswer is what a push answers.
type PushAnswer struct {
	Source    string       `json:"source"`
	Documents []PushedItem `json:"documents"` // in the order of the request
	Removed   int          `json:"removed"`
	Held      int          `json:"held"`
	Notes     []string     `json:"notes"`
}

// PushedItem is what became of one document.
type PushedItem struct {
	ID      string           `json:"id"`
	Outcome core.PushOutcome `json:"outcome"`
	Kind    core.Kind        `json:"kind,omitempty"`
	Message string           `json:"message,omitempty"`
}

// Answer puts together what was refused and what was done.
func (p PushRequest) Answer(source string, done core.Pushed) PushAnswer {
	a := PushAnswer{Source: source, Documents: []PushedItem{}, Removed: done.Removed, Held: done.Held, Notes: append(p.notes, done.Notes...)}
	for _, one := range p.items {
		if d, ok := done.Documents[one.ID]; ok && one.Outcome == "" {
			one.Outcome, one.Kind, one.Message = d.Outcome, d.Kind, d.Reason
		}
		if one.Outcome == "" { // nothing is said of it: then it is not known to be done
			one.Outcome, one.Kind, one.Message = core.PushFailed, core.KindInternal, "It was not taken in; send it again."
		}
		a.Documents = append(a.Documents, one)
	}
	return a
}
