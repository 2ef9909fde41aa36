package adminpages

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"runtime/debug"

	"github.com/footnote-bot/footnote/core"
)

// frame is what every page is given.
type frame struct {
	Title string
	Here  string // the page's name, to mark it in the list of pages
	By    signed
	Form  string
	Done  string // what was just done, in words
	View  any
}

// titles of the pages by template.
var titles = map[string]string{
	"overview": "Overview", "sources": "Sources", "source": "Source", "documents": "Documents", "document": "Document",
	"questions": "Questions", "question": "Question", "gaps": "Knowledge gaps", "feedback": "Feedback",
	"usage": "Usage and cost", "audit": "Audit", "settings": "Settings", "login": "Sign in", "error": "That did not work",
}

// parent is the page in the list of pages to which another one belongs.
var parent = map[string]string{"source": "sources", "document": "documents", "question": "questions"}

// deeds are what a page says after a form was taken, by the word in its address.
var deeds = map[string]string{
	"sync": "The source is being read now.", "hidden": "The document is no longer found.", "shown": "The document is found again.",
	"agent": "The agent is kept.", "removed": "The agent is gone.", "place": "The setting is kept.", "ended": "The session has ended.",
}

func done(w http.ResponseWriter, r *http.Request, to, deed string, with ...string) error {
	q := url.Values{"done": {deed}}
	for i := 0; i+1 < len(with); i += 2 {
		q.Set(with[i], with[i+1])
	}
	http.Redirect(w, r, Base+to+"?"+q.Encode(), http.StatusSeeOther)
	return nil
}

// write makes the page whole before the first byte leaves, so that an error never
// follows half a page.
func (s *Server) write(w http.ResponseWriter, r *http.Request, status int, name string, by signed, view any) error {
	here := name
	if p, ok := parent[name]; ok {
		here = p
	}
	var b bytes.Buffer
	err := s.pages[name].ExecuteTemplate(&b, "layout", frame{
		Title: titles[name], Here: here, By: by, Form: by.form, Done: deeds[r.URL.Query().Get("done")], View: view,
	})
	if err != nil {
		return core.Wrap(core.KindInternal, err, "The page could not be made.")
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a browser that left reads nothing
	return nil
}

// open is what all addresses share: a fault or an error becomes a page.
func (s *Server) open(h func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if fault := recover(); fault != nil {
				s.opts.Log.Error("a page panicked", "path", r.URL.Path, "stack", string(debug.Stack()))
				s.fail(w, r, core.Errorf(core.KindInternal, "the page failed"))
			}
		}()
		if err := h(w, r); err != nil {
			s.fail(w, r, err)
		}
	})
}

type errorPage struct{ Message Long }

func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, message := statusOf(core.KindOf(err)), "Something went wrong inside Footnote; the log has the details."
	var e *core.Error
	if errors.As(err, &e) && e.Kind != core.KindInternal {
		message = err.Error()
	}
	if status >= http.StatusInternalServerError {
		s.opts.Log.Error("a page could not be shown", "path", r.URL.Path, "kind", core.KindOf(err), "error", err)
	}
	by, whoErr := s.who(r)
	if whoErr != nil {
		by = signed{}
	}
	view := &errorPage{Message: Long(message)}
	if s.write(w, r, status, "error", by, cleaned(view)) != nil {
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
	}
}

func statusOf(kind core.Kind) int {
	switch kind {
	case core.KindInvalid, core.KindUsage:
		return http.StatusBadRequest
	case core.KindDenied:
		return http.StatusForbidden
	case core.KindNotFound:
		return http.StatusNotFound
	case core.KindConflict:
		return http.StatusConflict
	case core.KindBusy:
		return http.StatusTooManyRequests
	case core.KindUnavailable, core.KindLocked:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
