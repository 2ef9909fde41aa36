package slacktest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Call is one call of the Web API as it arrived.
type Call struct {
	Method string
	Token  string // its fingerprint, never the token
	Params map[string]string
	At     time.Time // on the server's clock
	Error  string    // the error code of the answer, empty for ok
}

// call is what a method works with.
type call struct {
	*Server
	params
	method string
	token  *token
	in     *install // nil for app and configuration tokens
}

// method is one method of the Web API: who may call it, how often, and what it
// does. Scope lists alternatives; the scopes of a kind of channel are asked for
// inside the method.
type method struct {
	scope string
	kind  tokenKind
	tier  int // calls a minute and token
	run   func(*call) (object, error)
}

// refusal is an answer with ok: false.
type refusal struct {
	code     string
	messages []string
	extra    object
	retry    int // seconds, for HTTP 429
}

func (r *refusal) Error() string { return r.code }

func refuse(code string, messages ...string) error {
	return &refusal{code: code, messages: messages}
}

// Calls returns the calls of a method so far, or of all for an empty name.
func (s *Server) Calls(method string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Call
	for _, c := range s.calls {
		if method == "" || c.Method == method {
			out = append(out, c)
		}
	}
	return out
}

// answer runs a method. The mutex is not held.
func (s *Server) answer(name, secret string, p params) (int, map[string]string, json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &call{Server: s, params: p, method: name}
	header := map[string]string{"X-Slack-Req-Id": s.nextID("R")}
	result, err := s.invoke(c, secret, header)
	if result == nil {
		result = object{}
	}
	status, code := http.StatusOK, ""
	if err != nil {
		r, ok := err.(*refusal)
		if !ok {
			r = &refusal{code: "fatal_error", messages: []string{err.Error()}}
			s.problem("%s: %v", name, err)
		}
		result, code = r.object(), r.code
		if r.code == "ratelimited" {
			status = http.StatusTooManyRequests
			if !s.options.limits.NoRetryAfter {
				header["Retry-After"] = strconv.Itoa(r.retry)
			}
		}
	}
	result["ok"] = err == nil
	s.calls = append(s.calls, Call{Method: name, Token: Fingerprint(secret), Params: p.clone(), At: s.clock.Now(), Error: code})
	s.touch()
	return status, header, rawOf(result) // under the mutex: the result shares parts of the state
}

func (s *Server) invoke(c *call, secret string, header map[string]string) (object, error) {
	m, ok := methods()[c.method]
	if !ok {
		s.problem("this server has no method %q", c.method)
		return nil, refuse("unknown_method")
	}
	if err := c.authenticate(m, secret); err != nil {
		return nil, err
	}
	header["X-OAuth-Scopes"] = strings.Join(c.token.scopes, ",")
	header["X-Accepted-OAuth-Scopes"] = m.scope
	if err := s.limit(c, m); err != nil {
		return nil, err
	}
	return m.run(c)
}

func (c *call) authenticate(m method, secret string) error {
	if secret == "" {
		return refuse("not_authed")
	}
	t, ok := c.tokens[secret]
	switch {
	case !ok:
		return refuse("invalid_auth")
	case t.dead != "":
		return refuse(t.dead)
	case t.kind != m.kind && !(c.method == "auth.test" && t.kind == appToken):
		return refuse("not_allowed_token_type")
	}
	c.token, c.in = t, t.install
	if m.scope == "" || slices.ContainsFunc(strings.Split(m.scope, ","), t.can) {
		return nil
	}
	return missing(t, m.scope)
}

// need asks for one more scope, such as the one of a kind of channel.
func (c *call) need(scope string) error {
	if c.token.can(scope) {
		return nil
	}
	return missing(c.token, scope)
}

func missing(t *token, scope string) error {
	return &refusal{code: "missing_scope", extra: object{"needed": scope, "provided": strings.Join(t.scopes, ",")}}
}

func (r *refusal) object() object {
	o := object{"error": r.code}
	for k, v := range r.extra {
		o[k] = v
	}
	if len(r.messages) > 0 {
		o["errors"] = r.messages
		marked := make([]string, len(r.messages))
		for i, m := range r.messages {
			marked[i] = "[ERROR] " + m
		}
		o["response_metadata"] = object{"messages": marked}
	}
	return o
}
