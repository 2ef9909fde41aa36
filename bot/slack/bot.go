package slack

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Bot answers in any number of workspaces. It may be used from several
// goroutines.
type Bot struct {
	opts Options
	apps []*app
}

// New makes a bot. It panics if a required option is missing; the error is of
// kind config where a workspace cannot be served.
func New(o Options) (*Bot, error) {
	if o.Front == nil || o.Desk == nil || o.Turns == nil || o.Threads == nil || o.Posts == nil || o.NewID == nil {
		panic("slack: Front, Desk, Turns, Threads, Posts and NewID are required")
	}
	o = o.withDefaults()
	b := &Bot{opts: o}
	tokens := map[string]string{}
	for _, w := range o.Workspaces {
		for _, token := range []string{w.BotToken, w.AppToken} {
			if other, taken := tokens[token]; taken && token != "" {
				return nil, core.Errorf(core.KindConfig, "slack: %s and %s have the same token; each workspace needs an app of its own", other, w.Name)
			}
			tokens[token] = w.Name
		}
		a, err := newApp(o, w)
		if err != nil {
			return nil, err
		}
		b.apps = append(b.apps, a)
	}
	return b, nil
}

// Run serves all workspaces until the context ends, and waits for everything
// that it started. A workspace that cannot be served any more is logged and left
// out; the error tells of the first one, once none is left.
func (b *Bot) Run(ctx context.Context) error {
	var (
		work sync.WaitGroup
		mu   sync.Mutex
		errs []error
	)
	for _, a := range b.apps {
		work.Go(func() {
			err := a.run(ctx)
			if err == nil || ctx.Err() != nil {
				return
			}
			b.opts.Log.Error("a Slack workspace is not served any more", "workspace", a.config.Name, "error", err)
			mu.Lock()
			errs = append(errs, err)
			mu.Unlock()
		})
	}
	work.Wait()
	if len(errs) > 0 && ctx.Err() == nil {
		return errors.Join(errs...)
	}
	return nil
}

// byTeam finds the workspace that is served; nil if it is none of ours.
func (b *Bot) byTeam(team string) *app {
	for _, a := range b.apps {
		if team != "" && a.own().Team == team {
			return a
		}
	}
	return nil
}

// State is how one workspace is doing.
type State struct {
	Name, Team string
	Socket     SocketState // the zero value for events over HTTP
	Queued     int
	Answers    int // being written now
}

// States tells how the workspaces are doing.
func (b *Bot) States() []State {
	var out []State
	for _, a := range b.apps {
		s := State{Name: a.config.Name, Team: a.own().Team, Queued: a.queue.Waiting(), Answers: a.running.count()}
		if a.socket != nil {
			s.Socket = a.socket.State()
		}
		out = append(out, s)
	}
	return out
}

// closeTime is how long answers have for their last words when the bot ends.
const closeTime = 10 * time.Second
