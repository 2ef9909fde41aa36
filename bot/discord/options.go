package discord

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

const platform = "discord"

// App is one Discord application with its bot user. Token is required.
type App struct {
	Name       string
	Token      string            // with or without "Bot " before it
	APIURL     string            // "" is Discord's own; http only on this machine
	GatewayURL string            // "" is what the API names; ws only on this machine
	Transport  http.RoundTripper // nil makes one

	Home      bool     // linked members of its guilds are full members of the install
	Guilds    []string // ids of guilds that the configuration binds; see Binder
	DevGuild  string   // commands are registered in this guild alone; "" means everywhere
	Sources   []string // names of sources that hold its channels
	AllowBots []string // user ids of bots and webhooks that may ask
	Admins    []string // ids of users and roles that may configure, beside Manage Server

	Content bool // ask for the message content intent: follow-ups without mention, answers to everything
	Members bool // ask for the guild members intent: intersections of readers
	Threads bool // an answer to a message in a channel starts a thread
}

// Front is what all chat platforms share before the desk. *bot.Front is one.
type Front interface {
	First(ctx context.Context, key string) (bool, error)
	Settings(ctx context.Context, place string) (bot.Settings, error)
	Viewer(ctx context.Context, account core.Account) (core.Viewer, error)
	Ask(ctx context.Context, in bot.Incoming) (bot.Outcome, error)
	// Audience is who reads a reply in the place now.
	Audience(ctx context.Context, place core.Place, viewer core.Viewer) (core.Audience, error)
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
	// PutPosted writes one, or writes it anew.
	PutPosted(ctx context.Context, p core.Posted) error
	// Posted finds one; the error is of kind not_found if there is none.
	Posted(ctx context.Context, id string) (core.Posted, error)
	// Unfinished lists those that were still being written.
	Unfinished(ctx context.Context, platform string) ([]core.Posted, error)
}

// Notes keeps small texts. *store.Store is one.
type Notes interface {
	// Note returns what is kept under the key, "" if nothing is.
	Note(ctx context.Context, key string) (string, error)
	SetNote(ctx context.Context, key, value string) error
}

// Binder knows which guilds the owner bound to this install. *Bindings is one;
// nil means that only App.Guilds are.
type Binder interface {
	Bound(ctx context.Context, guild string) (bool, error)
	// Begin makes a code that the owner confirms, and tells until when.
	Begin(ctx context.Context, guild, name string, by core.Account) (code string, until time.Time, err error)
}

// Feedback keeps what people think of answers, and their calls for help. It may
// be nil: then answers have no such buttons.
type Feedback interface {
	PutVote(ctx context.Context, v core.Vote) error
	PutHelp(ctx context.Context, h core.HelpRequest) error
	Help(ctx context.Context, id string) (core.HelpRequest, error)
}

// Bounds knows what the owner bound to a place. It is bot.Places in part.
type Bounds interface {
	Bound(ctx context.Context, place core.Place) (core.Place, error)
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
	// Status is a few lines about sources and model.
	Status(ctx context.Context, viewer core.Viewer) ([]string, error)
}

// Choices are what an asker may choose by name. It may be nil: then nothing is
// offered while somebody types. It never tells names of documents.
type Choices interface {
	Agents(ctx context.Context, place core.Place, viewer core.Viewer) ([]string, error)
	Collections(ctx context.Context, place core.Place, viewer core.Viewer) ([]string, error)
}

// Readable tells which citations of a turn a person may read now, alone. It may
// be nil: then helpers get no list of sources.
type Readable func(ctx context.Context, viewer core.Viewer, t core.Turn) ([]core.Citation, error)

// Actor is who changes a setting.
type Actor struct {
	Account core.Account
	Viewer  core.Viewer
	Manager bool // may manage the server, or is listed in App.Admins
}

// Extractor turns a file's bytes into text. It may be nil: then only plain text
// is read.
type Extractor interface {
	Extract(ctx context.Context, name, mediaType string, content []byte) (text string, err error)
}

// Counter counts what happens; label may be empty.
type Counter interface{ Add(name, label string) }

// Options are the parts of a Bot. Front, Desk, Turns, Threads, Posts, Notes and
// NewID are required.
type Options struct {
	Apps    []App
	Front   Front
	Desk    Desk
	Turns   Turns
	Threads Threads
	Posts   Posts
	Notes   Notes
	NewID   func() string // at most 60 bytes, without colons

	Binder   Binder
	Bounds   Bounds // nil: no intersections
	Feedback Feedback
	Curation bot.Curation // nil: there are no curators
	Readable Readable
	Admin    Admin
	Choices  Choices
	Extract  Extractor
	Vision   bool // the model takes images
	Counter  Counter
	Log      *slog.Logger // nil discards

	timing timing           // of tests
	now    func() time.Time // of interactions' tokens; likewise
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
	if o.timing == (timing{}) {
		o.timing = usual
	}
	if o.now == nil {
		o.now = time.Now
	}
	return o
}

// timing are the intervals of a bot; tests shorten them.
type timing struct {
	open   time.Duration // for the opening of a session
	word   time.Duration // for the first answer to an interaction
	ack    time.Duration // silence of the heartbeat after which a session is dead
	event  time.Duration // silence of everything after which it is opened anew
	watch  time.Duration // how often that is looked at
	first  time.Duration // the first wait after a failure; doubles
	most   time.Duration
	edit   time.Duration // between the edits of a message, at the start
	slow   time.Duration // at most
	token  time.Duration // for which an interaction's token is used
	typing time.Duration
	facts  time.Duration // for which facts of guilds, channels and members are kept
}

// usual is below Discord's own limits: heartbeats are asked for about every 41 s,
// tokens live for 15 minutes, typing shows for 10 s. Only the first word has a
// little more than Discord's 3 s, for the way there.
var usual = timing{
	open: 30 * time.Second, word: 4 * time.Second, ack: 100 * time.Second, event: 6 * time.Hour, watch: 5 * time.Second,
	first: time.Second, most: time.Minute, edit: 1100 * time.Millisecond, slow: 8 * time.Second,
	token: 14 * time.Minute, typing: 8 * time.Second, facts: 45 * time.Second,
}
