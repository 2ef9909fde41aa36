package discord

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"github.com/footnote-bot/footnote/core"
)

// alertAfter is after how many failures in a row the log says error.
const alertAfter = 3

// GatewayState is how the connection is doing.
type GatewayState struct {
	Connected bool
	Since     time.Time // of the connection, or of its loss
	Event     time.Time // an event arrived
	Acked     time.Time // a heartbeat was answered
	Failures  int       // in a row
	Sessions  int       // opened so far
	Resumed   int       // of these, how many went on where they were
	Hung      int       // sessions that hung and were replaced
	Refused   bool      // the application may not have the privileged intents
}

func (g *gateway) connected(resumed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.state.Connected, g.state.Since, g.state.Failures = true, time.Now(), 0
	g.state.Sessions++
	if resumed {
		g.state.Resumed++
	}
}

// ended keeps the books of a session's end; the error is set where another one
// would not do better.
func (g *gateway) ended(err error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.state.Connected, g.state.Since = false, time.Now()
	g.count.Add("discord_reconnects_total", "")
	var closed *websocket.CloseError
	if errors.As(err, &closed) {
		switch closed.Code {
		case 4004:
			return core.Wrap(core.KindAuth, err, "Discord refuses the bot token: make a new one in the developer portal under Bot and set it in footnote.yaml")
		case 4010, 4011:
			return core.Wrap(core.KindConfig, err, "the bot is in so many servers that Discord wants several connections, which Footnote does not make")
		case 4013, 4014:
			if g.intents&privileged == 0 {
				return core.Wrap(core.KindConfig, err, "Discord refuses the intents of the bot")
			}
			g.intents &^= privileged
			g.state.Refused = true
			g.log.Error("the application may not use privileged intents, so follow-ups need a mention; switch them on in the developer portal under Bot")
			return nil
		}
	}
	if core.KindOf(err) == core.KindAuth || isStatus(err, 401) || errors.Is(err, discordgo.ErrUnauthorized) {
		return core.Wrap(core.KindAuth, err, "Discord refuses the bot token")
	}
	g.state.Failures++
	level := slog.LevelInfo
	if g.state.Failures > 1 {
		level = slog.LevelWarn
	}
	if g.state.Failures >= alertAfter {
		level = slog.LevelError
	}
	g.log.Log(context.Background(), level, "the connection to Discord ended; opening it again", "error", err, "failures", g.state.Failures)
	return nil
}

// isNetwork tells that nobody answered, so that the session can still be resumed.
func isNetwork(err error) bool {
	var n interface{ Timeout() bool }
	return errors.As(err, &n) || errors.Is(err, websocket.ErrBadHandshake)
}

// State tells how the connection is doing.
func (g *gateway) State() GatewayState {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state
}

// hasIntent tells whether the bot was given an intent.
func (g *gateway) hasIntent(i discordgo.Intent) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.intents&i == i
}
