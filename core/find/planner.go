package find

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
)

// When says when a model is asked for help with a search.
type When int

const (
	Auto   When = iota // where it is likely to pay
	Off                // never
	Always             // in every search that finds anything
)

// Passages finds passages and reads what stands around them. *Finder implements it.
type Passages interface {
	Search(ctx context.Context, q Query) ([]core.Result, error)
	// Around returns the passages of each window, in the order of the windows and by
	// ordinal; none of what the query may not read any more.
	Around(ctx context.Context, q Query, windows []core.Window) ([][]core.Result, error)
}

// PlannerOptions are the parts of a Planner. Passages is required.
type PlannerOptions struct {
	Passages  Passages
	Planning  When
	Selection When
	// Sources lists what questions may name as a place to look; nil knows of none.
	Sources func(context.Context) ([]SourceName, error)
	// Holds tells whether a search may find anything in a source. One in which it may
	// not is no place to look, however it is called: for the readers it is not there.
	// Nil takes all for places.
	Holds          func(ctx context.Context, q Query, source string) (bool, error)
	PlanPatience   time.Duration // how long a plan may take; 0 means 4 s
	SelectPatience time.Duration // how long a selection may take; 0 means 8 s
	Now            func() time.Time
	Log            *slog.Logger // nil discards
}

const (
	defaultPlanPatience   = 4 * time.Second
	defaultSelectPatience = 8 * time.Second
)

// Planner makes searches of turns: it plans them with at most one model call,
// chooses among what they find with at most one more, and reads what stands around
// it. Both calls only ever help: without them, and wherever they fail, the searches
// are those of the answering model, and what is found stands in its own order. It
// may be used from several goroutines.
type Planner struct {
	opts    PlannerOptions
	conduct *conduct
	tokens  *model.Counter
}

// NewPlanner makes a Planner. It panics if Passages is missing.
func NewPlanner(o PlannerOptions) *Planner {
	if o.Passages == nil {
		panic("find: PlannerOptions.Passages is required")
	}
	if o.PlanPatience <= 0 {
		o.PlanPatience = defaultPlanPatience
	}
	if o.SelectPatience <= 0 {
		o.SelectPatience = defaultSelectPatience
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Planner{opts: o, conduct: newConduct(o.Now), tokens: model.NewCounter()}
}

// Turn is what a planner knows of the question that searches are for.
type Turn struct {
	Model     Model  // nil plans and selects nothing
	ModelName string // tells models apart
	Message   string // as the asker wrote it
	// Earlier is what this audience may know of what was said before, oldest first.
	Earlier []Exchange
	Now     time.Time // in the asker's zone
	// Named tells whether the readers of the answer may see a document's title and
	// all else that names it. Nil means that they may not.
	Named func(core.Document) bool
	// Note is told of every model call, by the goroutine of Search; nil tells nobody.
	Note func(purpose string, reply model.Reply, took time.Duration, err error)
}

// Exchange is something said before the question, and what was answered.
type Exchange struct{ Question, Answer string }

// Begin makes the planning of one turn.
func (p *Planner) Begin(t Turn) *Planning { return &Planning{planner: p, turn: t} }

// Planning is the searches of one turn. Its plan is made once, with the first
// search, and never asked for again, also where it failed. It may be used from
// several goroutines; searches wait for each other.
type Planning struct {
	planner *Planner
	turn    Turn

	mu       sync.Mutex
	searches int
	calls    int  // of the model, in this search
	planned  bool // as far as it ever will be
	trivial  bool // the first search needed no plan
	plan     Plan
	said     []mention
	step     int      // of a scope in order
	lifted   bool     // the scope and the window led nowhere
	before   []string // queries of earlier searches
}

// Asked is one search of the answering model.
type Asked struct {
	Queries []string // its own, at least one
	Query   Query    // filter, limit, viewer, live and missed; the queries are put in
	Room    int      // tokens that the result may take; 0 means as many as Limit full passages
	Ran     func(query string)
}

// Found is what a search brought.
type Found struct {
	Results []core.Result // best first, as sections
	Note    string        // for the answering model
	Trace   Trace
}

// passageTokens is what a full passage takes.
const passageTokens = 512

// Search plans, searches, selects and reads around what was found. Its errors are
// of the search itself or of the context.
func (p *Planning) Search(ctx context.Context, a Asked) (Found, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = 0
	if a.Query.Limit <= 0 {
		a.Query.Limit = defaultLimit
	}
	if full := a.Query.Limit * passageTokens; a.Room <= 0 || a.Room > full {
		a.Room = full
	}
	s := &search{planning: p, asked: a, limit: a.Query.Limit, query: a.Query, trace: Trace{Room: a.Room}}
	if err := s.prepare(ctx); err != nil {
		return Found{}, err
	}
	results, err := s.run(ctx)
	if err == nil && s.scoped && s.trace.Candidates == 0 {
		s.unscope()
		results, err = s.run(ctx)
	}
	if err != nil {
		return Found{}, err
	}
	p.searches++
	p.before = append(p.before, a.Queries...)
	if len(results) == 0 && s.covered.Narrowed() {
		p.lifted, s.covered.Nothing = true, true
	}
	return Found{Results: results, Note: s.note(), Trace: s.trace}, nil
}
