package discord

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

const (
	shards     = 16
	shardRoom  = 64
	handleTime = 2 * time.Minute // for one event; answers go on by themselves
	mostAtOnce = 256             // interactions that are handled at the same time
)

// app is one application that is served.
type app struct {
	opts    Options
	config  App
	api     api
	facts   *facts
	gateway *gateway
	queue   *bot.Queue
	log     *slog.Logger
	files   *transport

	starts  *cache[bool]        // whether threads began with us
	roles   *bot.Kept[[]string] // of those who ask where a list counts
	running *answers
	clicks  *clicks
	loops   *loops
	pending *pending // messages that somebody wants to ask about
	at      chan struct{}
	work    sync.WaitGroup // interactions

	mu       sync.Mutex
	identity who
	guilds   []string        // that the bot is in
	base     context.Context // of answers and interactions; ends with the app
	closed   bool
}

// who is what the token stands for.
type who struct{ App, User string }

// bearer is a token as Discord wants it.
func bearer(token string) string {
	if kind, rest, _ := strings.Cut(strings.TrimSpace(token), " "); kind == "Bot" {
		token = rest
	}
	return "Bot " + strings.TrimSpace(token)
}

func newApp(o Options, config App) (*app, error) {
	if bearer(config.Token) == "Bot " {
		return nil, core.Errorf(core.KindConfig, "discord %s: token is missing; copy it from the developer portal under Bot", config.Name)
	}
	t, err := newTransport(config)
	if err != nil {
		return nil, err
	}
	log := o.Log.With("app", config.Name)
	token := bearer(config.Token)
	r, err := newRest(token, t, o.Counter, log)
	if err != nil {
		return nil, core.Wrap(core.KindConfig, err, "discord "+config.Name+": the token cannot be used")
	}
	a := &app{opts: o, config: config, api: api{r}, log: log, files: t, running: newAnswers(), pending: newPending(), clicks: newClicks(), loops: newLoops(),
		queue: bot.NewQueue(shards, shardRoom, handleTime, log), at: make(chan struct{}, mostAtOnce), base: context.Background()}
	a.facts, a.starts, a.roles = newFacts(a.api, o.timing.facts), newCache[bool](beganAge), bot.NewKept[[]string]()
	a.gateway = &gateway{
		make: func(i discordgo.Intent, h hooks) (session, error) { return newLibrary(token, i, t, h) },
		take: a.take, timing: o.timing, count: o.Counter, log: log, intents: intents(config),
	}
	return a, nil
}

// intents are what the bot asks for: none that has to be switched on, unless the
// configuration wants what needs it.
func intents(config App) discordgo.Intent {
	i := discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentDirectMessages
	if config.Content {
		i |= discordgo.IntentMessageContent
	}
	if config.Members {
		i |= discordgo.IntentGuildMembers
	}
	return i
}

// own is what the token stands for; the zero value until Discord told.
func (a *app) own() who {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.identity
}

// seen are the guilds that the bot is in.
func (a *app) seen() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.guilds)
}

func (a *app) joinedGuild(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if id != "" && !slices.Contains(a.guilds, id) {
		a.guilds = append(a.guilds, id)
	}
}

func (a *app) leftGuild(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.guilds = slices.DeleteFunc(a.guilds, func(g string) bool { return g == id })
}

// run serves the application until the context ends or the token is of no use.
func (a *app) run(ctx context.Context) error {
	if err := a.identify(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.mu.Lock()
	a.base = ctx
	a.mu.Unlock()
	var work sync.WaitGroup
	left := a.interrupted(ctx) // before new ones begin
	work.Go(func() { a.mend(ctx, left) })
	work.Go(func() { bot.Guarded(a.log, "commands", func() { a.register(ctx) }) })
	a.queue.Run(ctx)
	err := a.gateway.run(ctx)
	cancel()
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	work.Wait()
	a.queue.Wait()
	a.work.Wait()
	a.running.wait()
	return err
}

// identify asks until Discord tells what the token stands for.
func (a *app) identify(ctx context.Context) error {
	for wait := a.opts.timing.first; ; wait = min(2*wait, a.opts.timing.most) {
		u, err := a.api.self(ctx)
		var it applicationInfo
		if err == nil {
			it, err = a.api.application(ctx)
		}
		switch {
		case err == nil:
			a.mu.Lock()
			a.identity = who{App: it.ID, User: u.ID}
			a.mu.Unlock()
			return nil
		case isStatus(err, 401), errors.Is(err, discordgo.ErrUnauthorized):
			return core.Wrap(core.KindAuth, err, "discord "+a.config.Name+": Discord refuses the bot token; make a new one in the developer portal under Bot")
		}
		a.log.Warn("Discord does not tell what the bot token stands for; trying again", "error", err)
		if sleepErr := sleep(ctx, wait); sleepErr != nil {
			return sleepErr
		}
	}
}

// spawn handles something at once, on a goroutine that is waited for. It tells
// whether there was room.
func (a *app) spawn(name string, do func(context.Context)) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	select {
	case a.at <- struct{}{}:
	default:
		return false
	}
	base := a.base
	a.work.Go(func() {
		defer func() { <-a.at }()
		ctx, cancel := context.WithTimeout(base, handleTime)
		defer cancel()
		bot.Guarded(a.log, name, func() { do(ctx) })
	})
	return true
}

func (a *app) busy() int { return len(a.at) }

// once tells whether what the key names is new. The error is for people.
func (a *app) once(ctx context.Context, key string) (bool, error) {
	first, err := a.opts.Front.First(ctx, key)
	if err != nil {
		a.log.Error("the ledger cannot tell whether an event is new", "error", err)
		return false, core.Wrap(core.KindUnavailable, err, "I cannot look into my memory at the moment, so I did not start on this. Please ask again in a minute.")
	}
	return first, nil
}

// sorry is an error as a person may see it.
func (a *app) sorry(err error) string {
	f := core.FailedOf(err, a.opts.NewID())
	a.log.Warn("something that was asked for failed", "request_id", f.RequestID, "error", err)
	if f.Kind == core.KindInternal {
		return f.Message + " Request id: `" + f.RequestID + "`"
	}
	return f.Message
}
