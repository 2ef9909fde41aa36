package adminpages

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// page answers a request of somebody who is signed in, or returns why not before it
// wrote anything.
type page func(w http.ResponseWriter, r *http.Request, by signed) error

// signed is who is signed in, with what proves that a form is theirs.
type signed struct {
	Session
	form string // what every form of the session carries
}

const (
	cookieName = "footnote_admin"
	formField  = "form"
)

var (
	errForeign = core.Errorf(core.KindDenied, "This form did not come from the page that it belongs to; open the page again and repeat it.")
	errNobody  = core.Errorf(core.KindDenied, "Only admins see this.")
)

// signedIn lets only requests through that carry a session.
func (s *Server) signedIn(h page) http.Handler {
	return s.open(func(w http.ResponseWriter, r *http.Request) error {
		by, err := s.who(r)
		switch {
		case core.KindOf(err) == core.KindNotFound && (r.Method == http.MethodGet || r.Method == http.MethodHead):
			http.Redirect(w, r, Base+"/login", http.StatusSeeOther)
			return nil
		case core.KindOf(err) == core.KindNotFound:
			return core.Errorf(core.KindDenied, "The session has ended; sign in again.")
		case err != nil:
			return err
		}
		return h(w, r, by)
	})
}

func (s *Server) who(r *http.Request) (signed, error) {
	secret := ""
	if c, err := r.Cookie(cookieName); err == nil {
		secret = c.Value
	}
	if secret == "" || len(secret) > 200 {
		return signed{}, core.Errorf(core.KindNotFound, "There is no session.")
	}
	session, err := s.opts.Sessions.Session(r.Context(), secret)
	return signed{session, formToken(secret)}, err
}

// formToken is derived from the session's secret: nobody else can make it, and it
// says nothing of the secret.
func formToken(secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("footnote admin form")) //nolint:errcheck // a hash never fails
	return hex.EncodeToString(mac.Sum(nil))
}

// meant lets only forms through that a page of the session's own sent.
func (s *Server) meant(h page) page {
	return func(w http.ResponseWriter, r *http.Request, by signed) error {
		if err := s.readForm(w, r); err != nil {
			return err
		}
		if !hmac.Equal([]byte(r.PostForm.Get(formField)), []byte(by.form)) {
			return errForeign
		}
		return h(w, r, by)
	}
}

// readForm reads a form that came from one of our own pages.
func (s *Server) readForm(w http.ResponseWriter, r *http.Request) error {
	if !s.sameSite(r) {
		return errForeign
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return core.Wrap(core.KindInvalid, err, "The form could not be read; it may be larger than 64 KiB.")
	}
	return nil
}

// sameSite looks at where a form came from. As our pages send no referrer, browsers
// say null for their origin; then it counts what they say of the site.
func (s *Server) sameSite(r *http.Request) bool {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	if site != "" && site != "same-origin" {
		return false
	}
	if origin == "" || origin == "null" {
		return site == "same-origin"
	}
	from, err := url.Parse(origin)
	if err != nil {
		return false
	}
	if s.opts.URL != nil && strings.EqualFold(from.Host, s.opts.URL.Host) {
		return from.Scheme == s.opts.URL.Scheme
	}
	return from.Scheme == "http" && strings.EqualFold(from.Host, r.Host)
}

// showLogin asks for the code. It is used up by a press and not by opening the
// page: whatever looks at addresses beforehand would use it up.
func (s *Server) showLogin(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.who(r); err == nil {
		http.Redirect(w, r, Base+"/", http.StatusSeeOther)
		return nil
	}
	code := r.URL.Query().Get("code")
	if len(code) > 200 {
		code = ""
	}
	return s.write(w, r, http.StatusOK, "login", signed{}, &loginPage{Code: ID(code)})
}

type loginPage struct {
	Code  ID
	Error string
}

// login starts a session for who has a fresh link or an admin's token.
func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	if err := s.readForm(w, r); err != nil {
		return err
	}
	if !s.tries.take(r.RemoteAddr) {
		w.Header().Set("Retry-After", "60")
		return core.Errorf(core.KindBusy, "Too many attempts to sign in; wait a minute.")
	}
	who, err := s.proven(r.Context(), strings.TrimSpace(r.PostForm.Get("code")))
	switch core.KindOf(err) {
	case core.KindNotFound, core.KindDenied:
		s.opts.Log.Warn("a sign-in to the admin pages failed", "remote", r.RemoteAddr)
		return s.write(w, r, http.StatusForbidden, "login", signed{}, &loginPage{Error: err.Error()})
	}
	if err != nil {
		return err
	}
	secret, err := s.opts.Sessions.Open(r.Context(), who)
	if err != nil {
		return err
	}
	http.SetCookie(w, s.cookie(secret, 0))
	http.Redirect(w, r, Base+"/", http.StatusSeeOther)
	return nil
}

func (s *Server) proven(ctx context.Context, code string) (string, error) {
	if code == "" || len(code) > 200 {
		return "", core.Errorf(core.KindNotFound, "Give the code that footnote admin login prints, or the token of an admin.")
	}
	who, err := s.opts.Sessions.UseLink(ctx, code)
	if core.KindOf(err) != core.KindNotFound {
		return who, err
	}
	if byToken, tokenErr := s.opts.Tokens.Admin(ctx, code); core.KindOf(tokenErr) != core.KindNotFound {
		return byToken, tokenErr
	}
	return "", err
}

// cookie is the session's; a negative age takes it away. It ends with the browser
// at the latest, and its session by itself before.
func (s *Server) cookie(secret string, age int) *http.Cookie {
	return &http.Cookie{
		Name: cookieName, Value: secret, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: s.opts.URL != nil && s.opts.URL.Scheme == "https",
	}
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request, by signed) error {
	if err := s.opts.Sessions.End(r.Context(), by.Who, by.ID); err != nil {
		return err
	}
	http.SetCookie(w, s.cookie("", -1))
	http.Redirect(w, r, Base+"/login", http.StatusSeeOther)
	return nil
}

func (s *Server) endSession(w http.ResponseWriter, r *http.Request, by signed) error {
	id := r.PostForm.Get("id")
	if id == "" {
		return core.Errorf(core.KindInvalid, "The form names no session.")
	}
	if err := s.opts.Sessions.End(r.Context(), by.Who, id); err != nil {
		return err
	}
	return done(w, r, "/settings", "ended")
}
