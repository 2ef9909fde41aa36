// Package hush keeps secrets out of what a connector says: out of its errors, its log
// lines and its documents.
package hush

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Transport takes secrets out of answers before anything reads them: a server, or a
// proxy before it, may repeat what it was sent. It also takes out where an answer
// leads that leads to another host: nobody follows it, and its address may be signed.
type Transport struct {
	Next    http.RoundTripper
	Secrets []string // beside the one in each request's own Authorization
}

const (
	instead = "[secret]"
	// shortest is how long a secret is at least: a shorter one is none, and its
	// letters stand in ordinary words.
	shortest = 8
	// most is how much of an answer is looked through, in bytes. Connectors take no more.
	most = 64<<20 + 1
)

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	hide := hider(append(slices.Clone(t.Secrets), presented(req)...))
	resp, err := t.Next.RoundTrip(req)
	if err != nil { // of an answer that is no HTTP it repeats the beginning
		return nil, reworded{err, Message(hide.Replace(err.Error()), 300)}
	}
	resp.Status = hide.Replace(resp.Status)
	for name, values := range resp.Header {
		for n := range values {
			resp.Header[name][n] = hide.Replace(values[n])
		}
	}
	if !within(req.URL, resp.Header.Get("Location")) {
		resp.Header.Del("Location")
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, most))
	clean := []byte(hide.Replace(string(body)))
	if !bytes.Equal(clean, body) {
		resp.ContentLength = -1
		resp.Header.Del("Content-Length")
	}
	rest := io.Reader(resp.Body)
	if err != nil {
		rest = failing{err}
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(clean), rest), resp.Body}
	return resp, nil
}

// presented is the secret that a request carries.
func presented(req *http.Request) []string {
	if _, secret, ok := strings.Cut(req.Header.Get("Authorization"), " "); ok {
		return []string{secret}
	}
	return nil
}

func hider(secrets []string) *strings.Replacer {
	var pairs []string
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) >= shortest {
			pairs = append(pairs, s, instead)
		}
	}
	return strings.NewReplacer(pairs...)
}

// within tells whether an answer leads to the same server.
func within(from *url.URL, location string) bool {
	to, err := from.Parse(location)
	return err == nil && to.Scheme == from.Scheme && strings.EqualFold(to.Host, from.Host)
}

// failing is what is left of a body that broke off.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// URLs takes queries, which carry keys, out of the address that an error of net/http
// names.
func URLs(err error) error {
	var at *url.Error
	if !errors.As(err, &at) {
		return err
	}
	short := "the address"
	if u, parsing := url.Parse(at.URL); parsing == nil {
		u.RawQuery, u.Fragment, u.User = "", "", nil
		short = u.String()
	}
	if short == at.URL {
		return err
	}
	return reworded{err, strings.ReplaceAll(err.Error(), at.URL, short)}
}

type reworded struct {
	error
	text string
}

func (e reworded) Error() string { return e.text }
func (e reworded) Unwrap() error { return e.error }

// query is what follows the path of an address in a text.
var query = regexp.MustCompile(`(?i)(https?://[^\s?#"'<>]*)[?#][^\s"'<>]*`)

// Message is what a server said, as an error may repeat it: short, on one line, and
// its addresses without their queries.
func Message(text string, limit int) string {
	text = strings.Join(strings.Fields(query.ReplaceAllString(text, "$1")), " ")
	if len(text) > limit {
		return strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return text
}
