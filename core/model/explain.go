package model

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// explain turns a failed attempt into the sentence for people. What the server
// said goes into the cause only, without the key.
func (c *Client) explain(ctx context.Context, r result) error {
	detail := c.scrub(r)
	c.log.Debug("model call failed", "model", c.cfg.Name, "status", r.status, "cause", detail)
	switch {
	case errors.Is(r.err, context.Canceled), errors.Is(ctx.Err(), context.Canceled):
		return core.Wrap(core.KindCancelled, context.Canceled, "The model call was stopped.")
	case errors.Is(r.err, errFirst):
		return core.Wrap(core.KindTimeout, detail, c.sentence(
			"The model %s at %s did not start to answer within %s (@base_url): check that the server is not overloaded and has the model loaded.",
			c.cfg.Name, c.where(), c.cfg.FirstTimeout))
	case errors.Is(r.err, errIdle):
		return core.Wrap(core.KindTimeout, detail, c.sentence(
			"The model %s at %s went silent for %s in the middle of a reply (@base_url): ask again, or raise @idle_timeout.",
			c.cfg.Name, c.where(), c.cfg.IdleTimeout))
	case errors.Is(r.err, context.DeadlineExceeded), errors.Is(ctx.Err(), context.DeadlineExceeded):
		return core.Wrap(core.KindTimeout, detail, c.sentence(
			"The model %s at %s did not finish within the time set for one question.", c.cfg.Name, c.where()))
	case r.status != 0:
		return c.explainStatus(ctx, r, detail)
	}
	return c.explainStream(r, detail)
}

func (c *Client) explainStream(r result, detail error) error {
	switch {
	case errors.Is(r.err, errFlood):
		return core.Wrap(core.KindTooLarge, detail, c.sentence(
			"The model %s at %s did not stop writing; the reply was cut at %d MiB. Set @max_output.",
			c.cfg.Name, c.where(), maxReplyBytes>>20))
	case errors.Is(r.err, errEmpty):
		return core.Wrap(core.KindUnavailable, detail, c.sentence(
			"The model %s at %s (@base_url) ended its reply without saying anything: look into the server's log.", c.cfg.Name, c.where()))
	case r.malformed:
		return core.Wrap(core.KindUnavailable, detail, c.sentence(
			"The endpoint %s (@base_url) sent something that is not a chat reply: check that it speaks the OpenAI chat wire.", c.where()))
	case r.message != "" && overflow(r.message):
		return c.tooLong(detail)
	case r.started || r.cut && r.message == "":
		return core.Wrap(core.KindUnavailable, detail, c.sentence(
			"The connection to the model %s at %s (@base_url) broke in the middle of a reply.", c.cfg.Name, c.where()))
	case r.message != "" && r.status == 0 && errors.Is(r.err, errInStream):
		return core.Wrap(core.KindUnavailable, detail, c.sentence(
			"The model %s at %s (@base_url) reported an error instead of a reply; --log-level debug shows what it said.", c.cfg.Name, c.where()))
	}
	return core.Wrap(core.KindUnavailable, detail, c.sentence(connectProblem(r.err), c.where()))
}

// connectProblem says why no connection came about; the place of the address is
// left open.
func connectProblem(err error) string {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return "The host of %s is not known here: check the spelling of @base_url, and the name server."
	case errors.As(err, &certificate):
		return "The certificate of %s is not trusted: use the host name that it is made for in @base_url, or add its authority to those of the system."
	case errors.Is(err, http.ErrSchemeMismatch):
		return "%s answers without TLS: write @base_url with http://, or turn TLS on there."
	}
	return "No model answers at %s: check @base_url and that the server is running."
}

func (c *Client) explainStatus(ctx context.Context, r result, detail error) error {
	where := c.where()
	switch {
	case r.status == http.StatusUnauthorized || r.status == http.StatusForbidden:
		return core.Wrap(core.KindAuth, detail, c.sentence(
			"%s refused the key (%d): check @api_key, and that it may use the model %s.", where, r.status, c.cfg.Name))
	case overflow(r.message):
		return c.tooLong(detail)
	case r.status == http.StatusNotFound, unknownModel(r.message):
		return core.Wrap(core.KindConfig, detail, c.notServed(ctx, r.status))
	case r.status == http.StatusPaymentRequired, r.status == http.StatusTooManyRequests && outOfQuota(r.message):
		return core.Wrap(core.KindBusy, detail, c.sentence(
			"The account behind @api_key at %s has used up its quota: raise it there, or set another key.", where))
	case r.status == http.StatusTooManyRequests:
		return core.Wrap(core.KindBusy, asksToWait{detail, r.retryAfter}, c.sentence(
			"%s is busy (429)%s: ask again later, or raise the rate limit of the key in @api_key.", where, later(r.retryAfter)))
	case r.status == http.StatusRequestEntityTooLarge:
		return c.tooLong(detail)
	case r.status >= 300 && r.status < 400:
		return core.Wrap(core.KindConfig, detail, c.sentence(
			"%s points elsewhere (%d to %s): set @base_url to the address that really answers.", where, r.status, host(r.location)))
	case r.status >= 500:
		return core.Wrap(core.KindUnavailable, detail, c.sentence(
			"%s (@base_url) failed with status %d: check the server's own log, or ask again later.", where, r.status))
	}
	return core.Wrap(core.KindInvalid, detail, c.sentence(
		"%s refused the request for the model %s with status %d; --log-level debug shows what it said.", where, c.cfg.Name, r.status))
}

// host is the part of a redirect's target that holds no secrets.
func host(location string) string {
	u, err := url.Parse(location)
	if err != nil || u.Host == "" {
		return "an address without a host"
	}
	return u.Scheme + "://" + u.Host
}

func (c *Client) tooLong(detail error) error {
	return core.Wrap(core.KindTooLarge, detail, c.sentence(
		"The question with its context is longer than the model %s accepts: set @context_window to what %s really serves.",
		c.cfg.Name, c.where()))
}

func later(wait time.Duration) string {
	if wait <= 0 {
		return ""
	}
	return fmt.Sprintf(", free again in %s", wait.Round(time.Second))
}

func overflow(message string) bool {
	text := strings.ToLower(message)
	for _, phrase := range []string{
		"context_length_exceeded", "maximum context length", "context length", "context window",
		"context size", "prompt is too long", "input is too long", "too many tokens",
	} {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}

func unknownModel(message string) bool {
	text := strings.ToLower(message)
	if !strings.Contains(text, "model") {
		return false
	}
	for _, phrase := range []string{"not found", "not_found", "does not exist", "invalid model", "unknown model"} {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}

// notServed asks the endpoint which models it has, so that a misspelt name can
// be put right without looking elsewhere.
func (c *Client) notServed(ctx context.Context, status int) string {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	names, err := c.Models(ctx)
	switch {
	case err != nil:
		return c.sentence("%s has no model %s (%d): check @name, and that @base_url ends with the version, such as /v1.",
			c.where(), c.cfg.Name, status)
	case slices.Contains(names, c.cfg.Name):
		return c.sentence("%s lists the model %s but refuses to run it (%d): it may not be a chat model; set another @name.",
			c.where(), c.cfg.Name, status)
	case len(names) == 0:
		return c.sentence("%s serves no model at all, so not %s either: load one there.", c.where(), c.cfg.Name)
	}
	return c.sentence("%s has no model %s: set @name to one that it serves (%s).",
		c.where(), c.cfg.Name, some(nearest(c.cfg.Name, names)))
}

func some(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// sentence fills in a format in which @ stands for the section of the
// configuration that this model is set in.
func (c *Client) sentence(format string, args ...any) string {
	return fmt.Sprintf(strings.ReplaceAll(format, "@", c.cfg.Section+"."), args...)
}

// where is the endpoint as messages show it.
func (c *Client) where() string { return c.base.Redacted() }

// scrub makes the cause for the log: the error and what the server said, at
// most 500 bytes, without the key.
func (c *Client) scrub(r result) error {
	text := r.message
	if r.err != nil && !strings.Contains(text, r.err.Error()) {
		text = strings.TrimSpace(r.err.Error() + ": " + text)
	}
	if c.cfg.APIKey != "" {
		text = strings.ReplaceAll(text, c.cfg.APIKey, "[key]")
	}
	if password, ok := c.base.User.Password(); ok {
		text = strings.ReplaceAll(text, password, "[password]")
	}
	if len(text) > 500 {
		text = strings.ToValidUTF8(text[:500], "") + "…"
	}
	return errors.New(text)
}
