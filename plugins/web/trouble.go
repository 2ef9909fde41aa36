package web

import (
	"context"
	"errors"
	"fmt"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// mostFailures is how many pages in a row fail until the site is held to be down.
const mostFailures = 5

// startCount is how the pages went where reading begins.
type startCount struct {
	left, good int
	err        error
}

// whole is the error of a site that cannot be read at all.
func (c *crawl) whole(err error) error {
	var private *privateError
	switch {
	case errors.As(err, &private):
		return sdk.Config("allow_private", private)
	case sdk.KindOf(err) == "gone":
		return fmt.Errorf("nothing was read: %v", err)
	}
	return err
}

// down tells whether not even the page where reading begins answers.
func (c *crawl) down(ctx context.Context) bool {
	a, err := c.src.web.get(ctx, c.src.scope.starts[0], nil, c.src.web.time)
	if err != nil {
		return true
	}
	discard(a.Response)
	c.failures = 0
	return false
}

// lost marks what the host's own reading cannot go on after.
type lost struct{ error }

func (l lost) Unwrap() error { return l.error }

// failed is told of a page of which nothing is known now. Where it may be readable in
// a moment it is looked at once more at the end; then it is recorded, and keeps the
// content that was sent.
func (c *crawl) failed(ctx context.Context, k *known, err error, again bool) error {
	var gone lost
	if errors.As(err, &gone) {
		return gone.error
	}
	if sdk.KindOf(err) == "" {
		if c.failures++; c.failures >= mostFailures && c.down(ctx) {
			return errors.Join(fmt.Errorf("the site is down: %d pages in a row could not be read, nor where it begins: %w", c.failures, err), c.checkpoint())
		}
		if !again {
			c.later = append(c.later, k)
			return nil
		}
		if c.strict && k.Sent == "" && !k.Unread {
			return err
		}
	}
	if c.src.scope.named[keyOf(k.URL)] && c.starts.good == 0 {
		return nil // perhaps the whole site cannot be read; see started
	}
	if sdk.KindOf(err) == "auth" { // for one page alone that says nothing of the credentials
		err = sdk.Denied(err)
	}
	k.Unread = true
	c.state.looked(k)
	return c.out.Unread(c.src.facts(k), err)
}

// started counts the pages where reading begins. Where none of them can be read the
// crawl ends: nothing else that it finds could be trusted.
func (c *crawl) started(err error) error {
	c.starts.left--
	if err == nil {
		c.starts.good++
	} else if c.starts.err == nil {
		c.starts.err = err
	}
	if c.starts.left == 0 && c.starts.good == 0 {
		return c.whole(c.starts.err)
	}
	return nil
}
