package httpapi

import (
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// handler answers a request, or returns why not before it wrote anything.
type handler func(http.ResponseWriter, *http.Request) error

// held is a handler that knows who asks.
type held func(http.ResponseWriter, *http.Request, Holder) error

var (
	errNoRoute   = core.Errorf(core.KindNotFound, "There is nothing at this address; docs/openapi.yaml lists what there is.")
	errNoToken   = withStatus(http.StatusUnauthorized, core.KindDenied, "The request has no bearer token; send the header Authorization: Bearer TOKEN with a token of footnote token create.")
	errBadToken  = withStatus(http.StatusUnauthorized, core.KindDenied, "The bearer token is not known or was revoked; make another with footnote token create.")
	errBadMethod = withStatus(http.StatusMethodNotAllowed, core.KindUsage, "This address does not take that method; the header Allow names the one it takes.")
)

// route is what all routes share: a request id, a limit for each client, the
// method, errors as JSON. An empty method lets every method through.
func (s *Server) route(method string, h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		id := s.opts.NewID()
		rec := &recorder{ResponseWriter: w}
		header := w.Header()
		header.Set("X-Request-Id", id)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cache-Control", "no-store")
		defer func() {
			if fault := recover(); fault != nil {
				s.opts.Log.Error("a request panicked", "request_id", id, "stack", string(debug.Stack()))
				s.fail(rec, r, id, core.Errorf(core.KindInternal, "the request failed"))
			}
			s.opts.Log.Debug("request", "request_id", id, "method", r.Method, "route", r.Pattern,
				"status", rec.status, "took_ms", time.Since(started).Milliseconds())
		}()
		if err := s.guard(rec, r, method, h); err != nil {
			s.fail(rec, r, id, err)
		}
	})
}

func (s *Server) guard(w *recorder, r *http.Request, method string, h handler) error {
	if wait := s.hosts.take(host(r.RemoteAddr)); wait > 0 {
		return tooMany(wait, "This address sends too many requests; wait as long as the header Retry-After says.")
	}
	// Answers that take long lift this when the request is there. Not every writer
	// has deadlines; the limit on the size holds in any case.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.opts.Patience))
	get := method == http.MethodGet && r.Method == http.MethodHead
	if method != "" && r.Method != method && !get {
		w.Header().Set("Allow", method)
		return errBadMethod
	}
	return h(w, r)
}

// withToken lets only requests through whose token is known.
func (s *Server) withToken(h held) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		secret, err := bearer(r)
		if err != nil {
			return err
		}
		holder, err := s.opts.Tokens.Holder(r.Context(), secret)
		if core.KindOf(err) == core.KindNotFound {
			return errBadToken
		}
		if err != nil {
			return err
		}
		if wait := s.tokens.take(holder.Token); wait > 0 {
			return tooMany(wait, "This token sends too many requests; wait as long as the header Retry-After says.")
		}
		return h(w, r, holder)
	}
}

func bearer(r *http.Request) (string, error) {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	secret = strings.TrimSpace(secret)
	if !strings.EqualFold(scheme, "Bearer") || secret == "" {
		return "", errNoToken
	}
	return secret, nil
}

// host is the address without the port. Behind a proxy all clients share one;
// their tokens are limited one by one in any case.
func host(remote string) string {
	if h, _, err := net.SplitHostPort(remote); err == nil {
		return h
	}
	return remote
}

// recorder remembers what was sent, so that an error never follows half an
// answer.
type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (s *Server) healthy(w http.ResponseWriter, r *http.Request) error {
	return s.writeJSON(w, http.StatusOK, state{"ok"})
}

func (s *Server) ready(w http.ResponseWriter, r *http.Request) error {
	if s.closing.Load() {
		return core.Errorf(core.KindUnavailable, "Footnote is stopping.")
	}
	if s.opts.Ready != nil {
		if err := s.opts.Ready(r.Context()); err != nil {
			s.opts.Log.LogAttrs(r.Context(), slog.LevelWarn, "not ready", slog.Any("error", err))
			// Anybody may ask this: the reason is for the log only.
			return core.Errorf(core.KindUnavailable, "Footnote is not ready; its log has the reason.")
		}
	}
	return s.writeJSON(w, http.StatusOK, state{"ok"})
}

type state struct {
	Status string `json:"status"`
}
