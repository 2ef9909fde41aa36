package jsonapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// maxAnswer is how large one answer may be, in bytes.
const maxAnswer = 32 << 20

// client asks the one system and no other.
type client struct {
	http   *http.Client
	base   *url.URL
	recipe *recipe
	vars   map[string]any
	most   int64 // bytes of one answer
}

func newClient(env *sdk.Env, s *Source, base *url.URL, vars map[string]any) *client {
	c := &client{base: base, recipe: s.recipe, vars: vars, most: maxAnswer}
	signed := &signer{next: env.Transport(limitAPI, nil), base: base, auth: s.recipe.Auth, user: s.User, secret: s.Token}
	c.http = &http.Client{Transport: signed, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		if !sameOrigin(base, next.URL) {
			return fmt.Errorf("it leads to another host, %s, which is not asked", next.URL.Host)
		}
		if len(via) > 5 {
			return errors.New("it leads from one address to the next without an end")
		}
		return nil
	}}
	return c
}

// scope has what is the same for all expressions.
func (c *client) scope() scope {
	return scope{vars: c.vars, base: strings.TrimSuffix(c.base.String(), "/")}
}

// signer adds the secret to what goes to the system. It stands before the SDK's
// transport, and the secret is in no error of net/http.
type signer struct {
	next   http.RoundTripper
	base   *url.URL
	auth   auth
	user   string
	secret sdk.Secret
}

func (t *signer) RoundTrip(req *http.Request) (*http.Response, error) {
	out := req.Clone(req.Context())
	if out.Method == http.MethodPost {
		out.Header.Set("Idempotency-Key", "read-only") // lists that are asked for by POST are read all the same
	}
	if t.secret == "" || !sameOrigin(t.base, req.URL) {
		return t.next.RoundTrip(out)
	}
	switch t.auth.Kind {
	case "bearer":
		out.Header.Set("Authorization", "Bearer "+string(t.secret))
	case "header":
		out.Header.Set(t.auth.Name, t.auth.Prefix+string(t.secret))
	case "basic":
		out.SetBasicAuth(t.user, string(t.secret))
	case "query":
		q := out.URL.Query()
		q.Set(t.auth.Name, string(t.secret))
		out.URL.RawQuery = q.Encode()
	}
	resp, err := t.next.RoundTrip(out)
	if resp != nil {
		resp.Request = req // what is told of the request is without the secret
	}
	return resp, err
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}

// answer is one answer that was understood.
type answer struct {
	value  any
	header http.Header
	url    *url.URL
}

// at is the moment of the answer by the system's clock, but never later than by
// ours.
func (a *answer) at() time.Time {
	now := time.Now()
	if t, err := http.ParseTime(a.header.Get("Date")); err == nil && t.Before(now) {
		return t
	}
	return now
}

// ask sends a request of the recipe. A non-empty address stands for path and query.
func (c *client) ask(ctx context.Context, r *request, address string, in any, s scope) (*answer, error) {
	req, err := c.request(ctx, r, address, in, s)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	doing := req.Method + " " + req.URL.Path
	if err := statusOf(resp); err != nil {
		return nil, err
	}
	value, err := c.decode(resp)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	failed, err := c.recipe.Error.one(ctx, value, s)
	if err != nil {
		return nil, err
	}
	if truthy(failed) && failed != "" {
		return nil, fmt.Errorf("%s: the system answered 200 with the error %s", doing, clip(written(failed), 300))
	}
	return &answer{value: value, header: resp.Header, url: req.URL}, nil
}

func (c *client) request(ctx context.Context, r *request, address string, in any, s scope) (*http.Request, error) {
	u, err := c.address(ctx, r, address, in, s)
	if err != nil {
		return nil, err
	}
	method, body := strings.ToUpper(r.Method), []byte(nil)
	if method == "" {
		method = http.MethodGet
	}
	if r.Body.set() {
		v, err := r.Body.one(ctx, in, s)
		if err != nil {
			return nil, err
		}
		body = encoded(v)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "Footnote")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, headers := range []map[string]template{c.recipe.Headers, r.Headers} {
		for name, t := range headers {
			text, there, err := t.fill(ctx, in, s, asIs)
			if err != nil {
				return nil, err
			}
			if there {
				req.Header.Set(name, text)
			}
		}
	}
	return req, nil
}

// address is where a request goes. It stays with the system.
func (c *client) address(ctx context.Context, r *request, address string, in any, s scope) (*url.URL, error) {
	if address != "" {
		u, err := c.base.Parse(address)
		if err != nil {
			return nil, fmt.Errorf("what the system names as the next page is no address")
		}
		if !sameOrigin(c.base, u) || u.User != nil {
			return nil, fmt.Errorf("the next page is on another host, %s, which is not asked", u.Host)
		}
		return u, nil
	}
	path, _, err := r.Path.fill(ctx, in, s, url.PathEscape)
	if err != nil {
		return nil, err
	}
	path, fixed, _ := strings.Cut(path, "?")
	u, err := url.Parse(strings.TrimSuffix(c.base.String(), "/") + "/" + strings.TrimPrefix(path, "/"))
	if err != nil || !sameOrigin(c.base, u) {
		return nil, fmt.Errorf("line %d: %s: it does not make an address", r.Path.line, r.Path.key)
	}
	q, err := url.ParseQuery(fixed)
	if err != nil {
		return nil, fmt.Errorf("line %d: %s: what stands after ? is no query", r.Path.line, r.Path.key)
	}
	for name, t := range r.Query {
		text, there, err := t.fill(ctx, in, s, asIs)
		if err != nil {
			return nil, err
		}
		if there {
			q.Set(name, text)
		}
	}
	u.RawQuery = q.Encode()
	return u, nil
}

// decode reads one JSON value and nothing after it. Numbers stay as they were
// written: ids may be longer than a float is exact.
func (c *client) decode(resp *http.Response) (any, error) {
	limited := &io.LimitedReader{R: resp.Body, N: c.most + 1}
	d := json.NewDecoder(limited)
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("there is more after it")
			var syntax *json.SyntaxError
			if more != nil && !errors.As(more, &syntax) {
				err = more
			}
		}
	}
	switch {
	case limited.N <= 0:
		return nil, sdk.TooLarge(fmt.Errorf("the answer is larger than %d bytes: ask for smaller pages", c.most))
	case err == nil:
		return v, nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the answer breaks off")
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != "" && !strings.Contains(kind, "json") {
		return nil, fmt.Errorf("the answer is not JSON but %s: is the address right, and does it need a token?", clip(kind, 80))
	}
	return nil, fmt.Errorf("the answer is not JSON: %w", err)
}
