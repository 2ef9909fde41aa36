package web

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/plugins/web/webtest"
)

func packed(text string) string {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return out.String()
}

func urlset(locs ...string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>` +
		strings.Join(locs, `</loc><lastmod>2026-01-01</lastmod><image:image><image:loc>https://cdn.example/x.png</image:loc></image:image></url><url><loc> `) + `</loc></url></urlset>`
}

// Whatever a sitemap looks like, what can be read of it counts, and it comes to an end.
func TestSitemaps(t *testing.T) {
	type want struct {
		found []string
		note  string
	}
	for name, c := range map[string]struct {
		texts map[string]string
		want
	}{
		"plain":         {map[string]string{"/s": urlset("ROOT/a", "ROOT/b?x=1&amp;y=2", "/c", "https://elsewhere.example/d")}, want{[]string{"/a", "/b?x=1&y=2", "/c"}, ""}},
		"packed":        {map[string]string{"/s": packed(urlset("ROOT/a"))}, want{[]string{"/a"}, ""}},
		"lines":         {map[string]string{"/s": "\xEF\xBB\xBFROOT/a\nROOT/b\n\nnothing\n"}, want{[]string{"/a", "/b"}, ""}},
		"itself":        {map[string]string{"/s": "<sitemapindex><sitemap><loc>ROOT/s</loc></sitemap><sitemap><loc>ROOT/t</loc></sitemap></sitemapindex>", "/t": urlset("ROOT/a")}, want{[]string{"/a"}, ""}},
		"each other":    {map[string]string{"/s": "<sitemapindex><sitemap><loc>ROOT/t</loc></sitemap></sitemapindex>", "/t": "<sitemapindex><sitemap><loc>ROOT/s</loc></sitemap></sitemapindex>"}, want{nil, ""}},
		"too deep":      {map[string]string{"/s": "<sitemapindex><sitemap><loc>ROOT/s2</loc></sitemap></sitemapindex>", "/s2": "<sitemapindex><sitemap><loc>ROOT/s3</loc></sitemap></sitemapindex>", "/s3": "<sitemapindex><sitemap><loc>ROOT/s4</loc></sitemap></sitemapindex>"}, want{nil, "too deep"}},
		"cut short":     {map[string]string{"/s": strings.TrimSuffix(urlset("ROOT/a", "ROOT/b"), "oc></url></urlset>")}, want{[]string{"/a"}, "up to a mistake"}},
		"no XML":        {map[string]string{"/s": "<urlset><url><loc>ROOT/a</loc></url><url><<loc>ROOT/b</loc>"}, want{[]string{"/a"}, "up to a mistake"}},
		"entities":      {map[string]string{"/s": `<!DOCTYPE x [<!ENTITY a "ROOT/boom">]><urlset><url><loc>&a;</loc></url><url><loc>ROOT/a</loc></url></urlset>`}, want{[]string{"/&a;", "/a"}, ""}}, // as it is written
		"a page":        {map[string]string{"/s": "<!doctype html><html><p>hello"}, want{nil, "no sitemap"}},
		"empty":         {map[string]string{"/s": ""}, want{nil, "empty"}},
		"endless":       {map[string]string{"/s": "<urlset><url><loc>" + strings.Repeat("x", 100_000)}, want{nil, "no end"}},
		"not there":     {nil, want{nil, "answered 404"}},
		"broken gzip":   {map[string]string{"/s": "\x1f\x8b nonsense that is packed"}, want{nil, "up to a mistake"}},
		"character set": {map[string]string{"/s": `<?xml version="1.0" encoding="ISO-8859-1"?><urlset><url><loc>ROOT/caf` + "\xe9" + `</loc></url></urlset>`}, want{[]string{"/caf%C3%A9"}, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			server := webtest.New()
			address := server.Start(t)
			for path, text := range c.texts {
				if !strings.HasPrefix(text, "\x1f") {
					text = strings.ReplaceAll(text, "ROOT", address)
				} else if name == "packed" {
					text = packed(strings.ReplaceAll(urlset("ROOT/a"), "ROOT", address))
				}
				server.Set(path, &webtest.Page{Type: "application/xml", Text: text})
			}
			s := start(t, site(address))
			crawl := s.crawl(newState(""), silent{})
			var notes []string
			m := &sitemaps{web: s.web, seen: map[string]bool{}, each: crawl.named, note: func(text string) { notes = append(notes, text) }}
			if err := m.read(t.Context(), address+"/s", 1); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, k := range crawl.state.order {
				got = append(got, strings.TrimPrefix(k.URL, address))
			}
			if diff := cmp.Diff(c.found, got); diff != "" {
				t.Error(diff)
			}
			if all := strings.Join(notes, "\n"); c.note == "" && all != "" || !strings.Contains(all, c.note) {
				t.Errorf("want %q, noted %q", c.note, all)
			}
		})
	}
}

// Half a million entries are read as they come; no more of them are kept than asked
// for.
func TestLargeSitemap(t *testing.T) {
	entries := 500_000
	if testing.Short() {
		entries = 5000
	}
	server := webtest.New()
	address := server.Start(t)
	server.Set("/robots.txt", &webtest.Page{Type: "text/plain", Text: "Sitemap: " + address + "/sitemap.xml.gz"})
	server.Set("/", &webtest.Page{Title: "Start", Text: text("the start")})
	server.Set("/sitemap.xml.gz", &webtest.Page{Serve: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		fmt.Fprint(z, "<urlset>")
		for n := range entries {
			fmt.Fprintf(z, "<url><loc>%s/%d</loc></url>\n", address, n)
		}
		fmt.Fprint(z, "</urlset>")
	}})
	s, h := site(address), newHost()
	s.MaxPages = 50
	synced(t, start(t, s), h)
	if requests, _ := server.Forget(); requests != 52 || len(h.docs) != 1 {
		t.Errorf("%d requests, %d documents", requests, len(h.docs))
	}
	if got := strings.Join(h.notes, "\n"); !strings.Contains(got, fmt.Sprintf("%d addresses were left out because max_pages is 50", entries-49)) {
		t.Error(got)
	}
}
