package adminpages

import (
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

type auditPage struct {
	Query   AuditQuery
	Since   string
	Until   string
	Actions []string
	Entries []core.AuditEntry
	Older   int64 // the number to go on from; 0: there are no more
}

// auditPerPage is how many entries a page lists.
const auditPerPage = 100

// Actions are what an entry of the audit may be about.
var actions = []string{
	core.AuditAnswer, core.AuditSearch, core.AuditWithdraw, core.AuditShare, core.AuditBypass,
	core.AuditGrant, core.AuditIdentity, core.AuditConfig, core.AuditCurate, core.AuditExport, core.AuditLook,
}

func (s *Server) audit(w http.ResponseWriter, r *http.Request, by signed) error {
	q := r.URL.Query()
	v := auditPage{Since: q.Get("since"), Until: q.Get("until"), Actions: actions}
	v.Query = AuditQuery{
		Actor: strings.TrimSpace(q.Get("who")), Place: strings.TrimSpace(q.Get("place")), Document: strings.TrimSpace(q.Get("document")),
		Action: q.Get("action"), Turn: strings.TrimSpace(q.Get("turn")),
	}
	var err error
	if v.Query.Since, err = day(v.Since, 0); err != nil {
		return err
	}
	if v.Query.Until, err = day(v.Until, 1); err != nil { // the day counts as a whole
		return err
	}
	if n, err := strconv.ParseInt(q.Get("before"), 10, 64); err == nil {
		v.Query.Before = n
	}
	if v.Entries, err = s.opts.Audits.Audit(r.Context(), by.Who, v.Query); err != nil {
		return err
	}
	if n := len(v.Entries); n >= auditPerPage {
		v.Older = v.Entries[n-1].N
	}
	return s.write(w, r, http.StatusOK, "audit", by, cleaned(&v))
}

func day(text string, more int) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return t, core.Errorf(core.KindInvalid, "%q is no date such as 2026-05-31.", text)
	}
	return t.AddDate(0, 0, more), nil
}

func (s *Server) settings(w http.ResponseWriter, r *http.Request, by signed) error {
	v, err := s.opts.Settings.Settings(r.Context())
	if err != nil {
		return err
	}
	if v.Sessions, err = s.opts.Sessions.List(r.Context()); err != nil {
		return err
	}
	return s.write(w, r, http.StatusOK, "settings", by, cleaned(&v))
}

func (s *Server) putAgent(w http.ResponseWriter, r *http.Request, by signed) error {
	f := r.PostForm
	err := s.opts.Settings.PutAgent(r.Context(), by.Who, core.Agent{
		Name: strings.TrimSpace(f.Get("name")), Instructions: f.Get("instructions"), Model: strings.TrimSpace(f.Get("model")),
		Language: strings.TrimSpace(f.Get("language")), ForceSearch: f.Get("force_search") != "",
	})
	if err != nil {
		return err
	}
	return done(w, r, "/settings", "agent")
}

func (s *Server) removeAgent(w http.ResponseWriter, r *http.Request, by signed) error {
	if err := s.opts.Settings.RemoveAgent(r.Context(), by.Who, r.PostForm.Get("name")); err != nil {
		return err
	}
	return done(w, r, "/settings", "removed")
}

func (s *Server) setPlace(w http.ResponseWriter, r *http.Request, by signed) error {
	f := r.PostForm
	key := f.Get("key")
	if key != "mode" && key != "agent" {
		return core.Errorf(core.KindInvalid, "The form names no setting that can be changed here.")
	}
	if err := s.opts.Settings.SetPlace(r.Context(), by.Who, f.Get("place"), key, f.Get("value")); err != nil {
		return err
	}
	return done(w, r, "/settings", "place")
}

// metrics are for this machine itself, and for admins with their token. What comes
// through a proxy comes from this machine too, and has to show a token.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) error {
	if !direct(r) || s.opts.URL != nil && strings.EqualFold(r.Host, s.opts.URL.Host) {
		secret, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok {
			return errNobody
		}
		if _, err := s.opts.Tokens.Admin(r.Context(), strings.TrimSpace(secret)); core.KindOf(err) == core.KindNotFound {
			return errNobody
		} else if err != nil {
			return err
		}
	}
	s.opts.Metrics.ServeHTTP(w, r)
	return nil
}

// direct tells whether a request comes from this machine and no proxy says that it
// sends it on for somebody.
func direct(r *http.Request) bool {
	for _, h := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if r.Header.Get(h) != "" {
			return false
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && ip.IsLoopback()
}
