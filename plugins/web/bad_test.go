package web

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/web/webtest"
)

// linking is a page that links to others.
func linking(links ...string) *webtest.Page {
	return &webtest.Page{Title: "Start", Text: text("the start"), Links: links}
}

// zeros writes a body of many bytes, packed or not, until the reader leaves.
func zeros(packed bool, mib int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		block, write := make([]byte, 1<<20), w.Write
		if packed {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			write = z.Write
		}
		for range mib {
			if _, err := write(block); err != nil || r.Context().Err() != nil {
				return
			}
		}
	}
}

// Bodies that are too large, packed or not, and answers that never end cost no more
// than their own page.
func TestTooMuch(t *testing.T) {
	server := webtest.New()
	server.Set("/", linking("/bomb", "/large", "/fine", "/large.pdf", "/claims.pdf"))
	server.Set("/fine", &webtest.Page{Title: "Fine", Text: text("fine")})
	server.Set("/bomb", &webtest.Page{Serve: zeros(true, 20)})
	server.Set("/large", &webtest.Page{Serve: zeros(false, 200)})
	server.Set("/large.pdf", &webtest.Page{Serve: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		for range 200 {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	}})
	server.Set("/claims.pdf", &webtest.Page{Serve: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		w.Header().Set("Content-Length", "209715200")
	}})
	s, h := start(t, site(server.Start(t))), newHost()
	s.MaxMB = 2
	synced(t, s, h)
	if diff := cmp.Diff([]string{"/", "/fine"}, paths(s, h.docs)); diff != "" {
		t.Error(diff)
	}
	for path, kind := range map[string]string{"/bomb": "too_large", "/large": "too_large", "/large.pdf": "too_large", "/claims.pdf": "too_large"} {
		if err := h.failed[s.Site+path]; err == nil || sdk.KindOf(err) != kind {
			t.Errorf("%s: want %q, got %v", path, kind, err)
		}
	}
}

// An answer that trickles in for ever is given up, and not for the caller's want of
// time.
func TestSlow(t *testing.T) {
	server := webtest.New()
	server.Set("/", &webtest.Page{Serve: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for r.Context().Err() == nil {
			if _, err := w.Write([]byte("<p>")); err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
			_ = pause(r.Context(), time.Millisecond)
		}
	}})
	s := start(t, site(server.Start(t)))
	a, err := s.web.get(t.Context(), s.scope.starts[0], nil, 50*time.Millisecond)
	if err == nil {
		_, err = body(a, 1<<20)
		a.Body.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "longer than 50ms") || errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// Pages that never answer are no site that is down, and keep nothing from being listed.
func TestBrokenPages(t *testing.T) {
	server := handbook()
	links := []string{"/coffee"}
	for n := range 12 {
		path := fmt.Sprint("/broken/", n)
		links = append(links, path)
		server.Set(path, &webtest.Page{Status: 500})
	}
	server.Set("/", linking(links...))
	s, h := start(t, site(server.Start(t))), newHost()
	for range 2 {
		synced(t, s, h)
		if len(h.docs) != 3 || len(h.failed) != 12 {
			t.Errorf("%v, %d failed", paths(s, h.docs), len(h.failed))
		}
		for range 2 { // after the sync, and by itself
			if got, err := listed(t, s); err != nil || len(got) != 15 {
				t.Errorf("%v, %v", got, err)
			}
		}
	}
	server.Set("/", &webtest.Page{Status: 500})
	server.Set("/coffee", &webtest.Page{Status: 500})
	if err := s.sync(t.Context(), h.cursor, h); err == nil {
		t.Error("a site that is down was synced")
	}
}

// A site that goes down in the middle of a crawl ends it; the next one goes on where
// that was.
func TestGoesDown(t *testing.T) {
	server := many(60)
	address := server.Start(t)
	server.Set("/p/30", &webtest.Page{Serve: func(w http.ResponseWriter, r *http.Request) {
		for n := 30; n < 60; n++ {
			server.Set(fmt.Sprintf("/p/%d", n), &webtest.Page{Status: 503})
		}
		server.Set("/", &webtest.Page{Status: 503})
		w.WriteHeader(http.StatusServiceUnavailable)
	}})
	s, h := start(t, site(address)), newHost()
	if err := s.sync(t.Context(), nil, h); err == nil || !strings.Contains(err.Error(), "the site is down: 5 pages") {
		t.Error(err)
	}
	if len(h.saved) != 30 || len(h.failed) != 0 {
		t.Errorf("%d saved, %v failed", len(h.saved), h.failed)
	}
	if _, err := listed(t, s); err == nil {
		t.Error("a listing of a site that is down")
	}
	for n := range 59 {
		path := fmt.Sprintf("/p/%d", n+1)
		server.Set(path, &webtest.Page{Title: path, Text: text(path)})
	}
	server.Set("/", linking())
	server.Forget()
	h.sent = 0
	synced(t, s, h)
	if requests, _ := server.Forget(); len(h.docs) != 60 || h.sent != 30 || requests != 31 {
		t.Errorf("%d documents, %d sent, %d requests", len(h.docs), h.sent, requests)
	}
}

// A sync that is cancelled while a page trickles in is over soon.
func TestCancelled(t *testing.T) {
	reached := make(chan struct{})
	server := handbook()
	server.Set("/coffee", &webtest.Page{Serve: func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		close(reached)
		<-r.Context().Done()
	}})
	s := start(t, site(server.Start(t)))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.sync(ctx, nil, newHost()) }()
	<-reached
	cancel()
	if err := <-done; err != context.Canceled {
		t.Error(err)
	}
}

// Sites without end come to one.
func TestEndless(t *testing.T) {
	server := webtest.New()
	server.Set("/", linking("/cal/2026/01", "/list?page=1", "/loop/a/"))
	next := func(pattern string, n int) *webtest.Page {
		return &webtest.Page{Title: fmt.Sprintf(pattern, n), Text: text(fmt.Sprintf(pattern, n)), Links: []string{fmt.Sprintf(pattern, n+1)}}
	}
	for n := range 400 {
		year, month := 2026+n/12, n%12+1
		p := next("/list?page=%d", n)
		server.Set(fmt.Sprintf("/list?page=%d", n), p)
		to := n + 1
		server.Set(fmt.Sprintf("/cal/%d/%02d", year, month), &webtest.Page{
			Title: "Calendar", Text: text(fmt.Sprint("month ", n)), Links: []string{fmt.Sprintf("/cal/%d/%02d", 2026+to/12, to%12+1)},
		})
	}
	loop := "/loop/a/"
	for range 30 {
		server.Set(loop, &webtest.Page{Title: loop, Text: text(loop), Links: []string{"b/a/"}})
		loop += "b/a/"
	}
	s := site(server.Start(t))
	s.Depth = 100
	h := newHost()
	synced(t, start(t, s), h)
	count := map[string]int{}
	for _, path := range paths(s, h.docs) {
		count[strings.SplitN(strings.Trim(path, "/"), "/", 2)[0][:min(3, len(strings.Trim(path, "/")))]]++
	}
	if count["cal"] > mostDates || count["lis"] > mostOfAShape || count["loo"] > 3 || count["cal"] < 10 || count["lis"] < 50 {
		t.Errorf("%v", count)
	}
	if len(h.notes) == 0 || !strings.Contains(strings.Join(h.notes, "\n"), "without end") {
		t.Errorf("%q", h.notes)
	}
}

// Redirects and links that lead away from the site are not followed, and no address
// that is not public is dialled for them.
func TestAway(t *testing.T) {
	inside, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close()
	server := handbook()
	server.Set("/", linking("/fine", "/inside", "/outside", "/round/a", "/scheme"))
	server.Set("/fine", &webtest.Page{Title: "Fine", Text: text("fine")})
	server.Set("/inside", &webtest.Page{To: "http://" + inside.Addr().String() + "/"})
	server.Set("/outside", &webtest.Page{To: "http://[::ffff:10.0.0.1]/"})
	server.Set("/round/a", &webtest.Page{To: "/round/b"})
	server.Set("/round/b", &webtest.Page{To: "/round/a"})
	server.Set("/scheme", &webtest.Page{To: "file:///etc/passwd"})
	s, h := start(t, site(server.Start(t))), newHost()
	synced(t, s, h)
	if diff := cmp.Diff([]string{"/", "/fine"}, paths(s, h.docs)); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(h.notes, "\n"); !strings.Contains(got, "2 pages lead away from the site") {
		t.Error(got)
	}
	own, err := net.Dial("tcp", inside.Addr().String()) // comes after whoever called before
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	first, err := inside.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if first.RemoteAddr().String() != own.LocalAddr().String() {
		t.Error("somebody called")
	}
}

// The name of a public host may lead to a private address: what counts is the address
// that is dialled.
func TestNameOfAPrivateAddress(t *testing.T) {
	server := handbook()
	address := strings.Replace(server.Start(t), "127.0.0.1", "localhost", 1)
	for allowed, fine := range map[string]bool{"": false, "10.0.0.0/8": false, "localhost": true, "127.0.0.0/8": true, "LOCALHOST": true} {
		s := site(address)
		s.AllowPrivate = nil
		if allowed != "" {
			s.AllowPrivate = []string{allowed, "::1"}
		}
		err := start(t, s).sync(t.Context(), nil, newHost())
		if fine != (err == nil) || !fine && sdk.KindOf(err) != "config" {
			t.Errorf("%q: %v", allowed, err)
		}
	}
}

// The authorization goes to the host of site and to nobody else, not even for a
// sitemap or a redirect.
func TestAuthorization(t *testing.T) {
	told := map[string]string{}
	var other string
	note := func(name string) *webtest.Page {
		return &webtest.Page{Serve: func(w http.ResponseWriter, r *http.Request) {
			told[name] = r.Header.Get("Authorization") + r.Header.Get("Cookie")
			w.Header().Set("Set-Cookie", "visitor=1")
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<title>%s</title><p>%s", name, name)
		}}
	}
	second := webtest.New()
	second.Set("/", note("second"))
	second.Set("/sitemap.xml", note("sitemap"))
	other = second.Start(t)
	first := webtest.New()
	first.Set("/robots.txt", &webtest.Page{To: other + "/robots.txt"})
	second.Set("/robots.txt", note("robots"))
	first.Set("/", note("first"))
	s := site(first.Start(t))
	s.Authorization, s.Also, s.Sitemaps = "Bearer of-the-tests", []string{other}, []string{other + "/sitemap.xml"}
	h := newHost()
	synced(t, start(t, s), h)
	if diff := cmp.Diff(map[string]string{"first": "Bearer of-the-tests", "second": "", "sitemap": "", "robots": ""}, told); diff != "" {
		t.Error(diff)
	}
}
