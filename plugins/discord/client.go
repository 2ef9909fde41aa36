package discord

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
	"github.com/footnote-bot/footnote/plugins/internal/hush"
)

func (s *Source) connect() {
	quiet := func(rt http.RoundTripper) http.RoundTripper {
		return hush.Transport{Next: rt, Secrets: []string{strings.TrimPrefix(string(s.Token), "Bot ")}}
	}
	wire := quiet(s.bare)
	if s.bare == nil {
		wire = s.env.Transport(limitAPI, quiet(history.Wire()))
	}
	s.wire = judge{next: wire, base: s.base}
}

// session is the library with a limiter of its own, for one run: it keeps one
// bucket for each address, for ever.
func (s *Source) session() (*discordgo.Session, error) {
	d, err := discordgo.New("Bot " + strings.TrimPrefix(string(s.Token), "Bot "))
	if err != nil {
		return nil, fmt.Errorf("the library does not start: %w", err)
	}
	d.Client = &http.Client{Transport: s.wire, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	d.LogLevel = -1 // it prints on the process's own stderr
	d.ShouldRetryOnRateLimit, d.MaxRestRetries = false, 0
	d.UserAgent = "DiscordBot (https://github.com/footnote-bot/footnote, 1)"
	return d, nil
}

// judge stands before the SDK's transport. It sends requests to where the
// configuration says, makes an error of every answer that is no success, and keeps
// the limits from discordgo, which would sleep whatever the context says.
type judge struct {
	next http.RoundTripper
	base *url.URL
}

const maxAnswer = 64 << 20 // bytes

func (t judge) RoundTrip(req *http.Request) (*http.Response, error) {
	out := req.Clone(req.Context())
	out.URL.Scheme, out.URL.Host, out.Host = t.base.Scheme, t.base.Host, t.base.Host
	resp, err := t.next.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, refused(resp, body)
	}
	var any json.RawMessage
	switch err := json.Unmarshal(body, &any); {
	case len(body) > maxAnswer:
		return nil, sdk.TooLarge(errors.New("the answer is larger than 64 MiB"))
	case err != nil:
		return nil, fmt.Errorf("the answer of Discord is not JSON, or broke off: %w", err)
	case string(bytes.TrimSpace(body)) == "null":
		return nil, errOdd
	}
	if err := disguised(body); err != nil {
		return nil, err
	}
	for name := range resp.Header {
		if strings.HasPrefix(name, "X-Ratelimit-") {
			resp.Header.Del(name)
		}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// disguised is the error of an answer that is called a success and tells of one.
func disguised(body []byte) error {
	var said struct {
		ID      string `json:"id"`
		Message string `json:"message"`
		Code    *int   `json:"code"`
	}
	if json.Unmarshal(body, &said) != nil || said.ID != "" || said.Code == nil {
		return nil // a list, or a thing of Discord's
	}
	return fmt.Errorf("an answer of Discord says 200 and holds an error: %s (%d)", hush.Message(said.Message, 200), *said.Code)
}

var errOdd = errors.New("the answer is not one of Discord's")

// refused is the error of an answer that is no success.
func refused(resp *http.Response, body []byte) error {
	var said struct {
		Message    string  `json:"message"`
		Code       int     `json:"code"`
		RetryAfter float64 `json:"retry_after"`
	}
	_ = json.Unmarshal(body, &said) // what is no JSON says nothing
	text := fmt.Sprintf("Discord answered %d %s", resp.StatusCode, hush.Message(said.Message, 200))
	if said.Code != 0 {
		text += fmt.Sprintf(" (%d)", said.Code)
	}
	if resp.StatusCode == http.StatusUnauthorized {
		text += ": the token was reset or is wrong; make a new one"
	}
	after := max(sdk.RetryAfter(resp), time.Duration(said.RetryAfter*float64(time.Second)))
	return sdk.FromStatus(resp.StatusCode, after, errors.New(text))
}

func explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, hush.URLs(err))
}
