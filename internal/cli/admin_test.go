package cli

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/gaps"
)

func TestAdminPagesShowWhatThereIsAndNothingPrivate(t *testing.T) {
	t.Parallel()
	u := seeded(t)
	u.serving()
	s := u.login()
	for path, wants := range map[string][]string{
		"/admin/":                   {"docs", "Questions today", "data folder"},
		"/admin/sources":            {"docs", "files"},
		"/admin/source?name=docs":   {"a disk that is not mounted", "Read what changed"},
		"/admin/documents?words=pa": {"Parking", "docs/secret/pay.md", "user:boss@example.com"},
		"/admin/document?id=docs/secret/pay.md&as=ann@example.com": {"Not found", "user:boss@example.com"},
		"/admin/document?id=docs/parking.md&as=ann@example.com":    {"Found", "workspace", "Where do visitors park?"},
		"/admin/questions?days=30":                                 {"Where do visitors park?", "asked in private", "unanswered"},
		"/admin/question?id=TURN02":                                {"Where do visitors park?", "docs/parking.md", "91 %", "small", "2\u202f400 tokens in"},
		"/admin/question?id=TURN07":                                {"Show what was asked", "docs/parking.md"},
		"/admin/gaps":                                              {"vpn", "3 questions", "asked in private", "not by meaning", "asked for a person"},
		"/admin/feedback":                                          {"last year&#39;s machine", "given in private"},
		"/admin/usage":                                             {"<svg", "small", "discord", "reading documents", "pictures"},
		"/admin/audit":                                             {"ann@example.com", "TURN02"},
		"/admin/settings":                                          {"support", "#help", "this one"},
	} {
		page := s.must(path)
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s does not say %q", path, want)
			}
		}
		if strings.Contains(page, "canary") || strings.Contains(page, "secret answer") || strings.Contains(page, "91000") {
			t.Errorf("%s tells what is private", path)
		}
	}
	if status, page := s.press("/admin/question", url.Values{"id": {"TURN07"}}); status != 200 || !strings.Contains(page, "canary: what does my contract say") {
		t.Errorf("revealed: %d %s", status, page)
	}
	var look core.AuditEntry
	if err := json.Unmarshal([]byte(u.must("audit", "--action", "look", "--json")), &look); err != nil || look.TurnID != "TURN07" || look.Actor != operatorName {
		t.Errorf("the audit of that: %+v, %v", look, err)
	}
	for _, path := range []string{"/admin/source?name=none", "/admin/document?id=none", "/admin/question?id=none"} {
		if status, _ := s.get(path); status != 404 {
			t.Errorf("%s: %d", path, status)
		}
	}
}

func TestAdminPagesDoWhatCommandsDo(t *testing.T) {
	t.Parallel()
	u := seeded(t)
	u.serving()
	s := u.login()
	if status, page := s.press("/admin/document", url.Values{"id": {"docs/parking.md"}, "mark": {"hide"}}); status != 200 || !strings.Contains(page, "no longer found") {
		t.Errorf("hide: %d %s", status, page)
	}
	if out := u.must("document", "list"); !strings.Contains(out, "docs/parking.md, hidden by operator") {
		t.Errorf("hidden: %s", out)
	}
	if a := u.ask("ask", "Where do visitors park?"); len(a.Citations) != 0 {
		t.Errorf("a hidden document is cited: %+v", a)
	}
	s.press("/admin/document", url.Values{"id": {"docs/parking.md"}, "mark": {"show"}})
	if a := u.ask("ask", "Where do visitors park?"); len(a.Citations) != 1 {
		t.Errorf("shown again: %+v", a)
	}
	if err := os.Remove(filepath.Join(u.dir, "docs/coffee.md")); err != nil {
		t.Fatal(err)
	}
	if status, page := s.press("/admin/source", url.Values{"name": {"docs"}, "how": {"now"}}); status != 200 || !strings.Contains(page, "being read now") {
		t.Errorf("sync: %d %s", status, page)
	}
	eventually(t, "the sync takes the file away", func() bool { return strings.Contains(u.must("source", "list", "--json"), `"documents":4`) })
	if status, _ := s.press("/admin/settings/agent", url.Values{"name": {"clerk"}, "instructions": {"Be brief."}}); status != 200 {
		t.Errorf("agent: %d", status)
	}
	if out := u.must("agent", "show", "clerk"); !strings.Contains(out, "Be brief.") {
		t.Errorf("agent: %s", out)
	}
	if status, _ := s.press("/admin/settings/place", url.Values{"place": {"slack:T1/C1"}, "key": {"mode"}, "value": {"questions"}}); status != 200 {
		t.Errorf("place: %d", status)
	}
	if page := s.must("/admin/settings"); !strings.Contains(page, "<option selected>questions</option>") {
		t.Errorf("the mode is not kept: %s", page)
	}
	trail := u.must("audit", "--json")
	for _, want := range []string{`"mark":"hide"`, `"sync":"now"`, `"agent":"clerk"`, `"mode":"questions"`, `"admin_session"`} {
		if !strings.Contains(trail, want) {
			t.Errorf("the audit lacks %s", want)
		}
	}
	u.must("admin", "logout")
	if _, page := s.get("/admin/"); !strings.Contains(page, "<h1>Sign in</h1>") {
		t.Error("the session goes on after footnote admin logout")
	}
}

func TestAdminsSignInWithTheirTokens(t *testing.T) {
	t.Parallel()
	u := seeded(t)
	u.env["FOOTNOTE_ADMINS"] = "Ann@example.com"
	ann, bob := u.token("ann@example.com"), u.token("bob@example.com")
	serve := u.serving()
	s := u.login()
	jarless := &adminSite{t, s.base, &http.Client{}}
	if status, page := jarless.post("/admin/login", url.Values{"code": {bob}}); status != 403 || !strings.Contains(page, "no admin") {
		t.Errorf("bob: %d %s", status, page)
	}
	s.client.Jar.SetCookies(&url.URL{Scheme: "http", Host: "127.0.0.1"}, []*http.Cookie{{Name: "footnote_admin", MaxAge: -1, Path: "/"}})
	if status, page := s.post("/admin/login", url.Values{"code": {ann}}); status != 200 || !strings.Contains(page, "ann@example.com") {
		t.Errorf("ann: %d %s", status, page)
	}
	if status, page := jarless.get("/metrics"); status != 200 || !strings.Contains(page, `footnote_documents{source="docs"} 5`) {
		t.Errorf("metrics from this machine: %d %s", status, page)
	}
	for token, want := range map[string]int{"": 401, bob: 401, ann: 200} {
		if resp := serve.request(token, "GET", "/metrics", ""); resp.StatusCode != want {
			t.Errorf("metrics at the HTTP interface: %d, want %d", resp.StatusCode, want)
		}
	}
	serve.call(ann, "POST", sendPath, `{"message":"Where do visitors park?"}`, nil)
	eventually(t, "the question is counted", func() bool {
		_, page := jarless.get("/metrics")
		return strings.Contains(page, `footnote_questions_total{outcome="quoted",platform="http"} 1`)
	})
}

func TestGapsTellWhatMayBeTold(t *testing.T) {
	t.Parallel()
	u := seeded(t)
	text := u.must("gaps")
	for _, want := range []string{"password, reset, vpn (3 questions)", "How do I reset my VPN password? [no answer]", "1 of them", "not by meaning", "asked for a person"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	var v gapsView
	if err := json.Unmarshal([]byte(u.must("gaps", "--since", "30d", "--json", "--place", "slack:T1/C1")), &v); err != nil {
		t.Fatal(err)
	}
	if v.Asked != 8 || v.Hidden != 1 || len(v.Groups) < 2 || len(v.Groups[0].Questions) != 3 || v.Reasons[gaps.NoAnswer] != 6 {
		t.Errorf("%+v", v)
	}
	if strings.Contains(text, "canary") || strings.Contains(u.must("gaps", "--json"), "canary") {
		t.Error("what was asked in private is told")
	}
	if o := u.run("gaps", "--place", "slack:T1/NONE"); o.code != exitNotFound {
		t.Errorf("a place that is not known: %+v", o)
	}
}

func TestDigestsComeOnceEachTime(t *testing.T) {
	t.Parallel()
	u := seeded(t)
	u.env["FOOTNOTE_DIGEST_FILE"] = "digest.txt"
	a := u.opened()
	now := time.Now()
	a.store.Now = func() time.Time { return now }
	path := filepath.Join(a.cfg.DataDir, "digest.txt")
	for _, step := range []struct {
		after time.Duration
		comes bool
	}{{0, false}, {time.Hour, false}, {7 * 24 * time.Hour, true}, {time.Hour, false}, {7 * 24 * time.Hour, true}} {
		now = now.Add(step.after)
		os.Remove(path) //nolint:errcheck // it may not be there
		if err := a.digestIfDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); (err == nil) != step.comes {
			t.Errorf("after %s: %v", step.after, err)
		}
	}
	a.cfg.Digest.Place = "slack:T1/C1" // not served here
	now = now.Add(8 * 24 * time.Hour)
	if err := a.digestIfDue(t.Context()); core.KindOf(err) != core.KindConfig && err != nil || err == nil && len(a.cfg.Slack) > 0 {
		t.Errorf("a place that is not served: %v", err)
	}
}

func TestDigestOfAChannelIsNoMarkup(t *testing.T) {
	t.Parallel()
	d := gaps.DigestFor([]gaps.Question{{
		TurnID: "1", Text: "`<!channel> [x](https://evil.example) @everyone\n# head", Place: "slack:T1/C1", Class: "public_channel", Outcome: gaps.Unanswered,
	}}, gaps.Reader{Place: "slack:T1/C1", Class: "public_channel"})
	md := digestMarkdown(d, time.Now())
	if !strings.Contains(md, "- `'<!channel> [x](https://evil.example) @everyone # head` no answer\n") {
		t.Errorf("digest:\n%s", md)
	}
}
