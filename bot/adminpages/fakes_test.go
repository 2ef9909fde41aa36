package adminpages

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// world answers every page with the same hostile text, and remembers what was done.
type world struct {
	text     string
	links    map[string]string
	sessions map[string]Session
	tokens   map[string]string
	deeds    []string
	made     int
	err      error
}

func newWorld() *world {
	return &world{text: "plain", links: map[string]string{}, sessions: map[string]Session{}, tokens: map[string]string{}}
}

func (w *world) did(format string, args ...any) error {
	w.deeds = append(w.deeds, fmt.Sprintf(format, args...))
	return w.err
}

func (w *world) UseLink(_ context.Context, secret string) (string, error) {
	who, ok := w.links[secret]
	if !ok {
		return "", core.Errorf(core.KindNotFound, "This link is no longer good.")
	}
	delete(w.links, secret)
	return who, nil
}

func (w *world) Open(_ context.Context, who string) (string, error) {
	w.made++
	secret := fmt.Sprint("session-", w.made)
	w.sessions[secret] = Session{ID: fmt.Sprint("id", w.made), Who: who, Created: noon, Seen: noon, Expires: noon.Add(time.Hour)}
	return secret, nil
}

func (w *world) Session(_ context.Context, secret string) (Session, error) {
	s, ok := w.sessions[secret]
	if !ok {
		return s, core.Errorf(core.KindNotFound, "There is no such session.")
	}
	return s, nil
}

func (w *world) List(context.Context) (out []Session, err error) {
	for _, s := range w.sessions {
		out = append(out, s)
	}
	return out, nil
}

func (w *world) End(_ context.Context, by, id string) error {
	for secret, s := range w.sessions {
		if id == "" || s.ID == id {
			delete(w.sessions, secret)
		}
	}
	return w.did("%s ends %s", by, id)
}

func (w *world) Admin(_ context.Context, secret string) (string, error) {
	who, ok := w.tokens[secret]
	switch {
	case !ok:
		return "", core.Errorf(core.KindNotFound, "There is no such token.")
	case who == "dev@example.com":
		return "", core.Errorf(core.KindDenied, "This token's person is no admin.")
	}
	return who, nil
}

func (w *world) row() SourceRow {
	return SourceRow{Name: w.text, Connector: w.text, LastSync: w.text, Process: w.text, State: "warning", Held: 3, Failed: 1, From: w.text}
}

func (w *world) asked() QuestionRow {
	return QuestionRow{TurnID: ID(w.text), At: noon, Text: w.text, Place: w.text, Class: w.text, Outcome: "unanswered", Took: "1 s", Down: 1}
}

func (w *world) document() DocumentRow {
	return DocumentRow{ID: ID(w.text), Title: w.text, Source: w.text, Readers: w.text, Updated: noon}
}

func (w *world) Overview(context.Context) (Overview, error) {
	k := []Check{{Name: w.text, Outcome: "failed", Detail: Long(w.text), Fix: Long(w.text)}}
	return Overview{Version: w.text, Started: noon, Sources: []SourceRow{w.row()}, Checks: k, Platforms: k, Today: []Count{{w.text, 1}}}, w.err
}

func (w *world) Sources(context.Context) ([]SourceRow, error) { return []SourceRow{w.row()}, w.err }

func (w *world) Source(_ context.Context, name string) (SourcePage, error) {
	run := Run{Reason: w.text, Started: noon, Error: Long(w.text), Notes: []string{w.text}}
	return SourcePage{
		SourceRow: w.row(), Config: Long(w.text), Error: Long(w.text), Progress: &run, Runs: []Run{run},
		Failures: []Failure{{Document: w.text, Title: w.text, Detail: Long(w.text), Last: noon}},
	}, w.err
}

func (w *world) Sync(_ context.Context, by, name string, how SyncKind) error {
	return w.did("%s syncs %s %s", by, name, how)
}

func (w *world) Find(_ context.Context, q DocumentQuery) (DocumentList, error) {
	return DocumentList{Documents: []DocumentRow{w.document()}, More: true, Sources: []string{w.text}}, w.did("find %+v", q)
}

func (w *world) Document(_ context.Context, id string) (DocumentPage, error) {
	return DocumentPage{DocumentRow: w.document(), URL: w.text, Stated: []string{w.text}, Now: []string{w.text}, HiddenBy: w.text, Used: []QuestionRow{w.asked()}}, w.err
}

func (w *world) Why(_ context.Context, id, as, place string) (Why, error) {
	return Why{As: as, Place: place, Text: Long(w.text), Through: []string{w.text}, Notes: []string{w.text}}, w.did("why %s %s", as, place)
}

func (w *world) Mark(_ context.Context, by, id string, hide bool) error {
	return w.did("%s hides %s %v", by, id, hide)
}

func (w *world) Questions(context.Context, QuestionQuery) ([]QuestionRow, error) {
	return []QuestionRow{w.asked()}, w.err
}

func (w *world) Explain(context.Context, string) (Explanation, error) {
	row := w.asked()
	row.Private = true
	return Explanation{QuestionRow: row, Scope: []string{w.text}, Errors: []string{w.text}}, w.err
}

func (w *world) Reveal(_ context.Context, by, id string) (Explanation, error) {
	return Explanation{
		QuestionRow: w.asked(), Question: Long(w.text), Revealed: true, Asker: w.text,
		Tools:  []ToolRun{{Name: w.text, Arguments: Long(w.text), Queries: []string{w.text}, Steps: []string{w.text}, Candidates: []Candidate{{Document: ID(w.text)}}}},
		Models: []ModelCall{{Model: w.text, Error: Long(w.text), Sections: []Section{{Name: w.text}}}}, Shown: []Shown{{1, ID(w.text), 2}},
	}, w.did("%s looks at %s", by, id)
}

func (w *world) Gaps(context.Context, time.Time) (GapsPage, error) {
	return GapsPage{Asked: 3, Gaps: 2, Hidden: 1, Reasons: []Count{{w.text, 1}}, Groups: []GapGroup{{Terms: []string{w.text}, N: 1, Questions: []QuestionRow{w.asked()}}}}, w.err
}

func (w *world) Feedback(context.Context, time.Time) (FeedbackPage, error) {
	return FeedbackPage{Votes: []VoteRow{{noon, w.text, false, w.text, w.asked()}}, Help: []HelpRow{{Opened: noon, Resolved: noon, By: w.text, QuestionRow: w.asked()}}, Hidden: []DocumentRow{w.document()}}, w.err
}

func (w *world) Usage(context.Context, time.Time) (UsagePage, error) {
	return UsagePage{Days: []UsageDay{{Day: "2026-05-04", Questions: 3, Gaps: 1, Cost: 0.5}}, Models: []ModelRow{{Model: w.text}}, Reading: []ReadingRow{{Purpose: w.text, Model: w.text}}, ByWay: []Count{{w.text, 1}}, ByPlace: []Count{{w.text, 1}}, Priced: true}, w.err
}

func (w *world) Audit(_ context.Context, by string, q AuditQuery) ([]core.AuditEntry, error) {
	return []core.AuditEntry{{N: 7, At: noon, Actor: w.text, Action: w.text, Place: w.text, TurnID: w.text, Documents: []string{w.text}, Detail: map[string]string{"k": w.text}}}, w.did("%s reads the audit", by)
}

func (w *world) Settings(context.Context) (SettingsPage, error) {
	return SettingsPage{
		Agents: []AgentRow{{Name: w.text, Instructions: Long(w.text)}}, Places: []PlaceRow{{ID: ID(w.text), Name: w.text, Mode: "all"}},
		Modes: []string{"off", "all"}, Read: []Check{{Name: w.text, Outcome: "ok", Detail: Long(w.text)}},
	}, w.err
}

func (w *world) PutAgent(_ context.Context, by string, a core.Agent) error {
	return w.did("%s keeps %s: %s", by, a.Name, a.Instructions)
}

func (w *world) RemoveAgent(_ context.Context, by, name string) error {
	return w.did("%s removes %s", by, name)
}

func (w *world) SetPlace(_ context.Context, by, place, key, value string) error {
	return w.did("%s sets %s %s %s", by, place, key, value)
}

// site is the pages over a world.
type site struct {
	t      *testing.T
	world  *world
	server *Server
}

func newSite(t *testing.T, change ...func(*Options)) *site {
	w := newWorld()
	o := Options{
		Sessions: w, Tokens: w, Overview: w, Sources: w, Documents: w, Questions: w, Insights: w, Audits: w, Settings: w,
		Metrics: http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { io.WriteString(rw, "numbers") }), //nolint:errcheck
		Now:     func() time.Time { return noon },
	}
	for _, f := range change {
		f(&o)
	}
	return &site{t, w, New(o)}
}

const host = "127.0.0.1:8081"

// do sends a request as a browser on one of our pages would, unless edited.
func (s *site) do(method, path string, form url.Values, cookie string, edit ...func(*http.Request)) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
	r.Host, r.RemoteAddr = host, "127.0.0.1:5000"
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "null") // what browsers say, as our pages send no referrer
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if cookie != "" {
		r.AddCookie(&http.Cookie{Name: cookieName, Value: cookie})
	}
	for _, f := range edit {
		f(r)
	}
	w := httptest.NewRecorder()
	s.server.ServeHTTP(w, r)
	return w
}

// signIn returns the session's secret.
func (s *site) signIn() string {
	secret, err := s.world.Open(s.t.Context(), "operator")
	if err != nil {
		s.t.Fatal(err)
	}
	return secret
}
