package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
)

// privileged are the intents that have to be switched on for the application.
const privileged = discordgo.IntentMessageContent | discordgo.IntentGuildMembers | discordgo.IntentGuildPresences

// gateway keeps one session open. It is the only one that opens, and the only one
// that gives a session up.
type gateway struct {
	make func(discordgo.Intent, hooks) (session, error)
	take func(name string, data json.RawMessage)
	timing
	count Counter
	log   *slog.Logger

	opening sync.WaitGroup // goroutines in Open and Close that have not hung
	current session        // may be resumed; nil is a new one next
	life    *life          // of the current session

	mu      sync.Mutex
	state   GatewayState
	intents discordgo.Intent
}

// life is what one session has told so far.
type life struct {
	lost  chan struct{} // one value for each loss
	ready chan struct{}
}

var (
	errHung   = errors.New("opening the session hung; it is replaced by a new one")
	errLost   = errors.New("the connection was lost")
	errSilent = errors.New("no heartbeat was answered for too long")
	errDeaf   = errors.New("no event came for too long")
)

// run connects again and again until the context ends or Discord says that this
// cannot work.
func (g *gateway) run(ctx context.Context) error {
	defer g.opening.Wait()
	wait := g.first
	for {
		began := time.Now()
		err := g.once(ctx)
		if ctx.Err() != nil {
			g.end()
			return ctx.Err()
		}
		if dead := g.ended(err); dead != nil {
			return dead
		}
		if time.Since(began) > 2*g.watch+g.first {
			wait = g.first
		}
		if sleepErr := sleep(ctx, wait/2+rand.N(wait)); sleepErr != nil {
			g.end()
			return sleepErr
		}
		wait = min(2*wait, g.most)
	}
}

// once opens a session, or resumes the one that was lost, and watches it until it
// is lost.
func (g *gateway) once(ctx context.Context) error {
	if g.current == nil {
		l := &life{lost: make(chan struct{}, 1), ready: make(chan struct{}, 1)}
		g.mu.Lock()
		intents := g.intents
		g.mu.Unlock()
		s, err := g.make(intents, g.hooks(l))
		if err != nil {
			return err
		}
		g.mu.Lock()
		g.current, g.life = s, l
		g.mu.Unlock()
	}
	drain(g.life.lost)
	drain(g.life.ready)
	if err := g.open(ctx); err != nil {
		return err
	}
	return g.watchOver(ctx)
}

// hooks bring the events of one life in; what comes from a session that was given
// up is left out.
func (g *gateway) hooks(l *life) hooks {
	return hooks{
		event: func(name string, data json.RawMessage) {
			g.mu.Lock()
			mine := g.life == l
			if mine {
				g.state.Event = time.Now()
			}
			g.mu.Unlock()
			if !mine {
				return
			}
			if name == "READY" || name == "RESUMED" {
				g.connected(name == "RESUMED")
				tell(l.ready)
			}
			g.take(name, data)
		},
		lost: func() { tell(l.lost) },
	}
}

func tell(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func drain(c chan struct{}) {
	select {
	case <-c:
	default:
	}
}

// open opens the current session within its time. discordgo hangs for ever where
// the first thing that Discord says is to reconnect: then nothing can end it, so
// the session is left alone with its goroutine and another one takes its place.
func (g *gateway) open(ctx context.Context) error {
	s := g.current
	err, hung := g.within(ctx, g.timing.open, s.Open)
	switch {
	case hung:
		g.discard()
		return errHung
	case err == nil:
		return nil
	}
	var closed *websocket.CloseError
	if errors.As(err, &closed) || !isNetwork(err) {
		g.discard() // it cannot go on where it was
	}
	return err
}

// within runs something that may hang on a goroutine of its own and waits so long.
// Then the connection is cut, which ends all but the library's own deadlock.
func (g *gateway) within(ctx context.Context, limit time.Duration, do func() error) (err error, hung bool) {
	s := g.current
	done := make(chan error, 1)
	g.opening.Add(1)
	release := sync.OnceFunc(g.opening.Done)
	go func() {
		defer release()
		defer func() {
			if fault := recover(); fault != nil {
				done <- fmt.Errorf("the gateway library panicked: %T", fault)
			}
		}()
		done <- do()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-done:
		return err, false
	case <-timer.C:
	case <-ctx.Done():
		select { // it may be about to end
		case err := <-done:
			return err, false
		case <-time.After(min(limit, time.Second)):
		}
	}
	s.Drop()
	select {
	case <-done:
	case <-time.After(min(limit, time.Second)):
	}
	release() // nobody waits for what may never end
	g.mu.Lock()
	g.state.Hung++
	g.mu.Unlock()
	g.count.Add("discord_sessions_hung_total", "")
	return nil, true
}

// watchOver returns when the session is lost, silent or deaf.
func (g *gateway) watchOver(ctx context.Context) error {
	late := time.NewTimer(g.timing.open) // until ready
	defer late.Stop()
	tick := time.NewTicker(g.watch)
	defer tick.Stop()
	isReady := false
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-g.life.lost:
			return errLost
		case <-g.life.ready:
			isReady = true
		case <-late.C:
			select { // both may have come
			case <-g.life.ready:
				isReady = true
			default:
			}
			if !isReady {
				g.leave(ctx)
				g.discard()
				return errHung
			}
		case <-tick.C:
			if err := g.health(); err != nil {
				g.leave(ctx)
				return err
			}
		}
	}
}

func (g *gateway) health() error {
	acked := g.current.Acked()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.state.Acked = acked
	if time.Since(acked) > g.ack {
		return errSilent
	}
	if last := g.state.Event; time.Since(last) > g.event && time.Since(g.state.Since) > g.event {
		return errDeaf
	}
	return nil
}

// leave closes the current session, which can be resumed then; one that hangs is
// given up.
func (g *gateway) leave(ctx context.Context) {
	if _, hung := g.within(ctx, min(5*time.Second, g.timing.open), g.current.Close); hung {
		g.discard()
	}
}

func (g *gateway) discard() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.current, g.life = nil, nil
}

// end closes what is open when everything ends.
func (g *gateway) end() {
	if g.current == nil {
		return
	}
	g.leave(context.Background())
	g.mu.Lock()
	defer g.mu.Unlock()
	g.state.Connected = false
}
