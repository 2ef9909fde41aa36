package adminpages

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/footnote-bot/footnote/core"
)

// allPages are those that are read, with every part of them filled.
var allPages = []string{
	"/admin/", "/admin/sources", "/admin/source?name=x", "/admin/documents?words=x&source=y&hidden=1&from=50",
	"/admin/document?id=x&as=ann@example.com&place=dm", "/admin/questions?days=30&outcome=failed", "/admin/question?id=x",
	"/admin/gaps", "/admin/feedback", "/admin/usage?days=90", "/admin/audit?since=2026-05-01&until=2026-05-04&who=x", "/admin/settings",
}

func TestHostileTextStaysText(t *testing.T) {
	for name, text := range map[string]string{
		"markup":    `<script>alert(1)</script><img src=x onerror=alert(2)>"'><svg/onload=x>`,
		"attribute": `" autofocus onfocus="alert(1)`, "template": `{{.Form}}${x}`, "link": "javascript:alert(1)",
		"direction": "safe\u202e\u2066gnp.exe\u2028x", "control": "a\x00b\x1b[31mc\xff", "long": strings.Repeat("ab <b>", 100<<10/6),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.world.text = text
			secret := s.signIn()
			for _, path := range allPages {
				w := s.do("GET", path, nil, secret)
				if w.Code != 200 {
					t.Fatalf("%s: %d %s", path, w.Code, w.Body)
				}
				checkHarmless(t, path, w.Body.String(), text)
			}
			w := s.do("POST", "/admin/question", url.Values{formField: {formToken(secret)}, "id": {"x"}}, secret)
			checkHarmless(t, "reveal", w.Body.String(), text)
		})
	}
}

// checkHarmless parses the page as a browser would and looks for anything that our
// templates did not write.
func checkHarmless(t *testing.T, path, page, text string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode:
			if strings.ContainsAny(n.Data, "\u202e\u2066\u2028\x00\x1b") {
				t.Errorf("%s: control characters in %q", path, n.Data)
			}
			if len(n.Data) > 4*longText+100 {
				t.Errorf("%s: %d bytes of text in one place", path, len(n.Data))
			}
		case n.Type != html.ElementNode:
		case n.Data == "script" || n.Data == "img" || n.Data == "b" || n.Data == "iframe" || n.Data == "style":
			t.Errorf("%s: <%s> is no element of ours", path, n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "autofocus" {
				t.Errorf("%s: attribute %s=%q", path, a.Key, a.Val)
			}
			if (a.Key == "href" || a.Key == "action" || a.Key == "src") && !strings.HasPrefix(a.Val, "/admin/") && a.Val != "#main" && a.Val != "data:," {
				t.Errorf("%s: %s leads to %q", path, a.Key, a.Val)
			}
		}
	}
}

// An id is shown cleaned and sent back as it is.
func TestIdsGoBackUnchanged(t *testing.T) {
	s := newSite(t)
	s.world.text = "wiki/a b&c\u202e<d>" + strings.Repeat("e", 300)
	w := s.do("GET", "/admin/documents", nil, s.signIn())
	root, err := html.Parse(strings.NewReader(w.Body.String()))
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if u, err := url.Parse(a.Val); err == nil && a.Key == "href" && u.Path == "/admin/document" {
				found = found || u.Query().Get("id") == s.world.text
			}
		}
	}
	if !found {
		t.Errorf("no link leads to the document: %s", w.Body)
	}
}

func TestEveryAnswerIsShielded(t *testing.T) {
	s := newSite(t)
	secret := s.signIn()
	for _, path := range append([]string{"/admin/login", "/admin/none", "/admin/style.css", "/"}, allPages...) {
		w := s.do("GET", path, nil, secret)
		h := w.Header()
		if csp := h.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "script-src") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", path, csp)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: %v", path, h)
		}
	}
	if w := s.do("GET", "/admin/none", nil, secret); w.Code != 404 {
		t.Errorf("no page: %d", w.Code)
	}
}

func TestOnlyNamesOfThisMachineAreAnswered(t *testing.T) {
	outside, _ := url.Parse("https://footnote.example.com")
	for _, row := range []struct {
		host string
		url  *url.URL
		want int
	}{
		{"127.0.0.1:8081", nil, 200}, {"localhost:8081", nil, 200}, {"[::1]:8081", nil, 200}, {"localhost", nil, 200},
		{"rebound.evil.example:8081", nil, 421}, {"127.0.0.1.evil.example", nil, 421}, {"", nil, 421}, {"10.0.0.7:8081", nil, 421},
		{"footnote.example.com", nil, 421}, {"footnote.example.com", outside, 200}, {"evil.example", outside, 421},
	} {
		s := newSite(t, func(o *Options) { o.URL = row.url })
		w := s.do("GET", "/admin/login", nil, "", func(r *http.Request) { r.Host = row.host })
		if w.Code != row.want {
			t.Errorf("%q with %v: %d, want %d", row.host, row.url, w.Code, row.want)
		}
	}
}

func TestMetricsAskOthersForAToken(t *testing.T) {
	outside, _ := url.Parse("https://footnote.example.com")
	s := newSite(t, func(o *Options) { o.URL = outside })
	s.world.tokens["fn_admin"], s.world.tokens["fn_dev"] = "ann@example.com", "dev@example.com"
	for _, row := range []struct {
		remote, host, token, forwarded string
		want                           int
	}{
		{"127.0.0.1:1", host, "", "", 200}, {"[::1]:1", host, "", "", 200},
		{"10.0.0.7:1", host, "", "", 403}, {"10.0.0.7:1", host, "fn_admin", "", 200}, {"10.0.0.7:1", host, "fn_dev", "", 403}, {"10.0.0.7:1", host, "fn_none", "", 403},
		{"127.0.0.1:1", "footnote.example.com", "", "", 403}, {"127.0.0.1:1", host, "", "10.0.0.7", 403}, {"127.0.0.1:1", host, "fn_admin", "10.0.0.7", 200},
	} {
		w := s.do("GET", "/metrics", nil, "", func(r *http.Request) {
			r.RemoteAddr, r.Host = row.remote, row.host
			if row.token != "" {
				r.Header.Set("Authorization", "Bearer "+row.token)
			}
			if row.forwarded != "" {
				r.Header.Set("X-Forwarded-For", row.forwarded)
			}
		})
		if w.Code != row.want || (w.Code == 200) != (w.Body.String() == "numbers") {
			t.Errorf("%+v: %d %s", row, w.Code, w.Body)
		}
	}
}

func TestErrorsArePages(t *testing.T) {
	s := newSite(t)
	secret := s.signIn()
	for want, err := range map[int]error{
		404: core.Errorf(core.KindNotFound, "There is no source <b>x</b>."), 409: core.Errorf(core.KindConflict, "It is being read already."),
		500: errors.New("secret detail"), 403: core.Errorf(core.KindDenied, "Not here."),
	} {
		s.world.err = err
		for _, path := range []string{"/admin/sources", "/admin/gaps"} {
			w := s.do("GET", path, nil, secret)
			if w.Code != want || !strings.Contains(w.Body.String(), "That did not work") || strings.Contains(w.Body.String(), "secret detail") || strings.Contains(w.Body.String(), "<b>x") {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
		}
	}
}

func TestPlotsFitTheirFrame(t *testing.T) {
	for _, n := range []int{0, 1, 7, 90} {
		var days []UsageDay
		for i := range n {
			days = append(days, UsageDay{Day: fmt.Sprint(i), Questions: i * i * 37, Gaps: i * i * 50, Cost: float64(i) * 0.013})
		}
		for _, p := range []plot{bars(days), line(days)} {
			for _, b := range p.Bars {
				if b.X < plotLeft || b.X+b.W > plotWidth+0.1 || b.Y < 0 || b.Y+b.H > plotHeight || b.H2 > b.H {
					t.Errorf("bar %+v of %d", b, n)
				}
			}
			for _, d := range p.Dots {
				if d.X < plotLeft || d.X > plotWidth || d.Y < 0 || d.Y > plotHeight {
					t.Errorf("dot %+v of %d", d, n)
				}
			}
			if len(p.Marks) != 3 {
				t.Errorf("marks %+v", p.Marks)
			}
		}
	}
}
