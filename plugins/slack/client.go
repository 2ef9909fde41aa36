package slack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"time"

	"github.com/slack-go/slack"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
	"github.com/footnote-bot/footnote/plugins/internal/hush"
)

func (s *Source) connect() {
	wire := s.bare
	if wire == nil {
		wire = history.Wire()
	}
	client := func(token sdk.Secret, rt http.RoundTripper) *slack.Client {
		// A redirect is never right here, and would carry the token away.
		c := &http.Client{Transport: rt, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		return slack.New(string(token), slack.OptionHTTPClient(c), slack.OptionAPIURL(s.base.JoinPath("api", "/").String()))
	}
	quiet := plain{hush.Transport{Next: wire, Secrets: []string{string(s.Token), string(s.SearchToken)}}}
	limited := func(name string) http.RoundTripper {
		if s.bare != nil {
			return quiet
		}
		return s.env.Transport(name, quiet)
	}
	s.api = client(s.Token, byMethod{"conversations.history": limited(limitHistory), "conversations.replies": limited(limitReplies), "": limited(limitOther)})
	if s.search = nil; s.SearchToken != "" {
		s.search = client(s.SearchToken, byMethod{"": limited(limitSearch)})
	}
	s.folks = &directory{api: s.api, now: s.now}
}

// byMethod sends each method of the API under its own limit.
type byMethod map[string]http.RoundTripper

func (t byMethod) RoundTrip(req *http.Request) (*http.Response, error) {
	out := req.Clone(req.Context())
	// All that the connector asks may be asked twice; joining a channel, too.
	out.Header.Set("Idempotency-Key", "repeatable")
	if rt, ok := t[path.Base(req.URL.Path)]; ok {
		return rt.RoundTrip(out)
	}
	return t[""].RoundTrip(out)
}

// maxAnswer is how large an answer may be, in bytes.
const maxAnswer = 64 << 20

// plain stands behind the SDK's transport. Slack says almost everything with
// status 200: what is no success becomes an error here, and an answer that is
// neither becomes one, too, and never an empty list.
type plain struct{ next http.RoundTripper }

func (t plain) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		if err == nil && resp.StatusCode == http.StatusTooManyRequests && resp.Header.Get("Retry-After") == "" {
			resp.Header.Set("Retry-After", fmt.Sprint(int(unsaid.Seconds())))
		}
		return resp, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	if len(body) > maxAnswer {
		return nil, sdk.TooLarge(errors.New("the answer is larger than 64 MiB"))
	}
	if err := judge(path.Base(req.URL.Path), body); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// unsaid is the pause where Slack calls for one and does not say how long.
const unsaid = time.Minute

// judge is nil for a success.
func judge(method string, body []byte) error {
	var answer struct {
		OK       bool   `json:"ok"`
		Error    string `json:"error"`
		Needed   string `json:"needed"`
		Provided string `json:"provided"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("%s answered something that is not JSON, or broke off: %w", method, err)
	}
	if answer.OK {
		return nil
	}
	if answer.Error == "" {
		return fmt.Errorf("%s answered with neither success nor error", method)
	}
	text := fmt.Sprintf("Slack refused %s: %s", method, hush.Message(answer.Error, 100))
	switch answer.Error {
	case "invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive":
		return sdk.Auth(errors.New(text + ": the token was revoked, has expired or is wrong; make a new one"))
	case "missing_scope":
		return sdk.Denied(fmt.Errorf("%s: the token needs the scope %s (it has %s); add it and install the app again", text, hush.Message(answer.Needed, 200), hush.Message(answer.Provided, 400)))
	case "not_allowed_token_type", "no_permission", "access_denied", "org_login_required", "ekm_access_denied", "team_access_not_granted", "not_in_channel", "accesslimited":
		return sdk.Denied(errors.New(text))
	case "channel_not_found", "thread_not_found", "message_not_found", "user_not_found", "user_not_visible", "users_not_found":
		return sdk.Gone(errors.New(text))
	case "ratelimited", "rate_limited":
		return sdk.Busy(unsaid, errors.New(text))
	}
	return errors.New(text)
}

// explain says what was being done, and gives an error of the library its kind.
func explain(doing string, err error) error {
	err = hush.URLs(err)
	var slow *slack.RateLimitedError
	var status slack.StatusCodeError
	switch {
	case err == nil:
		return nil
	case sdk.KindOf(err) != "":
		return fmt.Errorf("%s: %w", doing, err)
	case errors.As(err, &slow):
		return sdk.Busy(slow.RetryAfter, fmt.Errorf("%s: Slack asks for a pause of %v", doing, slow.RetryAfter))
	case errors.As(err, &status):
		return sdk.FromStatus(status.Code, 0, fmt.Errorf("%s: Slack answered %s", doing, hush.Message(status.Status, 100)))
	}
	return fmt.Errorf("%s: %w", doing, err)
}
