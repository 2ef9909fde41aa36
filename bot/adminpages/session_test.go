package adminpages

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestALinkSignsInOnce(t *testing.T) {
	s := newSite(t)
	s.world.links["secret"] = "operator"
	if w := s.do("GET", "/admin/", nil, ""); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/admin/login" {
		t.Errorf("without a session: %d %v", w.Code, w.Header())
	}
	for range 2 { // whatever looks at addresses does not use it up
		if w := s.do("GET", "/admin/login?code=secret", nil, ""); w.Code != 200 || !strings.Contains(w.Body.String(), `value="secret"`) {
			t.Fatalf("the link's page: %d %s", w.Code, w.Body)
		}
	}
	w := s.do("POST", "/admin/login", url.Values{"code": {"secret"}}, "")
	cookies := w.Result().Cookies()
	if w.Code != http.StatusSeeOther || len(cookies) != 1 {
		t.Fatalf("sign in: %d %s", w.Code, w.Body)
	}
	c := cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Secure || c.MaxAge != 0 {
		t.Errorf("cookie %+v", c)
	}
	if w := s.do("GET", "/admin/", nil, c.Value); w.Code != 200 {
		t.Errorf("with a session: %d", w.Code)
	}
	if w := s.do("POST", "/admin/login", url.Values{"code": {"secret"}}, ""); w.Code != http.StatusForbidden || len(w.Result().Cookies()) > 0 {
		t.Errorf("once more: %d", w.Code)
	}
	if w := s.do("POST", "/admin/logout", url.Values{formField: {formToken(c.Value)}}, c.Value); w.Code != http.StatusSeeOther || w.Result().Cookies()[0].MaxAge >= 0 {
		t.Errorf("sign out: %d", w.Code)
	}
	if w := s.do("GET", "/admin/", nil, c.Value); w.Code != http.StatusSeeOther {
		t.Errorf("after signing out: %d", w.Code)
	}
}

func TestTokensOfAdminsSignIn(t *testing.T) {
	s := newSite(t)
	s.world.tokens["fn_admin"], s.world.tokens["fn_dev"] = "ann@example.com", "dev@example.com"
	for code, want := range map[string]int{"fn_admin": http.StatusSeeOther, "fn_dev": http.StatusForbidden, "fn_none": http.StatusForbidden, "": http.StatusForbidden, strings.Repeat("x", 5000): http.StatusForbidden} {
		if w := s.do("POST", "/admin/login", url.Values{"code": {code}}, ""); w.Code != want {
			t.Errorf("%.20q: %d, want %d", code, w.Code, want)
		}
	}
}

func TestSigningInIsLimited(t *testing.T) {
	now := noon
	s := newSite(t, func(o *Options) { o.Now = func() time.Time { return now } })
	try := func(from string) int {
		return s.do("POST", "/admin/login", url.Values{"code": {"guess"}}, "", func(r *http.Request) { r.RemoteAddr = from }).Code
	}
	for range triesOfOne {
		if code := try("127.0.0.1:1"); code != http.StatusForbidden {
			t.Fatalf("a guess: %d", code)
		}
	}
	if a, b := try("127.0.0.1:2"), try("10.0.0.1:1"); a != http.StatusTooManyRequests || b != http.StatusForbidden {
		t.Errorf("one guess too many: %d; somebody else: %d", a, b)
	}
	if now = now.Add(window); try("127.0.0.1:1") != http.StatusForbidden {
		t.Error("a minute later it is still refused")
	}
}

// Every form is refused that a page of another site, or of an older session, sends.
func TestFormsOfOthersDoNothing(t *testing.T) {
	s := newSite(t)
	mine, other := s.signIn(), s.signIn()
	good := url.Values{formField: {formToken(mine)}, "id": {"doc"}, "mark": {"hide"}}
	with := func(name, value string) func(*http.Request) {
		return func(r *http.Request) {
			if r.Header.Del(name); value != "" {
				r.Header.Set(name, value)
			}
		}
	}
	for _, row := range []struct {
		name   string
		form   url.Values
		cookie string
		edit   []func(*http.Request)
		want   int
	}{
		{"a page of ours", good, mine, nil, 303},
		{"an old browser", good, mine, []func(*http.Request){with("Sec-Fetch-Site", ""), with("Origin", "http://"+host)}, 303},
		{"no token", url.Values{"id": {"doc"}, "mark": {"hide"}}, mine, nil, 403},
		{"another session's token", url.Values{formField: {formToken(other)}, "id": {"doc"}, "mark": {"hide"}}, mine, nil, 403},
		{"no session", good, "", nil, 403},
		{"an ended session", good, "gone", nil, 403},
		{"another site", good, mine, []func(*http.Request){with("Sec-Fetch-Site", "cross-site")}, 403},
		{"another port of this machine", good, mine, []func(*http.Request){with("Sec-Fetch-Site", "same-site")}, 403},
		{"another origin", good, mine, []func(*http.Request){with("Sec-Fetch-Site", ""), with("Origin", "https://evil.example")}, 403},
		{"no origin at all", good, mine, []func(*http.Request){with("Sec-Fetch-Site", ""), with("Origin", "")}, 403},
		{"a null origin of an old browser", good, mine, []func(*http.Request){with("Sec-Fetch-Site", "")}, 403},
		{"the token in the address", url.Values{"id": {"doc"}, "mark": {"hide"}}, mine, []func(*http.Request){func(r *http.Request) { r.URL.RawQuery = good.Encode() }}, 403},
		{"too much", url.Values{formField: {formToken(mine)}, "id": {strings.Repeat("x", 100<<10)}}, mine, nil, 400},
	} {
		t.Run(row.name, func(t *testing.T) {
			s.world.deeds = nil
			w := s.do("POST", "/admin/document", row.form, row.cookie, row.edit...)
			if w.Code != row.want {
				t.Errorf("status %d, want %d: %s", w.Code, row.want, w.Body)
			}
			if done := len(s.world.deeds) > 0; done != (row.want == 303) {
				t.Errorf("deeds: %q", s.world.deeds)
			}
		})
	}
}

func TestFormsDoWhatTheySay(t *testing.T) {
	s := newSite(t)
	secret := s.signIn()
	for path, form := range map[string]url.Values{
		"/admin/source":                {"name": {"wiki"}, "how": {"accept"}},
		"/admin/document":              {"id": {"d/1"}, "mark": {"show"}},
		"/admin/question":              {"id": {"t1"}},
		"/admin/settings/agent":        {"name": {"clerk"}, "instructions": {"Be brief."}},
		"/admin/settings/agent/remove": {"name": {"clerk"}},
		"/admin/settings/place":        {"place": {"slack:T1/C1"}, "key": {"mode"}, "value": {"all"}},
	} {
		form.Set(formField, formToken(secret))
		if w := s.do("POST", path, form, secret); w.Code >= 400 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		if w := s.do("GET", strings.Replace(path, "/document", "/nothing", 1)+"?x="+path, nil, secret); w.Code == 303 {
			t.Errorf("GET %s does something", path)
		}
	}
	for _, want := range []string{"operator syncs wiki accept", "operator hides d/1 false", "operator looks at t1", "operator keeps clerk: Be brief.", "operator removes clerk", "operator sets slack:T1/C1 mode all"} {
		if !slices.Contains(s.world.deeds, want) {
			t.Errorf("%q is not in %q", want, s.world.deeds)
		}
	}
	form := url.Values{formField: {formToken(secret)}, "place": {"slack:T1/C1"}, "key": {"external"}, "value": {"on"}}
	if w := s.do("POST", "/admin/settings/place", form, secret); w.Code != 400 {
		t.Errorf("a setting that lets more people read: %d", w.Code)
	}
}
