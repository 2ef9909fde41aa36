package discord

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/core"
)

const (
	attemptTime  = 15 * time.Second // one request
	mostAttempts = 5
	mostWait     = 5 * time.Minute // that a limit is waited for
)

// rest is the REST API of one application.
type rest struct {
	session *discordgo.Session // makes and reads requests; it is never opened
	limits  *limits
	count   Counter
	log     *slog.Logger
}

func newRest(token string, t http.RoundTripper, count Counter, log *slog.Logger) (*rest, error) {
	s, err := discordgo.New(token)
	if err != nil {
		return nil, err
	}
	s.Client = &http.Client{Transport: t}
	s.LogLevel = -1 // it prints on the process's own stderr
	s.UserAgent = "DiscordBot (https://github.com/footnote-bot/footnote, 1)"
	return &rest{session: s, limits: newLimits(), count: count, log: log}, nil
}

// call is one request.
type call struct {
	method, path string // the path follows the API's version
	key          string // of its rate limit
	body         any
	files        []*discordgo.File
	drop         bool                        // rather not at all than late
	once         bool                        // Discord would do it twice: repeated only where it was refused
	attempts     int                         // 0 means mostAttempts
	still        func(context.Context) error // asked before each attempt; nil for no doubt
}

// do makes a request and reads its answer into a value, which may be nil. It
// waits for limits and repeats what failed in passing, a few times and no longer
// than ctx allows. The error is *apiError where Discord refused.
func (r *rest) do(ctx context.Context, c call, into any) error {
	if c.attempts == 0 {
		c.attempts = mostAttempts
	}
	wait := 500 * time.Millisecond
	for attempt := 1; ; attempt++ {
		if err := r.limits.take(ctx, c.key, c.drop); err != nil {
			return err
		}
		if c.still != nil {
			if err := c.still(ctx); err != nil {
				return err
			}
		}
		err := r.attempt(ctx, c, into)
		if err == nil || attempt > 1 && isCode(err, discordgo.ErrCodeInteractionHasAlreadyBeenAcknowledged) {
			return nil
		}
		pause, again := repeats(err, c, wait)
		if !again || attempt >= c.attempts || ctx.Err() != nil {
			return err
		}
		if c.drop {
			return errDropped
		}
		r.log.Debug("a request is sent again", "after_ms", pause.Milliseconds(), "attempt", attempt, "error", err)
		if sleep(ctx, pause) != nil {
			return err
		}
		wait *= 2
	}
}

// repeats tells whether a request may be sent again, and when.
func repeats(err error, c call, wait time.Duration) (time.Duration, bool) {
	var e *apiError
	if !errors.As(err, &e) {
		return wait, !c.once // the network; it may have landed
	}
	switch {
	case e.code == discordgo.ErrCodeMaximumNumberOfEditsToMessagesOlderThanOneHourReached:
		return 0, false // it says 429, but waiting does not help
	case e.status == http.StatusTooManyRequests:
		return max(e.retry, 100*time.Millisecond), e.retry < mostWait
	case e.status >= 500, e.status < 400: // of a success the answer was cut off
		return wait, !c.once
	}
	return 0, false
}

func (r *rest) attempt(ctx context.Context, c call, into any) error {
	s := &seen{key: c.key, limits: r.limits}
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, seenKey{}, s), attemptTime)
	defer cancel()
	kind, body, err := encode(c)
	if err != nil {
		return core.Wrap(core.KindInternal, err, "a request cannot be written")
	}
	// A bucket of its own: discordgo sleeps with a shared one locked, whatever the
	// context says, and keeps one for each token.
	own := discordgo.NewRatelimiter().LockBucket(c.key)
	raw, err := r.session.RequestWithLockedBucket(c.method, discordgo.EndpointAPI+c.path, kind, body, own, 0,
		discordgo.WithContext(ctx), discordgo.WithRetryOnRatelimit(false), discordgo.WithRestRetries(0))
	if s.status == http.StatusTooManyRequests {
		r.count.Add("discord_rate_limited_total", c.key[:max(0, strings.IndexByte(c.key, ' '))])
	}
	if err != nil {
		return r.failed(c, s, raw, err)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return core.Wrap(core.KindUnavailable, err, "Discord's answer cannot be read")
	}
	return nil
}

func encode(c call) (kind string, body []byte, err error) {
	switch {
	case c.body == nil:
		return "application/json", nil, nil
	case len(c.files) > 0:
		for _, f := range c.files { // an attempt before may have read it
			if s, ok := f.Reader.(io.Seeker); ok {
				if _, err := s.Seek(0, io.SeekStart); err != nil {
					return "", nil, err
				}
			}
		}
		return discordgo.MultipartBodyWithJSON(c.body, c.files)
	}
	body, err = json.Marshal(c.body)
	return "application/json", body, err
}

// apiError is Discord's refusal. It names no token and no text of a message.
type apiError struct {
	call    string
	status  int
	code    int // Discord's own; 0 if it gave none
	message string
	retry   time.Duration
}

// Error implements error.
func (e *apiError) Error() string {
	return e.call + ": " + http.StatusText(e.status) + ": " + e.message
}

// errDropped says that a request was not worth waiting.
var errDropped = errors.New("left out because of a rate limit")

func (r *rest) failed(c call, s *seen, raw []byte, err error) error {
	if s.status == 0 {
		return &netError{routeOf(c), err}
	}
	out := &apiError{call: routeOf(c), status: s.status, retry: s.retry, message: "no reason given"}
	var refused *discordgo.RESTError
	if errors.As(err, &refused) {
		raw = refused.ResponseBody
	}
	var told struct { // also of a 429, of which discordgo drops the code
		Code    int     `json:"code"`
		Message string  `json:"message"`
		Retry   float64 `json:"retry_after"`
	}
	if json.Unmarshal(raw, &told) == nil {
		out.code, out.message = told.Code, firstOf(told.Message, out.message)
		out.retry = max(out.retry, min(mostWait, time.Duration(told.Retry*float64(time.Second))))
	}
	r.log.Debug("Discord refused a request", "call", out.call, "status", out.status, "code", out.code, "answer", string(raw[:min(len(raw), 2000)]))
	return out
}

// netError is a request that got no answer. The address, in which a token may
// stand, is not part of it.
type netError struct {
	call string
	err  error
}

// Error implements error.
func (e *netError) Error() string {
	cause := e.err
	var u *url.Error
	if errors.As(e.err, &u) {
		cause = u.Err
	}
	return e.call + ": no answer: " + cause.Error()
}

// Unwrap lets errors.Is see the context's errors.
func (e *netError) Unwrap() error { return e.err }

// routeOf names a call without its ids and tokens.
func routeOf(c call) string {
	parts := strings.Split(strings.SplitN(c.path, "?", 2)[0], "/")
	for i, p := range parts {
		if len(p) > 24 || p != "" && p[0] >= '0' && p[0] <= '9' {
			parts[i] = "…"
		}
	}
	return c.method + " " + strings.Join(parts, "/")
}

// isCode tells whether Discord refused for one of the reasons.
func isCode(err error, codes ...int) bool {
	var e *apiError
	if !errors.As(err, &e) {
		return false
	}
	for _, c := range codes {
		if e.code == c {
			return true
		}
	}
	return false
}

func isStatus(err error, status int) bool {
	var e *apiError
	return errors.As(err, &e) && e.status == status
}

// unsure tells that a call failed of which Discord may have done what it asks for.
func unsure(err error) bool {
	var e *apiError
	if errors.As(err, &e) {
		return e.status >= 500 || e.status < 400
	}
	return err != nil && !errors.Is(err, errDropped) && !errors.Is(err, errStale)
}

// gone tells that what the call was about is not there any more.
func gone(err error) bool {
	return isStatus(err, http.StatusNotFound) || isCode(err, discordgo.ErrCodeUnknownMessage, discordgo.ErrCodeUnknownChannel)
}

// shut tells that the bot may not write there, now and later.
func shut(err error) bool {
	return gone(err) || isStatus(err, http.StatusForbidden) || isCode(err, discordgo.ErrCodeThreadIsLocked)
}

// tokenGone tells that an interaction cannot be answered any more.
func tokenGone(err error) bool {
	return isCode(err, discordgo.ErrCodeInvalidWebhookTokenProvided, discordgo.ErrCodeUnknownWebhook, discordgo.ErrCodeUnknownInteraction) ||
		isStatus(err, http.StatusUnauthorized) || isStatus(err, http.StatusNotFound)
}
