package adminpages

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func (s *Server) overview(w http.ResponseWriter, r *http.Request, by signed) error {
	v, err := s.opts.Overview.Overview(r.Context())
	if err != nil {
		return err
	}
	return s.write(w, r, http.StatusOK, "overview", by, cleaned(&v))
}

func (s *Server) sources(w http.ResponseWriter, r *http.Request, by signed) error {
	v, err := s.opts.Sources.Sources(r.Context())
	if err != nil {
		return err
	}
	return s.write(w, r, http.StatusOK, "sources", by, cleaned(&v))
}

func (s *Server) source(w http.ResponseWriter, r *http.Request, by signed) error {
	v, err := s.opts.Sources.Source(r.Context(), r.URL.Query().Get("name"))
	if err != nil {
		return err
	}
	return s.write(w, r, http.StatusOK, "source", by, cleaned(&v))
}

func (s *Server) syncSource(w http.ResponseWriter, r *http.Request, by signed) error {
	name, how := r.PostForm.Get("name"), SyncKind(r.PostForm.Get("how"))
	if how != SyncNow && how != SyncFull && how != SyncAccept {
		return core.Errorf(core.KindInvalid, "The form does not say how to read the source.")
	}
	if err := s.opts.Sources.Sync(r.Context(), by.Who, name, how); err != nil {
		return err
	}
	return done(w, r, "/source", "sync", "name", name)
}

// perPage is how many documents a page lists.
const perPage = 50

type documentsPage struct {
	Query DocumentQuery
	DocumentList
	Before, After int // where the pages before and after begin; -1: there is none
}

func (s *Server) documents(w http.ResponseWriter, r *http.Request, by signed) error {
	q := r.URL.Query()
	from, err := strconv.Atoi(q.Get("from"))
	if err != nil || from < 0 || from > 1_000_000 {
		from = 0
	}
	v := documentsPage{Query: DocumentQuery{Words: q.Get("words"), Source: q.Get("source"), Hidden: q.Get("hidden") != "", From: from}, Before: -1, After: -1}
	if v.DocumentList, err = s.opts.Documents.Find(r.Context(), v.Query); err != nil {
		return err
	}
	if from > 0 {
		v.Before = max(0, from-perPage)
	}
	if v.More {
		v.After = from + perPage
	}
	return s.write(w, r, http.StatusOK, "documents", by, cleaned(&v))
}

type documentPage struct {
	DocumentPage
	As, Where string // what was asked
	Why       *Why
	WhyNot    Long // why that could not be told
}

func (s *Server) document(w http.ResponseWriter, r *http.Request, by signed) error {
	q := r.URL.Query()
	v := documentPage{As: strings.TrimSpace(q.Get("as")), Where: strings.TrimSpace(q.Get("place"))}
	var err error
	if v.DocumentPage, err = s.opts.Documents.Document(r.Context(), q.Get("id")); err != nil {
		return err
	}
	if v.As != "" {
		why, err := s.opts.Documents.Why(r.Context(), q.Get("id"), v.As, v.Where)
		if v.Why = &why; err != nil {
			v.Why, v.WhyNot = nil, Long(err.Error())
		}
	}
	return s.write(w, r, http.StatusOK, "document", by, cleaned(&v))
}

func (s *Server) markDocument(w http.ResponseWriter, r *http.Request, by signed) error {
	id, mark := r.PostForm.Get("id"), r.PostForm.Get("mark")
	if mark != "hide" && mark != "show" {
		return core.Errorf(core.KindInvalid, "The form does not say what to do with the document.")
	}
	if err := s.opts.Documents.Mark(r.Context(), by.Who, id, mark == "hide"); err != nil {
		return err
	}
	return done(w, r, "/document", map[string]string{"hide": "hidden", "show": "shown"}[mark], "id", id)
}

type questionsPage struct {
	Days      int
	Query     QuestionQuery
	Questions []QuestionRow
}

func (s *Server) questions(w http.ResponseWriter, r *http.Request, by signed) error {
	q := r.URL.Query()
	v := questionsPage{Days: days(r, 7)}
	v.Query = QuestionQuery{Since: s.since(v.Days), Outcome: q.Get("outcome"), Place: strings.TrimSpace(q.Get("place"))}
	var err error
	if v.Questions, err = s.opts.Questions.Questions(r.Context(), v.Query); err != nil {
		return err
	}
	return s.write(w, r, http.StatusOK, "questions", by, cleaned(&v))
}

func (s *Server) question(w http.ResponseWriter, r *http.Request, by signed) error {
	v, err := s.opts.Questions.Explain(r.Context(), r.URL.Query().Get("id"))
	if err != nil {
		return err
	}
	return s.write(w, r, http.StatusOK, "question", by, cleaned(&v))
}

// revealQuestion shows once what was asked in private. It has no address of its own
// that somebody could come back to without being written down.
func (s *Server) revealQuestion(w http.ResponseWriter, r *http.Request, by signed) error {
	v, err := s.opts.Questions.Reveal(r.Context(), by.Who, r.PostForm.Get("id"))
	if err != nil {
		return err
	}
	return s.write(w, r, http.StatusOK, "question", by, cleaned(&v))
}

type spanned[T any] struct {
	Days int
	Page T
}

func (s *Server) gaps(w http.ResponseWriter, r *http.Request, by signed) error {
	v := spanned[GapsPage]{Days: days(r, 7)}
	var err error
	if v.Page, err = s.opts.Insights.Gaps(r.Context(), s.since(v.Days)); err != nil {
		return err
	}
	return s.write(w, r, http.StatusOK, "gaps", by, cleaned(&v))
}

func (s *Server) feedback(w http.ResponseWriter, r *http.Request, by signed) error {
	v := spanned[FeedbackPage]{Days: days(r, 30)}
	var err error
	if v.Page, err = s.opts.Insights.Feedback(r.Context(), s.since(v.Days)); err != nil {
		return err
	}
	return s.write(w, r, http.StatusOK, "feedback", by, cleaned(&v))
}

func (s *Server) usage(w http.ResponseWriter, r *http.Request, by signed) error {
	v := spanned[UsagePage]{Days: days(r, 30)}
	var err error
	if v.Page, err = s.opts.Insights.Usage(r.Context(), s.since(v.Days)); err != nil {
		return err
	}
	return s.write(w, r, http.StatusOK, "usage", by, cleaned(&v))
}

// days is how far back a page looks: one of a few lengths.
func days(r *http.Request, otherwise int) int {
	switch r.URL.Query().Get("days") {
	case "1":
		return 1
	case "7":
		return 7
	case "30":
		return 30
	case "90":
		return 90
	}
	return otherwise
}

// since is the beginning of the first of so many days (UTC), today included.
func (s *Server) since(days int) time.Time {
	return s.opts.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-days)
}
