package adminpages

import (
	"embed"
	"html/template"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed style.css
var style []byte

// Options are the parts of the pages. All are required but URL, Metrics, Now and Log.
type Options struct {
	Sessions  Sessions
	Tokens    Tokens
	Overview  Overviewer
	Sources   Sources
	Documents Documents
	Questions Questions
	Insights  Insights
	Audits    Audits
	Settings  Settings

	// URL is the address under which a proxy with TLS shows the pages, such as
	// https://footnote.example.com; empty where only this machine reaches them.
	URL *url.URL
	// Metrics answers /metrics: without a token for this machine itself, otherwise
	// for the tokens of admins. Nil: there are none.
	Metrics http.Handler

	Now func() time.Time
	Log *slog.Logger // nil discards
}

const (
	// Base is where the pages are.
	Base         = "/admin"
	maxForm      = 64 << 10
	readPatience = 30 * time.Second
	idle         = 2 * time.Minute
	maxHeaders   = 32 << 10
	policy       = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

// Server is the pages. It may be used from several goroutines.
type Server struct {
	opts  Options
	mux   *http.ServeMux
	pages map[string]*template.Template
	tries *tries
}

// New makes the pages. It panics if a required option is missing.
func New(o Options) *Server {
	if o.Sessions == nil || o.Tokens == nil || o.Overview == nil || o.Sources == nil || o.Documents == nil ||
		o.Questions == nil || o.Insights == nil || o.Audits == nil || o.Settings == nil {
		panic("adminpages: every part but URL, Metrics, Now and Log is required")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{opts: o, mux: http.NewServeMux(), pages: parsed(), tries: newTries(o.Now)}
	s.routes()
	return s
}

// parsed is each page's template with the layout. What is wrong with them shows in
// every test.
func parsed() map[string]*template.Template {
	files, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		panic(err)
	}
	out := map[string]*template.Template{}
	for _, f := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(f, "templates/"), ".html")
		if name == "layout" || name == "parts" {
			continue
		}
		out[name] = template.Must(template.New(name).Funcs(functions).ParseFS(templateFiles, "templates/layout.html", "templates/parts.html", f))
	}
	return out
}

func (s *Server) routes() {
	s.mux.Handle("GET "+Base+"/style.css", http.HandlerFunc(serveStyle))
	s.mux.Handle("GET /{$}", http.RedirectHandler(Base+"/", http.StatusSeeOther))
	s.mux.Handle("GET "+Base+"/login", s.open(s.showLogin))
	s.mux.Handle("POST "+Base+"/login", s.open(s.login))
	if s.opts.Metrics != nil {
		s.mux.Handle("GET /metrics", s.open(s.metrics))
	}
	see := func(path string, h page) { s.mux.Handle("GET "+Base+path, s.signedIn(h)) }
	do := func(path string, h page) { s.mux.Handle("POST "+Base+path, s.signedIn(s.meant(h))) }
	see("/{$}", s.overview)
	see("/sources", s.sources)
	see("/source", s.source)
	do("/source", s.syncSource)
	see("/documents", s.documents)
	see("/document", s.document)
	do("/document", s.markDocument)
	see("/questions", s.questions)
	see("/question", s.question)
	do("/question", s.revealQuestion)
	see("/gaps", s.gaps)
	see("/feedback", s.feedback)
	see("/usage", s.usage)
	see("/audit", s.audit)
	see("/settings", s.settings)
	do("/settings/agent", s.putAgent)
	do("/settings/agent/remove", s.removeAgent)
	do("/settings/place", s.setPlace)
	do("/logout", s.logout)
	do("/sessions/end", s.endSession)
	s.mux.Handle("/", s.open(func(http.ResponseWriter, *http.Request) error { return errNoPage }))
}

var errNoPage = core.Errorf(core.KindNotFound, "There is no page at this address.")

func serveStyle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "max-age=300")
	_, _ = w.Write(style) // a browser that left reads nothing
}

// ServeHTTP answers one request. Whatever it is, the answer cannot be framed,
// guessed at or sent on, and a page of another site that found out our address gets
// none.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cache-Control", "no-store")
	if !s.known(r.Host) {
		http.Error(w, "This address is not one of the admin pages.", http.StatusMisdirectedRequest)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// HTTP is a server for the pages with its limits.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: readPatience, WriteTimeout: idle,
		IdleTimeout: idle, MaxHeaderBytes: maxHeaders, ErrorLog: slog.NewLogLogger(s.opts.Log.Handler(), slog.LevelDebug),
	}
}

// known tells whether the Host header names this machine itself or the proxy's
// address. A name that anybody's DNS server may have given us does not count.
func (s *Server) known(host string) bool {
	if s.opts.URL != nil && strings.EqualFold(host, s.opts.URL.Host) {
		return true
	}
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	return slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, strings.ToLower(name))
}
