package discord

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Bot answers for any number of applications. It may be used from several
// goroutines.
type Bot struct {
	opts Options
	apps []*app
}

// New makes a bot. It panics if a required option is missing; the error is of
// kind config where an application cannot be served.
func New(o Options) (*Bot, error) {
	if o.Front == nil || o.Desk == nil || o.Turns == nil || o.Threads == nil || o.Posts == nil || o.Notes == nil || o.NewID == nil {
		panic("discord: Front, Desk, Turns, Threads, Posts, Notes and NewID are required")
	}
	o = o.withDefaults()
	b := &Bot{opts: o}
	tokens := map[string]string{}
	for _, config := range o.Apps {
		token := bearer(config.Token)
		if other, taken := tokens[token]; taken {
			return nil, core.Errorf(core.KindConfig, "discord: %s and %s have the same token; Discord gives each application one connection", other, config.Name)
		}
		tokens[token] = config.Name
		a, err := newApp(o, config)
		if err != nil {
			return nil, err
		}
		b.apps = append(b.apps, a)
	}
	return b, nil
}

// Run serves all applications until the context ends, and waits for everything
// that it started. An application that cannot be served any more is logged and
// left out; the error tells of all of them, once none is left.
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
			a.log.Error("a Discord application is not served any more", "error", err)
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

// serving finds the application whose bot is in the guild.
func (b *Bot) serving(guild string) *app {
	for _, a := range b.apps {
		if slices.Contains(a.seen(), guild) {
			return a
		}
	}
	return nil
}

// State is how one application is doing.
type State struct {
	Name    string
	Gateway GatewayState
	Guilds  []string // that the bot is in
	Queued  int
	Answers int // being written now
}

// States tells how the applications are doing.
func (b *Bot) States() []State {
	var out []State
	for _, a := range b.apps {
		out = append(out, State{
			Name: a.config.Name, Gateway: a.gateway.State(), Guilds: a.seen(),
			Queued: a.queue.Waiting() + a.busy(), Answers: a.running.count(),
		})
	}
	return out
}

// closeTime is how long answers have for their last words when the bot ends.
const closeTime = 10 * time.Second
