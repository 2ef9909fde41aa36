// Package discord is Discord as a chat platform: it takes events over the
// gateway, turns them into questions, and shows the answers where they were
// asked.
//
// A Bot serves any number of applications, one bot token each, and each of them
// any number of guilds that the owner bound. The gateway of discordgo is kept
// behind a small interface and supervised (gateway.go): it is opened with a
// deadline, watched, resumed, and replaced where it hangs. Events are read
// tolerantly from their raw JSON, so that what Discord adds breaks nothing.
// Interactions are acknowledged in the first line of their handler; messages go
// through the queue of their channel and are held against the rules for what is
// answered (bot.Decide).
//
// Every call of the REST API goes through rest.do, with a context, bounded
// repeats and rate limits that are forgotten in time. Every body that shows a
// text is a payload, which cannot mention anybody.
//
// Who may read a reply is computed here from roles, overwrites and threads
// (permissions.go, places.go); a fact that cannot be learned counts as the
// stricter one.
package discord
