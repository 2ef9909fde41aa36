package slack

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

const (
	workers    = 16
	room       = 1024            // events that wait for one worker
	handleTime = 2 * time.Minute // for one event; answers go on by themselves
)

// app is one workspace that is served.
type app struct {
	opts   Options
	config Workspace
	api    *api
	people *accounts
	roster *roster
	places *places
	groups *groups
	// members of user groups that lists name
	members *bot.Kept[[]string]
	socket  *socket // nil for events over HTTP
	queue   *bot.Queue
	log     *slog.Logger

	running *answers    // what is being written
	pending *pending    // forms that were opened
	roots   *roots      // whether threads began with us
	streams *streamable // where native streams are refused

	streamAge time.Duration // how old a native stream may get

	mu       sync.Mutex
	identity who
	base     context.Context // of answers; ends with the app
}

func newApp(o Options, w Workspace) (*app, error) {
	log := o.Log.With("workspace", w.Name)
	client, err := newAPI(w, o.Counter, log)
	if err != nil {
		return nil, err
	}
	a := &app{opts: o, config: w, api: client, log: log, queue: bot.NewQueue(workers, room, handleTime, log),
		running: newAnswers(), pending: newPending(), roots: newRoots(), streams: newStreamable(),
		streamAge: streamAge, base: context.Background()}
	a.people = newAccounts(client, a.own)
	a.roster = &roster{api: client, own: a.own, log: log}
	a.places = newPlaces(client, a.own, a.people, a.roster)
	a.groups, a.members = &groups{api: client}, bot.NewKept[[]string]()
	if w.AppToken != "" {
		a.socket = &socket{
			open: client.openSocket, take: a.take, timing: usual, count: o.Counter, log: log,
			probe:  func(ctx context.Context) error { _, err := client.authTest(ctx); return err },
			dialer: &websocket.Dialer{HandshakeTimeout: attemptTime},
		}
	}
	return a, nil
}

// own is what the bot token stands for; the zero value until Slack told.
func (a *app) own() who {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.identity
}

// run serves the workspace until the context ends or the token is of no use.
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
	work.Go(func() { a.roster.run(ctx) })
	left := a.interrupted(ctx) // before new ones begin
	work.Go(func() { a.mend(ctx, left) })
	a.queue.Run(ctx)
	var err error
	if a.socket != nil {
		err = a.socket.run(ctx)
	} else {
		<-ctx.Done()
	}
	cancel()
	work.Wait()
	a.queue.Wait()
	a.running.wait()
	return sentence(err)
}

// identify asks until Slack tells what the token stands for.
func (a *app) identify(ctx context.Context) error {
	for wait := time.Second; ; wait = min(2*wait, time.Minute) {
		w, err := a.api.authTest(ctx)
		switch {
		case err == nil:
			a.mu.Lock()
			a.identity = w
			a.mu.Unlock()
			if a.opts.Joined != nil {
				a.opts.Joined(ctx, a.config.Name, w.Team)
			}
			a.lacks(w)
			return nil
		case dead(err):
			return sentence(err)
		}
		a.log.Warn("Slack does not tell what the bot token stands for; trying again", "error", err)
		if sleepErr := sleep(ctx, wait); sleepErr != nil {
			return sleepErr
		}
	}
}

// lacks says which features do not work, once at the start.
func (a *app) lacks(w who) {
	for _, l := range (Variant{MentionOnly: a.config.MentionOnly}).Missing(w.Scopes) {
		a.log.Warn("the app lacks scopes, so a feature is off", "feature", l.Feature, "scopes", l.Scopes)
	}
}

// can tells whether the token has a scope. Where Slack did not list any, it is
// tried.
func (a *app) can(scope string) bool {
	granted := a.own().Scopes
	if len(granted) == 0 {
		return true
	}
	for _, s := range granted {
		if s == scope {
			return true
		}
	}
	return false
}

// allowed tells whether an id is one of the bots that may ask.
func (a *app) allowed(ids ...string) bool {
	for _, id := range ids {
		for _, ok := range a.config.AllowBots {
			if id != "" && id == ok {
				return true
			}
		}
	}
	return false
}

// account is who an event is from.
func (a *app) account(ctx context.Context, e event) person {
	return a.people.asker(ctx, string(e.User), e.Bot, e.foreign(a.own()))
}

// key is the name of a message for de-duplication, whichever event brings it.
func (a *app) key(channel, ts string) string {
	return placeID(a.own().Team, channel) + "/" + ts
}

// once tells whether what the key names is new. The error is for people.
func (a *app) once(ctx context.Context, key string) (bool, error) {
	first, err := a.opts.Front.First(ctx, key)
	if err != nil {
		a.log.Error("the ledger cannot tell whether an event is new", "error", err)
		return false, noMemory(err)
	}
	return first, nil
}

func noMemory(err error) error {
	return core.Wrap(core.KindUnavailable, err, "I cannot look into my memory at the moment, so I did not start on this. Please ask again in a minute.")
}
