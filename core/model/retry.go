package model

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// quirks is what the client has learnt about its server. A value is never
// changed after it was stored.
type quirks struct {
	noUsage          bool // refuses stream_options
	completionTokens bool // wants max_completion_tokens
	limitLearnt      bool // the server itself said which of the two it wants
	noTools          bool // refuses tool definitions
	flatten          bool // refuses calls and results of earlier messages
}

func startQuirks(name string, p Profile) *quirks {
	q := &quirks{
		noUsage:          p.OmitStreamOptions,
		completionTokens: p.MaxTokensField == maxCompletionTokens,
		noTools:          p.NativeTools == Not,
		flatten:          p.FlattenCalls,
	}
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(name, prefix) {
			q.completionTokens = true
		}
	}
	return q
}

// adapt reads a refusal and tells what to leave out next time. It reports
// whether the same request may succeed now.
func adapt(q quirks, status int, message string) (quirks, bool) {
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
		return q, false
	}
	text := strings.ToLower(message)
	switch {
	case !q.noUsage && (strings.Contains(text, "stream_options") || strings.Contains(text, "include_usage")):
		q.noUsage = true
	case !q.limitLearnt && strings.Contains(text, maxCompletionTokens):
		q.completionTokens, q.limitLearnt = !q.completionTokens, true
	case !q.noTools && refusesTools(text):
		q.noTools = true
	case !q.flatten && refusesHistory(text):
		q.flatten = true
	default:
		return q, false
	}
	return q, true
}

// refusesHistory sees that the server cannot place the calls of earlier
// messages.
func refusesHistory(text string) bool {
	return strings.Contains(text, "unexpected tool call id") || strings.Contains(text, "unknown role: tool")
}

func refusesTools(text string) bool {
	if !strings.Contains(text, "tool") {
		return false
	}
	for _, phrase := range []string{"does not support", "not supported", "unsupported", "--enable-auto-tool-choice"} {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}

// again decides whether a failed attempt is repeated, and after which wait.
func (c *Client) again(ctx context.Context, r result, attempt int) (time.Duration, bool) {
	if ctx.Err() != nil || r.started {
		return 0, false
	}
	if next, changed := adapt(*c.quirks.Load(), r.status, r.message); changed {
		c.quirks.Store(&next)
		return 0, true
	}
	if attempt > c.cfg.Retries || !retryable(r) {
		return 0, false
	}
	return waitFor(r.retryAfter, attempt, c.cfg.MaxWait)
}

func retryable(r result) bool {
	switch {
	case r.status == http.StatusTooManyRequests:
		return !outOfQuota(r.message)
	case r.status >= 500:
		return r.status != http.StatusNotImplemented
	case r.status != 0:
		return false
	}
	return !r.malformed && !errors.Is(r.err, errFirst) && !errors.Is(r.err, errIdle)
}

// outOfQuota tells the refusal that waiting cannot heal from the one it can.
func outOfQuota(message string) bool {
	text := strings.ToLower(message)
	for _, phrase := range []string{
		"insufficient_quota", "billing_hard_limit", "billing hard limit",
		"credit balance", "insufficient credits", "insufficient balance",
	} {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}

// waitFor gives the wait before the attempt after this one. A server that asks
// for more than the bound is not asked again.
func waitFor(retryAfter time.Duration, attempt int, bound time.Duration) (time.Duration, bool) {
	if retryAfter > bound {
		return 0, false
	}
	backoff := 250 * time.Millisecond << (attempt - 1)
	return min(max(retryAfter, backoff), bound), true
}

// asksToWait is a refusal with the wait that its server asks for.
type asksToWait struct {
	error
	wait time.Duration
}

func (a asksToWait) Unwrap() error { return a.error }

// RetryAfter is how long the server asked to be left alone when it refused a call; 0
// if it did not say.
func RetryAfter(err error) time.Duration {
	var a asksToWait
	if errors.As(err, &a) {
		return a.wait
	}
	return 0
}

// parseRetryAfter reads the header's two forms; 0 means that there is none.
func parseRetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds >= 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
