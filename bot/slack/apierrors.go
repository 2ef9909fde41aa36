package slack

import (
	"context"
	"errors"
	"net"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/core"
)

// callError is why a call failed.
type callError struct {
	method   string
	code     string        // Slack's, "" if it gave none
	pointers []string      // which parts of the payload it refused
	needed   string        // scope
	status   int           // of HTTP, 0 if there was no answer or it was 200
	after    time.Duration // it asked to wait for so long
	unsent   bool          // the request cannot have reached Slack
	cause    error
}

func (e *callError) Error() string {
	switch {
	case e.code != "":
		return e.method + ": " + e.code
	case e.cause != nil:
		return e.method + ": " + e.cause.Error()
	}
	return e.method + " failed"
}

func (e *callError) Unwrap() error { return e.cause }

// pointer finds JSON pointers in what Slack says about a payload; the rest of
// its sentence may repeat what we sent.
var pointer = regexp.MustCompile(`(?:json-pointer:)?(/[A-Za-z0-9_/]+)`)

// asCallError reads an error of the client library; nil stays nil.
func asCallError(method string, err error) *callError {
	if err == nil {
		return nil
	}
	e := &callError{method: method, cause: err}
	var request *url.Error
	if errors.As(err, &request) { // its address may hold a secret, as that of replies does, or a file's name
		e.cause = request.Err
	}
	var refused slack.SlackErrorResponse
	var limited *slack.RateLimitedError
	var status slack.StatusCodeError
	var dial *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &refused):
		e.code, e.needed = refused.Err, refused.Needed
		for _, m := range refused.ResponseMetadata.Messages {
			for _, found := range pointer.FindAllStringSubmatch(m, -1) {
				e.pointers = append(e.pointers, found[1])
			}
		}
	case errors.As(err, &limited):
		e.status, e.after = 429, limited.RetryAfter
	case errors.As(err, &status):
		e.status = status.Code
	case errors.As(err, &dns), errors.As(err, &dial) && dial.Op == "dial":
		e.unsent = true
	}
	return e
}

// limited tells that Slack asked to slow down.
func (e *callError) limited() bool {
	return e.status == 429 || slices.Contains([]string{"ratelimited", "rate_limited", "message_limit_exceeded"}, e.code)
}

// passing tells that the same call may well go through later.
func (e *callError) passing() bool {
	return e.status >= 500 || e.code == "" && e.status == 0 ||
		slices.Contains([]string{"internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org"}, e.code)
}

// again decides whether a failed call is tried once more, and after how long. A
// post that may have landed never is.
func again(c call, err *callError, try int) (time.Duration, bool) {
	grow := min(time.Second<<(try-1), 30*time.Second)
	switch {
	case errors.Is(err.cause, context.Canceled):
		return 0, false
	case err.limited():
		return max(err.after, grow), try < mostTries // a refused call has not landed
	case try >= 3:
		return 0, false
	case err.unsent:
		return grow / 4, true
	case err.passing() && c.effect != adds:
		return grow / 4, true
	}
	return 0, false
}

// unsure tells that a call failed and may have taken effect all the same.
func unsure(err error) bool {
	var e *callError
	return errors.As(err, &e) && e.passing() && !e.unsent && !e.limited()
}

// hopeless tells that trying again changes nothing: Slack understood the call and
// refused it.
func hopeless(err error) bool {
	var e *callError
	return errors.As(err, &e) && !e.passing() && !e.limited() && !e.unsent
}

// isCode tells whether Slack refused a call with one of the codes.
func isCode(err error, codes ...string) bool {
	var e *callError
	return errors.As(err, &e) && slices.Contains(codes, e.code)
}

// tooBig tells that another form of the same message may be accepted.
func tooBig(err error) bool {
	return isCode(err, "invalid_blocks", "invalid_blocks_format", "msg_too_long", "msg_blocks_too_long",
		"block_mismatch", "invalid_arguments", "invalid_attachments", "markdown_text_conflict", "too_many_attachments")
}

// gone tells that the message that a call is about is no longer there, or can no
// longer be changed.
func gone(err error) bool {
	return isCode(err, "message_not_found", "cant_update_message", "edit_window_closed", "thread_not_found",
		"cant_delete_message", "file_not_found", "file_deleted", "message_not_owned_by_app", "streaming_state_conflict")
}

// shut tells that nothing can be posted in the channel.
func shut(err error) bool {
	return isCode(err, "channel_not_found", "not_in_channel", "is_archived", "restricted_action",
		"restricted_action_read_only_channel", "restricted_action_thread_only_channel", "restricted_action_thread_locked",
		"restricted_action_non_threadable_channel", "cannot_reply_to_message", "user_not_in_channel", "no_permission")
}

// dead tells that the token is of no use any more.
func dead(err error) bool {
	return isCode(err, "invalid_auth", "account_inactive", "token_revoked", "token_expired", "not_authed", "no_such_team")
}

// sentence is the error for people.
func sentence(err error) error {
	var e *callError
	switch {
	case err == nil:
		return nil
	case dead(err):
		return core.Wrap(core.KindAuth, err, "Slack refuses the bot token; install the app again and put the new token into footnote.yaml.")
	case isCode(err, "missing_scope"):
		errors.As(err, &e)
		return core.Wrap(core.KindAuth, err, "The Slack app lacks the scope "+e.needed+" for "+e.method+"; add it and install the app again.")
	case errors.As(err, &e) && e.limited():
		return core.Wrap(core.KindBusy, err, "Slack limits how much the app may do at the moment; try again in a minute.")
	case errors.As(err, &e) && e.passing():
		return core.Wrap(core.KindUnavailable, err, "Slack cannot be reached at the moment.")
	}
	return err
}
