package hush

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestTransport(t *testing.T) {
	const config, sent = "key-of-the-configuration", "token-of-the-request"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/same":
			http.Redirect(w, r, "/there?page=2", http.StatusFound)
		case "/elsewhere":
			w.Header().Set("Location", "https://elsewhere.test/?sig=1")
			w.WriteHeader(http.StatusFound)
		case "/odd":
			w.Header().Set("Location", "http://[bad?sig=1")
			w.WriteHeader(http.StatusFound)
		default:
			w.Header().Set("X-Echo", r.Header.Get("Authorization"))
			_, _ = io.WriteString(w, r.URL.RawQuery+" "+config+" "+r.Header.Get("Authorization")+" short")
		}
	}))
	t.Cleanup(server.Close)
	client := &http.Client{Transport: Transport{http.DefaultTransport, []string{config, "short"}}}
	for path, want := range map[string]string{
		"/": " [secret] Bearer [secret] short", "/same": "page=2 [secret] Bearer [secret] short", "/elsewhere": "", "/odd": "",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+sent)
		resp, err := client.Do(req)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || string(body) != want || strings.Contains(resp.Header.Get("X-Echo"), sent) || resp.Header.Get("Location") != "" {
			t.Errorf("%s: %q %v %v", path, body, resp.Header, err)
		}
		resp.Body.Close()
	}
}

func TestURLs(t *testing.T) {
	plain := errors.New("plain")
	for _, row := range []struct {
		err  error
		want string
	}{
		{plain, "plain"},
		{&url.Error{Op: "Get", URL: "https://a.test/x", Err: plain}, `Get "https://a.test/x": plain`},
		{&url.Error{Op: "Get", URL: "https://u:p@a.test/x?sig=1#f", Err: plain}, `Get "https://a.test/x": plain`},
		{&url.Error{Op: "Get", URL: "http://[bad?sig=1", Err: plain}, `Get "the address": plain`},
	} {
		got := URLs(row.err)
		if got.Error() != row.want || !errors.Is(got, plain) {
			t.Errorf("%v: %v", row.err, got)
		}
	}
}

func TestMessage(t *testing.T) {
	for text, want := range map[string]string{
		"two\n lines": "two lines",
		"see https://a.test/x?sig=1&b=2 or HTTP://b.test#k.": "see https://a.test/x or HTTP://b.test",
		strings.Repeat("é", 40):                              strings.Repeat("é", 30) + "…",
	} {
		if got := Message(text, 60); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
