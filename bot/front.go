package bot

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

// Ledger is what the platforms' shared part remembers over restarts.
// *store.Store implements it.
type Ledger interface {
	// FirstSeen notes an event and tells whether it is new. It is written before
	// any work is done for the event. It may be forgotten after a day, unless the
	// key begins with core.LastingKey.
	FirstSeen(ctx context.Context, key string, now time.Time) (bool, error)
	// TakeFrom takes one from a bucket, or tells how long to wait.
	TakeFrom(ctx context.Context, key string, rate core.Rate, now time.Time) (time.Duration, error)
	// ThreadFacts tells what is known of a thread; the zero value if nothing is.
	ThreadFacts(ctx context.Context, thread string) (core.ThreadFacts, error)
}

// People knows whom accounts stand for.
type People interface {
	// Viewer is what the account holds now. It also notes the account as it is
	// described.
	Viewer(ctx context.Context, account core.Account) (core.Viewer, error)
	// Again is what a viewer of before holds now.
	Again(ctx context.Context, viewer core.Viewer) (core.Viewer, error)
}

// Places knows what the owner set for places and bound to them.
type Places interface {
	Settings(ctx context.Context, place string) (Settings, error)
	// Bound puts grants, collections and options of now to what the platform knows
	// of a place, instead of those that it has.
	Bound(ctx context.Context, place core.Place) (core.Place, error)
}

// Collections finds the collections that an asker names.
type Collections interface {
	// Asked gives the names their rules. One in which the audience can read nothing
	// looks as if it did not exist: the error is of kind not_found.
	Asked(ctx context.Context, names []string, audience core.Audience) ([]core.Collection, error)
}

// Agents finds agents by name.
type Agents interface {
	Agent(name string) (core.Agent, bool)
}

// Platform is what the shared part asks a chat platform.
type Platform interface {
	// Place tells the facts about the place as they are now, at most a minute old;
	// its readers are unknown where they cannot be found out.
	Place(ctx context.Context, place core.Place) core.Place
}

// FrontOptions are the parts and limits of a Front. Desk, Ledger, People, Places
// and Agents are required.
type FrontOptions struct {
	Desk   *Desk
	Ledger Ledger
	People People
	Places Places
	Agents Agents
	// Collections that may be asked for by name; nil means that there are none.
	Collections Collections
	// Filters that questions may hold; nil means that operators are words.
	Filters Filters

	PerPerson core.Rate // questions of one account, default 10 at once, then one each 20 s
	PerPlace  core.Rate // questions in one place, default 30 at once, then one each 5 s
	Now       func() time.Time
	Log       *slog.Logger // nil discards
}

// Front is what all chat platforms share before the Desk: events that come
// twice, who asks, where, under which settings and how often. It may be used
// from several goroutines.
type Front struct {
	opts FrontOptions

	mu        sync.RWMutex
	platforms map[string]Platform
}

// NewFront makes a front. It panics if a required option is missing.
func NewFront(o FrontOptions) *Front {
	if o.Desk == nil || o.Ledger == nil || o.People == nil || o.Places == nil || o.Agents == nil {
		panic("bot: Desk, Ledger, People, Places and Agents are required")
	}
	if o.PerPerson == (core.Rate{}) {
		o.PerPerson = core.Rate{Burst: 10, Every: 20 * time.Second}
	}
	if o.PerPlace == (core.Rate{}) {
		o.PerPlace = core.Rate{Burst: 30, Every: 5 * time.Second}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Front{opts: o, platforms: map[string]Platform{}}
}

// Register makes a platform known under its name. Places of platforms that are
// not known are what the question says they are.
func (f *Front) Register(name string, p Platform) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.platforms[name] = p
}

func (f *Front) platform(name string) (Platform, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	p, ok := f.platforms[name]
	return p, ok
}

// First tells whether an event is new. Whoever gets true has to handle it; for
// everybody else it is done.
func (f *Front) First(ctx context.Context, key string) (bool, error) {
	return f.opts.Ledger.FirstSeen(ctx, key, f.opts.Now())
}

// Settings are what the owner set for the place.
func (f *Front) Settings(ctx context.Context, place string) (Settings, error) {
	return f.opts.Places.Settings(ctx, place)
}

// Viewer is what the account holds now.
func (f *Front) Viewer(ctx context.Context, account core.Account) (core.Viewer, error) {
	return f.opts.People.Viewer(ctx, account)
}

// Audience is who can read a reply in the place now, for the viewer as they are
// now. It is what a Desk asks while a turn runs (Options.Audience): the
// platform's facts are at most a minute old.
func (f *Front) Audience(ctx context.Context, place core.Place, viewer core.Viewer) (core.Audience, error) {
	if p, ok := f.platform(place.Platform); ok {
		place = p.Place(ctx, place)
	}
	viewer, err := f.opts.People.Again(ctx, viewer)
	if err != nil {
		return core.Audience{}, err
	}
	if place, err = f.opts.Places.Bound(ctx, place); err != nil {
		return core.Audience{}, err
	}
	return access.Audience(place, viewer), nil
}
