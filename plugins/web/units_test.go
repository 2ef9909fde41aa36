package web

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

func scopeOf(t testing.TB, address string) *scope {
	t.Helper()
	s := &scope{named: map[string]bool{}}
	if err := s.begin(address); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNormal(t *testing.T) {
	s := scopeOf(t, "https://docs.example.com/guide/")
	base, _ := url.Parse("https://docs.example.com/guide/a/b.html")
	for link, want := range map[string]string{
		"c.html":                                "https://docs.example.com/guide/a/c.html",
		"../x/#part":                            "https://docs.example.com/guide/x/",
		"HTTP://Docs.Example.com:80/guide/X":    "https://docs.example.com/guide/X",
		"https://docs.example.com:443/guide/":   "https://docs.example.com/guide/",
		"?b=2&a=1&utm_source=x&gclid=1&b=2":     "https://docs.example.com/guide/a/b.html?a=1&b=2",
		"/guide/p;jsessionid=AB12?x=1":          "https://docs.example.com/guide/p?x=1",
		"/guide/%7Eann/caf%C3%A9":               "https://docs.example.com/guide/~ann/caf%C3%A9",
		"/guide/a%2Fb":                          "https://docs.example.com/guide/a%2Fb",
		"//user:secret@docs.example.com/guide/": "https://docs.example.com/guide/",
		"/guide":                                "https://docs.example.com/guide",
		"/guidelines/":                          "",
		"/":                                     "",
		"https://example.com/guide/":            "",
		"https://docs.example.com:8443/guide/":  "",
		"mailto:ann@example.com":                "",
		"javascript:void(0)":                    "",
		"/guide/picture.PNG":                    "",
		"http://[::1":                           "",
		"/guide/" + strings.Repeat("x", 1000):   "",
	} {
		got := ""
		if u := s.parse(base, link); u != nil {
			got = u.String()
		}
		if got != want {
			t.Errorf("%q: want %q, got %q", link, want, got)
		}
	}
	for address, want := range map[string]string{
		"https://a.b/": "https://a.b/", "https://a.b/x/": "https://a.b/x", "https://a.b/x/?q=/": "https://a.b/x?q=/", "https://a.b/?q=1": "https://a.b/?q=1",
	} {
		if got := keyOf(address); got != want {
			t.Errorf("%q: want %q, got %q", address, want, got)
		}
	}
}

func TestScope(t *testing.T) {
	s := scopeOf(t, "https://example.com/")
	s.include, s.exclude = rooted([]string{"docs/**", "**/*.pdf"}), rooted([]string{"/docs/old/**"})
	for path, want := range map[string][2]bool{
		"/": {false, true}, "/docs/": {true, true}, "/docs/a/b": {true, true}, "/docs/old/a": {false, false}, "/x/y.pdf": {true, true}, "/x": {false, false},
	} {
		u := &url.URL{Scheme: "https", Host: "example.com", Path: path}
		if got := [2]bool{s.reads(u), s.visits(u)}; got != want {
			t.Errorf("%s: want %v, got %v", path, want, got)
		}
	}
}

func TestGuard(t *testing.T) {
	g, err := newGuard([]string{"wiki.internal", "10.1.0.0/16", "192.168.7.7", "fd00:1::/32"})
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]bool{
		"93.184.216.34": true, "2606:2800:220:1::1": true, "10.1.2.3": true, "192.168.7.7": true, "fd00:1::5": true, "::ffff:10.1.2.3": true,
		"127.0.0.1": false, "127.9.9.9": false, "::1": false, "0.0.0.0": false, "::": false, "10.2.0.1": false, "172.16.0.1": false, "172.32.0.1": true,
		"192.168.7.8": false, "169.254.169.254": false, "fe80::1": false, "fe80::1%eth0": false, "fc00::1": false, "fd00:ec2::254": false,
		"100.64.0.1": false, "100.127.255.255": false, "100.128.0.1": true, "::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false, "::127.0.0.1": false,
		"64:ff9b::a00:1": false, "64:ff9b::5db8:d822": true, "2002:a00:1::1": false, "2002:5db8:d822::1": true, "2001:0:1:2:3:4:f5ff:fffe": false,
		"224.0.0.1": false, "255.255.255.255": false, "ff02::1": false, "fec0::1": false, "198.18.0.1": false, "240.0.0.1": false,
	} {
		if err := g.check("example.com", netip.MustParseAddr(address)); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
	for address, want := range map[string]bool{"127.0.0.1": true, "10.2.0.1": true, "169.254.169.254": false, "fe80::1": false, "::ffff:169.254.169.254": false, "fd00:ec2::254": false} {
		if err := g.check("wiki.internal", netip.MustParseAddr(address)); (err == nil) != want {
			t.Errorf("wiki.internal at %s: %v", address, err)
		}
	}
	for _, bad := range []string{"", "http://wiki", "10.0.0.0/33", "*", "a b", "wiki:80"} {
		if _, err := newGuard([]string{bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestRobots(t *testing.T) {
	for _, c := range []struct {
		name, text, allowed, forbidden string
		delay                          time.Duration
	}{
		{"empty", "", "/a", "", 0},
		{"all", "User-agent: *\nDisallow: /", "", "/ /a", 0},
		{"ours", "User-agent: footnotebot\nDisallow:\n\nUser-agent: *\nDisallow: /", "/ /a", "", 0},
		{"others'", "User-agent: OtherBot\nDisallow: /\n", "/a", "", 0},
		{"longest", "User-agent: *\nDisallow: /a\nAllow: /a/b\nCrawl-delay: 2.5", "/ /a/b/c", "/a /a/c", 2500 * time.Millisecond},
		{"wildcards", "User-agent: *\nDisallow: /*.pdf$\nDisallow: /*?sort=", "/a.pdf?x /a", "/a/b.pdf /a?sort=up", 0},
		{"nonsense", "hello\nDisallow: /early\n\x00\xff: y\nUser-agent: *\nCrawl-delay: soon\nDisallow /x\nDisallow: /b # no\nNoindex: /c", "/early /x /c", "/b", 0},
		{"mark", "\xEF\xBB\xBFUser-Agent: *\r\nDisallow: /b\r\n", "/a", "/b", 0},
		{"a page", "<!doctype html><title>Not found</title>", "/a", "", 0},
	} {
		r := parseRobots([]byte(c.text))
		for paths, want := range map[string]bool{c.allowed: true, c.forbidden: false} {
			for path := range strings.FieldsSeq(paths) {
				if u, _ := url.Parse("https://example.com" + path); r.allow(u) != want {
					t.Errorf("%s: %s: want %v", c.name, path, want)
				}
			}
		}
		if r.group.CrawlDelay != c.delay {
			t.Errorf("%s: delay %v", c.name, r.group.CrawlDelay)
		}
	}
	r := parseRobots([]byte("Sitemap: https://example.com/one.xml\nUser-agent: *\nDisallow:\nsitemap: /two.xml"))
	if diff := cmp.Diff([]string{"https://example.com/one.xml", "https://example.com/two.xml"}, robotsSitemaps(&url.URL{Scheme: "https", Host: "example.com"}, r.sitemaps)); diff != "" {
		t.Error(diff)
	}
}

func TestReadPage(t *testing.T) {
	base, _ := url.Parse("https://example.com/docs/page")
	p, err := readPage(base, `<!doctype html><html lang="de-CH"><head><base href="/other/"><title> A
	  title</title><meta name="robots" content="NoIndex, nofollow"><link rel="canonical" href="/docs/canon">
	<meta property="article:published_time" content="2026-01-02"><script>secret()</script><style>x{}</style></head>
	<body onload="x()"><a href="near">N</a><a rel="nofollow ugc" href="far">F</a><a href="javascript:x()">J</a><svg><title>no</title></svg>
	<form><input type="hidden" name="csrf" value="9f3a"></form><!-- c --><p class="lead" data-x="1" style="y">Text <img src="a.png" alt="An image"></p></body></html>`)
	if err != nil {
		t.Fatal(err)
	}
	if p.title != "A title" || p.language != "de-ch" || !p.noindex || !p.nofollow || p.canonical != "https://example.com/docs/canon" ||
		!p.created.Equal(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", p)
	}
	if diff := cmp.Diff([]string{"https://example.com/other/near", "javascript:x()"}, p.links); diff != "" {
		t.Error(diff)
	}
	for _, gone := range []string{"secret", "onload", "csrf", "<!-- c", "data-x", "style", "javascript"} {
		if strings.Contains(p.body, gone) {
			t.Errorf("%q is in %s", gone, p.body)
		}
	}
	for _, kept := range []string{`lang="de-CH"`, `class="lead"`, `src="https://example.com/other/a.png"`, `alt="An image"`} {
		if !strings.Contains(p.body, kept) {
			t.Errorf("%q is not in %s", kept, p.body)
		}
	}
	again, err := readPage(base, `<title>A title</title><p>N F J Text`)
	if err != nil || again.print != p.print {
		t.Errorf("the same text has another print: %v", err)
	}
	if _, err := readPage(base, strings.Repeat("<div>", 100_000)); sdk.KindOf(err) != "invalid" {
		t.Errorf("deep: %v", err)
	}
}

func TestDecodePage(t *testing.T) {
	for _, c := range []struct{ raw, contentType, want string }{
		{"caf\xc3\xa9", "text/html; charset=iso-8859-1", "café"},
		{"caf\xe9", "text/html; charset=iso-8859-1", "café"},
		{"<meta charset=windows-1251>\xcf\xf0\xe8\xe2\xe5\xf2", "text/html", "<meta charset=windows-1251>Привет"},
		{"\xff\xfeh\x00i\x00", "text/html", "hi"},
		{"\x83\x65\x83\x58\x83\x67", "text/html; charset=Shift_JIS", "テスト"},
		{"\xEF\xBB\xBFhi", "", "hi"},
	} {
		if got, err := decodePage([]byte(c.raw), c.contentType); err != nil || got != c.want {
			t.Errorf("%q: want %q, got %q, %v", c.raw, c.want, got, err)
		}
	}
}

func TestRobotsHeader(t *testing.T) {
	for _, c := range []struct {
		values            []string
		noindex, nofollow bool
	}{
		{nil, false, false}, {[]string{"noindex"}, true, false}, {[]string{"none"}, true, true}, {[]string{"otherbot: noindex"}, false, false},
		{[]string{"otherbot: noindex", "FootnoteBot: nofollow"}, false, true}, {[]string{"noindex, nofollow"}, true, true}, {[]string{"unavailable_after: 25 Jun 2030 15:00:00 PST"}, false, false},
	} {
		p := &page{}
		p.robotsHeader(c.values)
		if p.noindex != c.noindex || p.nofollow != c.nofollow {
			t.Errorf("%q: %v %v", c.values, p.noindex, p.nofollow)
		}
	}
}

// A page that was made for the answer says nothing by its time.
func TestModified(t *testing.T) {
	now := time.Date(2026, 12, 1, 5, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		changed, date string
		want          bool
	}{
		{now.Add(-time.Hour).Format(http.TimeFormat), now.Format(http.TimeFormat), true},
		{now.Format(http.TimeFormat), now.Format(http.TimeFormat), false},
		{now.Add(time.Hour).Format(http.TimeFormat), now.Format(http.TimeFormat), false},
		{now.Add(-time.Hour).Format(http.TimeFormat), "", false}, {"yesterday", now.Format(http.TimeFormat), false},
	} {
		a := &answer{Response: &http.Response{Header: http.Header{"Last-Modified": {c.changed}, "Date": {c.date}}}}
		if got := modified(a); got.IsZero() == c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
