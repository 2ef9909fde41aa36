package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/gaps"
	"github.com/footnote-bot/footnote/store"
)

// seeded is a library about which a team has asked for a month.
func seeded(t *testing.T) *user {
	t.Helper()
	u := withLibrary(t)
	u.env["FOOTNOTE_MEMBERS_DOMAINS"] = "example.com"
	a, err := openApp(t.Context(), mustConfig(t, u), "", discard())
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	for i, text := range []string{
		"How do I reset my VPN password?", "VPN password reset does not work", "Where do visitors park?", "Where can I reset the password of the VPN?",
		"When is the espresso machine descaled?", "Who approves travel to Lisbon?", "Is there a budget for travel to Lisbon?", "canary: what does my contract say about overtime?",
	} {
		class, place := "public_channel", "slack:T1/C1"
		if strings.HasPrefix(text, "canary") {
			class, place = "dm", "slack:T1/D1"
		}
		outcome := gaps.Unanswered
		if i == 2 || i == 4 {
			outcome = gaps.Answered
		}
		cost := 0.0021 * float64(i+1)
		trace, err := json.Marshal(agent.Trace{
			Version: agent.TraceVersion, Class: class, TookMS: 2310,
			Tools: []agent.TraceTool{{Cycle: 1, Name: "search", MS: 14, Queries: []string{text}, Arguments: json.RawMessage(`{"queries":["` + text + `"]}`),
				Candidates: []agent.TraceCandidate{{Document: "docs/parking.md", Passage: 1, Score: 7.2, Coverage: 0.91}, {Document: "docs/coffee.md", Passage: 2, Score: 1.4, Coverage: 0.12}}}},
			Models: []agent.TraceModel{{Model: "small", Attempts: 1, Finish: "stop", FirstMS: 420, MS: 1900, Cost: &cost, Usage: core.Usage{PromptTokens: 2400, CompletionTokens: 120},
				Sections: []agent.TraceSection{{Name: "instructions", Tokens: 640}, {Name: "documents", Tokens: 1600}}}},
			Shown: []agent.TraceShown{{Number: 1, Given: 1, Document: "docs/parking.md", Passage: 1}},
		})
		check(err)
		at := now.Add(-time.Duration(i) * 17 * time.Minute)
		id := fmt.Sprintf("TURN%02d", i)
		check(a.store.SaveTurn(t.Context(), core.Turn{ID: id, Place: place, Class: class, Scope: []core.Principal{core.Public, core.Workspace}, Asker: "ann@example.com",
			Account: "slack:T1/U1", Question: text, Answer: core.Answer{Mode: core.ModeModel, Text: "secret answer", TurnID: id}, Used: []string{"docs/parking.md"}, Started: at, Trace: trace}))
		check(a.store.PutOutcome(t.Context(), store.Outcome{TurnID: id, At: at, Platform: "slack", Outcome: outcome, Coverage: 0.91, Searches: 1, Cost: &cost, TookMS: 2310, FirstMS: 900,
			PromptTokens: 2400, OutputTokens: 120, Models: []store.ModelUsage{{Model: "small", Calls: 1, PromptTokens: 2400, OutputTokens: 120, Cost: cost}}}))
	}
	for day := 1; day < 30; day++ {
		for n := range 3 + (day*7)%11 {
			outcome := []string{gaps.Answered, gaps.Answered, gaps.Answered, gaps.Quoted, gaps.Unanswered, gaps.Failed}[(day+n)%6]
			check(a.store.PutOutcome(t.Context(), store.Outcome{TurnID: fmt.Sprint("d", day, "n", n), At: now.AddDate(0, 0, -day), Platform: []string{"slack", "discord", "http"}[n%3], Outcome: outcome, TookMS: 2100,
				Models: []store.ModelUsage{{Model: "small", Calls: 1, PromptTokens: 2000 + 40*day, OutputTokens: 140, Cost: 0.003 * float64(1+day%5)}}}))
		}
	}
	for _, purpose := range []string{core.ForContexts, core.ForPictures} {
		check(a.store.CountReadingCall(t.Context(), core.ReadingCall{Purpose: purpose, Model: "small", Usage: core.Usage{PromptTokens: 900, CompletionTokens: 60}}))
	}
	check(a.store.PutVote(t.Context(), core.Vote{TurnID: "TURN04", Account: "slack:T1/U2", Reason: "That was last year's machine.", At: now}))
	check(a.store.PutVote(t.Context(), core.Vote{TurnID: "TURN02", Account: "slack:T1/U3", Up: true, At: now}))
	check(a.store.PutVote(t.Context(), core.Vote{TurnID: "TURN07", Account: "slack:T1/U1", Reason: "canary reason", At: now}))
	check(a.store.PutHelp(t.Context(), core.HelpRequest{ID: "h1", TurnID: "TURN05", Place: "slack:T1/C1", Account: "slack:T1/U1", Opened: now}))
	_, err = a.store.NotePlace(t.Context(), "slack:T1/C1", "public_channel", "public_channel", "#help", now)
	check(err)
	check(a.keepAgent(t.Context(), core.Agent{Name: "support", Instructions: "You answer for the support team.\nToday is {date}.", ForceSearch: true}))
	_, err = a.store.SaveRun(t.Context(), core.SyncRun{Source: "docs", Reason: core.SyncPoll, Started: now.Add(-time.Hour), Finished: now.Add(-time.Hour + 4*time.Second),
		ErrorKind: core.KindUnavailable, Error: "The folder could not be read: it is on a disk that is not mounted."})
	check(err)
	check(a.store.Audit(t.Context(), core.AuditEntry{Action: core.AuditAnswer, Actor: "ann@example.com", Place: "slack:T1/C1", Class: "public_channel", TurnID: "TURN02", Documents: []string{"docs/parking.md"}}))
	return u
}

// adminSite is the admin pages of a running footnote serve, with somebody's cookies.
type adminSite struct {
	t      testing.TB
	base   string
	client *http.Client
}

// login prints a link and follows it as a browser would.
func (u *user) login() *adminSite {
	u.t.Helper()
	link := strings.TrimSpace(u.must("admin", "login"))
	jar, err := cookiejar.New(nil)
	if err != nil {
		u.t.Fatal(err)
	}
	at, err := url.Parse(link)
	if err != nil {
		u.t.Fatal(err)
	}
	s := &adminSite{u.t, at.Scheme + "://" + at.Host, &http.Client{Jar: jar}}
	if status, page := s.post("/admin/login", url.Values{"code": {at.Query().Get("code")}}); status != 200 || !strings.Contains(page, "<h1>Overview</h1>") {
		u.t.Fatalf("signing in: %d %s", status, page)
	}
	return s
}

func (s *adminSite) get(path string) (int, string) {
	s.t.Helper()
	resp, err := s.client.Get(s.base + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

func (s *adminSite) must(path string) string {
	s.t.Helper()
	status, page := s.get(path)
	if status != 200 {
		s.t.Fatalf("%s: %d %s", path, status, page)
	}
	return page
}

func (s *adminSite) post(path string, form url.Values) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "POST", s.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", s.base)
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

var formOf = regexp.MustCompile(`name="form" value="([0-9a-f]+)"`)

// press sends a form of a page with what the page's own forms carry.
func (s *adminSite) press(path string, form url.Values) (int, string) {
	s.t.Helper()
	token := formOf.FindStringSubmatch(s.must("/admin/"))
	if token == nil {
		s.t.Fatal("the pages have no form")
	}
	form.Set("form", token[1])
	return s.post(path, form)
}
