package access

import "github.com/footnote-bot/footnote/core"

// DiscordFacts is what is known of a Discord channel. The zero value knows
// nothing. Who views a thread is decided by the channel above it, since a
// thread has no permissions of its own.
type DiscordFacts struct {
	Known     bool // the channel, and for a thread the one above it, was looked up, and not too long ago
	Ephemeral bool // only the asker sees the reply, whatever the channel
	DM        bool // with the bot

	EveryoneViews       bool // @everyone may view the channel; of no meaning for threads
	Thread              bool // a public thread or a forum post
	PrivateThread       bool
	ParentKnown         bool // the channel above a thread was looked up
	ParentEveryoneViews bool // @everyone may view that one
}

// Kind is the kind of the place and, for a private thread, that of the channel
// above it; see core.Place.Parent. A public thread and a forum post are as the
// channel above them.
func (f DiscordFacts) Kind() (kind, parent core.PlaceKind) {
	thread := f.Thread || f.PrivateThread
	switch {
	case f.Ephemeral:
		return core.PlaceEphemeral, ""
	case !f.Known, f.DM && (thread || f.EveryoneViews), f.Thread && f.PrivateThread, thread && !f.ParentKnown:
		return core.PlaceUnknown, ""
	case f.DM:
		return core.PlaceDirect, ""
	case f.PrivateThread:
		return core.PlacePrivateThread, viewed(f.ParentEveryoneViews)
	case f.Thread:
		return viewed(f.ParentEveryoneViews), ""
	}
	return viewed(f.EveryoneViews), ""
}

func viewed(byEveryone bool) core.PlaceKind {
	if byEveryone {
		return core.PlaceEveryone
	}
	return core.PlaceHidden
}
