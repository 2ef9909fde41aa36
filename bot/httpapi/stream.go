package httpapi

import (
	"net/http"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

const ndjson = "application/x-ndjson"

// stream writes the turn's events from the number from on, each as a line of its
// own that leaves at once, without the hidden documents. It ends early where the
// token is revoked meanwhile, or its holder may not know the turn any more.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, turn *bot.Running, from int, hidden map[string]bool) error {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // see guard
	w.Header().Set("Content-Type", ndjson)
	w.Header().Set("X-Turn-Id", turn.ID)
	w.Header().Set("X-Accel-Buffering", "no") // proxies must not collect lines
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	out := http.NewResponseController(w)
	if err := out.Flush(); err != nil { // the first event may be long in coming
		return nil
	}
	checked := time.Now()
	for e := range turn.Subscribe(r.Context(), from) {
		if now := time.Now(); now.Sub(checked) >= s.opts.Recheck {
			if checked = now; s.stillHolds(r, turn) != nil {
				e = core.Failed{Kind: core.KindDenied, Message: errCut.Message, RequestID: w.Header().Get("X-Request-Id")}
			}
		}
		line, err := core.MarshalEvent(without(e, hidden))
		if err != nil {
			return err
		}
		// The stream itself may take as long as it likes; only a reader that takes
		// nothing at all is dropped. Not every writer has deadlines.
		_ = out.SetWriteDeadline(time.Now().Add(s.opts.Stall))
		if _, err := w.Write(append(line, '\n')); err != nil {
			return nil // the reader has left; the turn goes on
		}
		if err := out.Flush(); err != nil {
			return nil
		}
		if _, over := e.(core.Failed); over {
			return nil
		}
	}
	return nil
}

var errCut = core.Errorf(core.KindDenied, "The token of this request was revoked, or its holder may not read this answer any more.")
