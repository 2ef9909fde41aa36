package httpapi

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// refusal is an error whose status does not follow from its kind.
type refusal struct {
	why        *core.Error
	status     int
	retryAfter time.Duration
}

func (r *refusal) Error() string { return r.why.Message }
func (r *refusal) Unwrap() error { return r.why }

func withStatus(status int, kind core.Kind, message string) error {
	return &refusal{why: core.Wrap(kind, nil, message), status: status}
}

func tooMany(wait time.Duration, message string) error {
	return &refusal{why: core.Wrap(core.KindBusy, nil, message), status: http.StatusTooManyRequests, retryAfter: wait}
}

// errorBody is how every error leaves.
type errorBody struct {
	Error errorObject `json:"error"`
}

type errorObject struct {
	Kind      core.Kind `json:"kind"`
	Message   string    `json:"message"`
	RequestID string    `json:"request_id"`
	TurnID    string    `json:"turn_id,omitempty"` // of the turn that failed, where there was one
}

// fail writes an error. The text of one that was not made for people stays in
// the log.
func (s *Server) fail(w *recorder, r *http.Request, id string, err error) {
	status := statusOf(core.KindOf(err))
	message := "Something went wrong inside Footnote; the log has the details."
	var e *core.Error
	if errors.As(err, &e) && e.Kind != core.KindInternal {
		message = e.Message
	}
	var own *refusal
	if errors.As(err, &own) {
		status = own.status
	}
	if status >= http.StatusInternalServerError {
		s.opts.Log.Error("request failed", "request_id", id, "route", r.Pattern, "kind", core.KindOf(err), "error", err)
	}
	if w.status != 0 {
		return // the answer has begun: the connection ends without its last event
	}
	switch {
	case status == http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case own != nil && own.retryAfter > 0:
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(own.retryAfter.Seconds()))))
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", strconv.Itoa(secondsIfCrowd))
	}
	var turn string
	var failed *turnError
	if errors.As(err, &failed) {
		turn = failed.turn
	}
	_ = s.writeJSON(w, status, errorBody{errorObject{core.KindOf(err), message, id, turn}}) // a client that left reads no error
}

// turnError is a turn that ended without an answer.
type turnError struct {
	why  *core.Error
	turn string
}

func (t *turnError) Error() string { return t.why.Message }
func (t *turnError) Unwrap() error { return t.why }

func statusOf(kind core.Kind) int {
	switch kind {
	case core.KindInvalid, core.KindUsage:
		return http.StatusBadRequest
	case core.KindDenied:
		return http.StatusForbidden
	case core.KindNotFound:
		return http.StatusNotFound
	case core.KindConflict, core.KindCancelled:
		return http.StatusConflict
	case core.KindTooLarge:
		return http.StatusRequestEntityTooLarge
	case core.KindBusy:
		return http.StatusTooManyRequests
	case core.KindUnavailable, core.KindLocked:
		return http.StatusServiceUnavailable
	case core.KindTimeout:
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}

// writeJSON writes one JSON object as the whole answer.
func (s *Server) writeJSON(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	// A client that reads nothing must not hold the connection for ever.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerPatience)) // not every writer has one
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
