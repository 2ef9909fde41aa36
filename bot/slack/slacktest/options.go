package slacktest

import "time"

// What the app of a server without Empty uses.
const (
	BotToken      = "xoxb-1-footnote"
	AppToken      = "xapp-1-A1-footnote"
	ConfigToken   = "xoxe.xoxp-1-config"
	SigningSecret = "0123456789abcdef0123456789abcdef"
	Team          = "T1"   // the workspace, domain "acme"
	AppID         = "A1"   // the app
	BotUser       = "UBOT" // its user
	BotID         = "B1"   // its bot
)

// Option changes how a server starts.
type Option func(*options)

type options struct {
	empty       bool
	sizes       Sizes
	limits      Limits
	ackTimeout  time.Duration
	retryDelays []time.Duration
	ping        time.Duration
	editWindow  time.Duration
	noStreams   map[ChannelKind]bool
	twin        bool // the message event comes before app_mention
	quiet       bool // the app does not get its own messages
}

func defaults() options {
	return options{
		sizes:       SlackSizes(),
		ackTimeout:  3 * time.Second,
		retryDelays: []time.Duration{0, time.Minute, 5 * time.Minute},
		ping:        5 * time.Second,
		noStreams:   map[ChannelKind]bool{},
	}
}

// Empty starts without workspace and app.
func Empty() Option { return func(o *options) { o.empty = true } }

// WithLimits turns rate limits on from the start; see SlackLimits.
func WithLimits(l Limits) Option { return func(o *options) { o.limits = l } }

// WithSizes replaces the size limits; see SlackSizes.
func WithSizes(z Sizes) Option { return func(o *options) { o.sizes = z } }

// AckTimeout is how long, on the server's clock, an event may stay without ack
// before it counts as failed, and how long a trigger_id can be used. Slack gives 3
// seconds for both.
func AckTimeout(d time.Duration) Option { return func(o *options) { o.ackTimeout = d } }

// RetryDelays says how long after a failed try the next one comes, on the
// server's clock, and by their number how many there are. Slack waits nothing,
// one minute and five minutes.
func RetryDelays(d ...time.Duration) Option { return func(o *options) { o.retryDelays = d } }

// PingEvery is the real time between two pings of a socket; 5 seconds by
// default. slack-go gives up a socket that sends none for 30 seconds.
func PingEvery(d time.Duration) Option { return func(o *options) { o.ping = d } }

// EditWindow makes chat.update fail with edit_window_closed for messages older
// than d on the server's clock. Zero means no such rule.
func EditWindow(d time.Duration) Option { return func(o *options) { o.editWindow = d } }

// NoStreamsIn makes chat.startStream fail with channel_type_not_supported in
// channels of these kinds.
func NoStreamsIn(kinds ...ChannelKind) Option {
	return func(o *options) {
		for _, k := range kinds {
			o.noStreams[k] = true
		}
	}
}

// MessageBeforeMention sends the message event of a mention before its
// app_mention twin; by default it comes after.
func MessageBeforeMention() Option { return func(o *options) { o.twin = true } }

// NoOwnMessages keeps the events of an app's own messages from the app. Slack
// sends them, which is why this is not the default.
func NoOwnMessages() Option { return func(o *options) { o.quiet = true } }
