package discordtest

import "github.com/footnote-bot/footnote/bot/testclock"

// Clock is the time of a Server.
type Clock = testclock.Clock
