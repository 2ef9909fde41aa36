package slack

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/core"
)

// effect says what happens if a call lands twice.
type effect int

const (
	reads effect = iota // nothing
	sets                // the same as once: an edit, a status, a reaction
	adds                // twice the message: never repeated unless it cannot have landed
)

// call is one use of a method of the Web API.
type call struct {
	method  string
	channel string // what Slack's limits count beside the method; may be empty
	effect  effect
	drop    bool // give up with errDropped instead of waiting for a limit
}

// errDropped says that a call was left out because of a limit.
var errDropped = errors.New("left out because of a limit")

const (
	attemptTime = 15 * time.Second
	mostTries   = 6
)

// api is Slack's Web API for one bot token. All methods may be used from several
// goroutines; they wait for limits and try again where that cannot do harm.
// Errors are *callError or the context's.
type api struct {
	slack  *slack.Client
	client *http.Client
	token  string
	base   string // ends with /
	gates  *gates
	pace   *pace
	count  Counter
	log    *slog.Logger
	sleep  func(context.Context, time.Duration) error
	still  func(context.Context) error // asked before each message that is sent; nil for those that may always be
}

// asking is the same wrapper, which asks before each message that it sends,
// after all waiting, whether it may still be shown.
func (a *api) asking(still func(context.Context) error) *api {
	b := *a
	b.still = still
	return &b
}

// newAPI checks the address: http is for this machine only.
func newAPI(w Workspace, count Counter, log *slog.Logger) (*api, error) {
	base := w.APIURL
	if base == "" {
		base = slack.APIURL
	}
	if base[len(base)-1] != '/' {
		base += "/"
	}
	if err := checkAddress(base); err != nil {
		return nil, core.Errorf(core.KindConfig, "slack %s: api_url: %w", w.Name, err)
	}
	client := &http.Client{
		Timeout: 2 * time.Minute, // for files; calls have their own, shorter one
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // the token goes to the address it was meant for
		},
	}
	return &api{
		slack: slack.New(w.BotToken, slack.OptionAPIURL(base), slack.OptionHTTPClient(client),
			slack.OptionAppLevelToken(w.AppToken)),
		client: client, token: w.BotToken, base: base,
		gates: newGates(), pace: newPace(), count: count, log: log, sleep: sleep,
	}, nil
}

func checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return core.Errorf(core.KindConfig, "%q is not an address such as %s", address, slack.APIURL)
	}
	if u.Scheme == "http" && !loopback(u.Hostname()) {
		return core.Errorf(core.KindConfig, "%s would send tokens in clear text; use https (http is for this machine only)", u.Host)
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// call runs one method. What do returns decides whether it is tried again; see
// again.
func (a *api) call(ctx context.Context, c call, do func(context.Context) error) error {
	for try := 1; ; try++ {
		if err := a.gates.wait(ctx, c, a.sleep); err != nil {
			return err
		}
		if err := a.pace.wait(ctx, c); err != nil {
			return err
		}
		if a.still != nil && c.effect != reads {
			if err := a.still(ctx); err != nil {
				return err
			}
		}
		parent := ctx
		if c.effect == adds { // once on its way it may land: then we have to know
			parent = context.WithoutCancel(ctx)
		}
		one, cancel := context.WithTimeout(parent, attemptTime)
		err := asCallError(c.method, do(one))
		cancel()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil && c.effect != adds {
			return ctx.Err()
		}
		wait, repeat := again(c, err, try)
		if err.limited() {
			a.limited(c, err, wait)
		}
		if !repeat {
			a.report(c, err)
			return err
		}
		if c.drop {
			return errDropped
		}
		if sleepErr := a.sleep(ctx, wait); sleepErr != nil {
			return sleepErr
		}
	}
}

// limited closes the gate of the method and channel, and says so.
func (a *api) limited(c call, err *callError, wait time.Duration) {
	a.gates.close(c, wait)
	a.count.Add("slack_limited_total", c.method)
	if err.after == 0 {
		a.log.Warn("Slack limits the whole workspace: it refuses a call without saying for how long", "method", c.method)
		return
	}
	a.log.Info("Slack asks to slow down", "method", c.method, "wait", wait)
}

// report logs a call that failed for good: codes and JSON pointers, never text
// of messages.
func (a *api) report(c call, err *callError) {
	a.count.Add("slack_failed_total", c.method)
	a.log.Warn("a call to Slack failed", "method", c.method, "code", err.code,
		"pointers", err.pointers, "needed_scope", err.needed, "status", err.status)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
