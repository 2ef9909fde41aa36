package discordtest

import "time"

// What a server without Empty starts with: one application, its bot, and one
// guild with its owner, in which the bot is a member.
const (
	Token   = "MjAwMg.footnote.discordtest" // without "Bot " before it
	AppID   = "2001"                        // the application
	BotUser = "2002"                        // its user; another id, as for old applications
	Guild   = "1001"                        // the guild, and so the id of its @everyone
	BotRole = "1002"                        // the bot's managed role
	Owner   = "3001"                        // the guild's owner, "owner"
)

// Option changes how a server starts.
type Option func(*options)

type options struct {
	empty      bool
	privileged Intent
	limits     Limits
	heartbeat  time.Duration
	future     bool
	resumeFor  int // events that a session keeps for a resume
	editWindow time.Duration
	answer     time.Duration // that an interaction waits for its first answer
	everyone   Permission
	bot        Permission
}

func defaults() options {
	return options{
		heartbeat:  41250 * time.Millisecond,
		resumeFor:  1000,
		editWindow: time.Hour,
		answer:     3 * time.Second,
		everyone:   EveryoneDefault,
		bot:        BotDefault,
	}
}

// Empty starts without guild; application and bot are always there.
func Empty() Option { return func(o *options) { o.empty = true } }

// WithPrivileged switches privileged intents on for the application, as the
// developer portal does: MessageContent, GuildMembers, GuildPresences. None is
// on by default, and identifying with one that is off closes with 4014.
func WithPrivileged(i Intent) Option {
	return func(o *options) { o.privileged = i & privilegedIntents }
}

// WithLimits turns rate limits on from the start; see DiscordLimits.
func WithLimits(l Limits) Option { return func(o *options) { o.limits = l } }

// HeartbeatEvery is the interval that hello asks for, in real time, rounded to
// milliseconds; 41.25 seconds by default. A connection that stays silent for
// more than two of them is closed with 4009.
func HeartbeatEvery(d time.Duration) Option { return func(o *options) { o.heartbeat = d } }

// Future adds fields that no client knows to everything that is dispatched.
func Future() Option { return func(o *options) { o.future = true } }

// KeepEvents is how many events a session keeps for a resume; 1,000 by default.
// A resume that needs an older one gets an invalid session.
func KeepEvents(n int) Option { return func(o *options) { o.resumeFor = n } }

// EditWindow is the age, on the server's clock, after which an edit of a
// message fails with 30046; one hour by default. Discord lets a few through;
// this is the strict reading. Zero means no such rule.
func EditWindow(d time.Duration) Option { return func(o *options) { o.editWindow = d } }

// AnswerWithin is how long, on the server's clock, an interaction waits for its
// first answer. Discord gives 3 seconds.
func AnswerWithin(d time.Duration) Option { return func(o *options) { o.answer = d } }

// EveryoneMay replaces the permissions of @everyone in the first guild; for none
// at all use ChangeRole.
func EveryoneMay(p Permission) Option { return func(o *options) { o.everyone = p } }

// BotMay replaces the permissions of the bot's own role in the first guild; for
// none at all use ChangeRole.
func BotMay(p Permission) Option { return func(o *options) { o.bot = p } }
