package slack

import (
	"context"
	"log/slog"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

const platform = "slack"

// Workspace is one Slack app in one workspace. BotToken is required, and one of
// AppToken and SigningSecret.
type Workspace struct {
	Name          string
	BotToken      string   // xoxb-…
	AppToken      string   // xapp-…, for Socket Mode
	SigningSecret string   // for events over HTTP
	APIURL        string   // "" is Slack's own; http only on this machine
	Home          bool     // its members are full members of the install
	Sources       []string // names of sources that hold its channels
	AllowBots     []string // bot and user ids of bots that may ask
	MentionOnly   bool     // the app was made without messages of channels
}

// Front is what all chat platforms share before the desk. *bot.Front is one.
type Front interface {
	First(ctx context.Context, key string) (bool, error)
	Settings(ctx context.Context, place string) (bot.Settings, error)
	Viewer(ctx context.Context, account core.Account) (core.Viewer, error)
	Audience(ctx context.Context, place core.Place, viewer core.Viewer) (core.Audience, error)
	Ask(ctx context.Context, in bot.Incoming) (bot.Outcome, error)
}

// Desk owns the running turns. *bot.Desk is one.
type Desk interface {
	Stop(id string) error
	Find(ctx context.Context, id string) (*bot.Running, error)
	Recheck(place string)
	Share(ctx context.Context, turnID string, by core.Viewer, to core.Place) (core.Answer, []string, error)
}

// Turns is the ledger's memory of finished turns. *store.Store is one.
type Turns interface {
	Turn(ctx context.Context, id string) (core.Turn, error)
	Thread(ctx context.Context, thread string) ([]core.Turn, error)
}

// Threads remembers what threads are like. *store.Store is one.
type Threads interface {
	// ThreadFacts tells what is known of a thread; the zero value if nothing is.
	ThreadFacts(ctx context.Context, thread string) (core.ThreadFacts, error)
	// SetQuiet notes that somebody told the bot to be quiet in a thread, or that it
	// was asked by name again.
	SetQuiet(ctx context.Context, thread string, quiet bool, now time.Time) error
}

// Posts remembers where answers stand. *store.Store is one.
type Posts interface {
	// Expect notes an event, as bot.Ledger.FirstSeen does, and writes the answer that
	// it gets if it is new: both or none.
	Expect(ctx context.Context, key string, now time.Time, answer func() core.Posted) (first bool, err error)
	// PutPosted writes one, or writes it anew.
	PutPosted(ctx context.Context, p core.Posted) error
	// Posted finds one; the error is of kind not_found if there is none.
	Posted(ctx context.Context, id string) (core.Posted, error)
	// Unfinished lists those that were still being written.
	Unfinished(ctx context.Context, platform string) ([]core.Posted, error)
}

// Feedback keeps what people think of answers, and their calls for help. It may
// be nil: then answers have no such buttons.
type Feedback interface {
	PutVote(ctx context.Context, v core.Vote) error
	PutHelp(ctx context.Context, h core.HelpRequest) error
	Help(ctx context.Context, id string) (core.HelpRequest, error)
}

// Admin is what /footnote does beside looking. It may be nil: then the command
// shows what it can without it. Each method checks for itself whether the actor
// may do this; the error for people is of kind denied.
type Admin interface {
	// Configure changes one setting of a place, such as mode or agent.
	Configure(ctx context.Context, place core.Place, actor Actor, key, value string) error
	// Sources lists what the viewer may search in the place, by name.
	Sources(ctx context.Context, place core.Place, viewer core.Viewer) ([]string, error)
	// Link binds the account to the person for whom the code was made, and
	// returns their address.
	Link(ctx context.Context, account core.Account, code string) (email string, err error)
	// Recent lists what the account asked lately, newest first.
	Recent(ctx context.Context, account core.Account, most int) ([]core.PastQuestion, error)
	// Status is a few lines about sources and model.
	Status(ctx context.Context, viewer core.Viewer) ([]string, error)
}

// Actor is who changes a setting.
type Actor struct {
	Account core.Account
	Viewer  core.Viewer
	Manager bool // of the channel: who made it, or who runs the workspace
}

// Extractor turns a file's bytes into text, or into what stands for it where it
// cannot. It may be nil: then only plain text is read.
type Extractor interface {
	Extract(ctx context.Context, name, mediaType string, content []byte) (text string, err error)
}

// Counter counts what happens; label may be empty.
type Counter interface{ Add(name, label string) }

// Options are the parts of a Bot. Front, Desk, Turns, Threads, Posts and NewID
// are required.
type Options struct {
	Workspaces []Workspace
	Front      Front
	Desk       Desk
	Turns      Turns
	Threads    Threads
	Posts      Posts
	NewID      func() string

	Bounds   Bounds // nil: no intersections
	Feedback Feedback
	Curation bot.Curation // nil: there are no curators
	Readable Readable
	Admin    Admin
	Extract  Extractor
	Vision   bool // the model takes images
	// Starters are questions to offer where a conversation begins; nil offers none.
	Starters func(ctx context.Context, place string) []string
	// Joined is told which workspace a token belongs to, before the first event of
	// it is taken; nil if nobody wants to know.
	Joined  func(ctx context.Context, name, team string)
	Counter Counter
	Log     *slog.Logger // nil discards

	firstWords time.Duration // see usualFirstWords; tests lengthen it
	signTime   time.Duration // see usualSignTime; tests lengthen it
}

type nothing struct{}

func (nothing) Add(string, string) {}

func (o Options) withDefaults() Options {
	if o.Counter == nil {
		o.Counter = nothing{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.firstWords <= 0 {
		o.firstWords = usualFirstWords
	}
	if o.signTime <= 0 {
		o.signTime = usualSignTime
	}
	return o
}
