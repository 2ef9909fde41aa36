package find

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/footnote-bot/footnote/prompts"
)

// search is one search on its way.
type search struct {
	planning *Planning
	asked    Asked
	limit    int
	query    Query
	scoped   bool // to sources, by the plan
	covered  prompts.Covered
	trace    Trace
}

// prepare makes the plan if that is due, and the query inside of it.
func (s *search) prepare(ctx context.Context) error {
	p := s.planning
	first := p.searches == 0
	if first && !p.planned {
		if err := s.makePlan(ctx); err != nil {
			return err
		}
		p.planned = true
	}
	names, moved := p.scope(s.asked.Queries)
	message := clipped(clean(p.turn.Message), longestWording)
	plan := p.plan
	if !first {
		message = ""
		if !moved {
			plan = Plan{} // its queries ran already
		}
	}
	s.covered.Queries = plan.added(s.asked.Queries, p.turn.Message)
	s.narrow(names)
	s.query.Wordings = wordings(plan, s.asked.Queries, message)
	s.query.Queries = slices.Clone(s.asked.Queries)
	if plan.Rewrite != "" {
		s.query.Queries = append([]string{plan.Rewrite}, s.query.Queries...) // sources of their own hear the first one
	}
	if message != "" {
		s.query.Queries = append(s.query.Queries, message) // it may name what the model's queries leave out
	}
	told := s.query.WordsOnly
	s.query.WordsOnly = func(reason string) {
		if s.trace.WordsOnly = reason; told != nil {
			told(reason)
		}
	}
	if s.query.Named == nil {
		s.query.Named = p.turn.Named
	}
	unranked := s.query.Unranked
	s.query.Unranked = func(reason string) {
		if s.trace.Unranked = reason; unranked != nil {
			unranked(reason)
		}
	}
	s.tell()
	return nil
}

// makePlan asks the model, unless the search is simple enough without.
func (s *search) makePlan(ctx context.Context) error {
	p, opts := s.planning, s.planning.planner.opts
	p.said = s.holding(ctx, mentions(p.texts(), s.sources(ctx), s.asked.Query.Filter))
	named := len(mentioned(p.said, p.turn.Message)) > 0
	p.trivial = trivial(p.turn.Message, s.asked.Queries, named, len(p.turn.Earlier) > 0)
	switch {
	case p.turn.Model == nil:
		s.trace.Unplanned = "there is no model"
	case opts.Planning == Off:
		s.trace.Unplanned = "switched off"
	case opts.Planning == Auto && p.trivial:
		s.trace.Unplanned = "the question says everything itself"
	default:
		return s.askPlan(ctx)
	}
	return nil
}

func (s *search) sources(ctx context.Context) []SourceName {
	opts := s.planning.planner.opts
	if opts.Sources == nil {
		return nil
	}
	all, err := opts.Sources(ctx)
	if err != nil {
		opts.Log.WarnContext(ctx, "sources not listed; no question can name one", "error", err)
	}
	return all
}

// holding leaves of what is said the sources in which the search may find anything.
func (s *search) holding(ctx context.Context, said []mention) []mention {
	opts := s.planning.planner.opts
	if opts.Holds == nil {
		return said
	}
	holds := map[string]bool{}
	var out []mention
	for _, m := range said {
		var left []string
		for _, source := range m.sources {
			if _, known := holds[source]; !known {
				var err error
				if holds[source], err = opts.Holds(ctx, s.asked.Query, source); err != nil {
					opts.Log.WarnContext(ctx, "a source was not looked at; no question can name it", "source", source, "error", err)
				}
			}
			if holds[source] {
				left = append(left, source)
			}
		}
		if len(left) > 0 {
			out = append(out, mention{word: m.word, sources: left})
		}
	}
	return out
}

// askPlan makes the planning call. Whatever goes wrong with it, the search goes on
// without; only the end of the turn is an error.
func (s *search) askPlan(ctx context.Context) error {
	p, opts := s.planning, s.planning.planner.opts
	input := prompts.PlanInput(p.earlier(), jsonList(words(p.said)), jsonList(s.asked.Queries), jsonText(clipped(p.turn.Message, longestQuestion)))
	started := time.Now()
	err := p.call(ctx, PurposePlan, opts.PlanPatience, planSchema, prompts.PlanSystem(p.turn.Now), input, func(reply string) (ok bool) {
		p.plan, ok = readPlan(reply, p.turn.Message, words(p.said), p.turn.Now)
		return ok
	})
	s.trace.PlanMS = since(started)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		p.plan, s.trace.Unplanned = Plan{}, err.Error()
		opts.Log.WarnContext(ctx, "a search was not planned; it uses the question and the model's queries", "error", err)
	}
	return nil
}

// narrow bounds the query to what the plan found out, where that leaves anything.
func (s *search) narrow(names []string) {
	p := s.planning
	if p.lifted {
		return
	}
	if f, ok := inside(s.query.Filter, sourcesOf(names, p.said)); ok && len(names) > 0 {
		s.query.Filter, s.scoped, s.covered.Sources = f, true, names
	}
	if f, ok := p.plan.Window.narrow(s.query.Filter); ok {
		s.query.Filter, s.covered.Created = f, p.plan.Window.Created
		s.covered.From, s.covered.To = p.plan.Window.days()
	}
}

// unscope takes the sources out of the search again, for the rest of the turn, without
// a word: that a source of that name is there may be nothing for the readers, and where
// they may read nothing of it the answer has to be as if it were not.
func (s *search) unscope() {
	s.planning.plan.Scope = Scope{}
	s.query.Filter, s.scoped, s.covered.Sources, s.trace.Sources = s.asked.Query.Filter, false, nil, nil
	s.narrow(nil)
}

// scope names where this search looks; nil for everywhere. It moves on in an
// order, which is told, but not where the queries are about something else: what was
// asked of the one source before does not answer them.
func (p *Planning) scope(queries []string) (names []string, moved bool) {
	s := p.plan.Scope
	if !s.On() || p.lifted || !s.InOrder {
		return s.Names, false
	}
	if p.searches > 0 && !otherTopic(queries, p.before) {
		p.step, moved = p.step+1, p.step+1 < len(s.Names)
	}
	if p.step >= len(s.Names) {
		return nil, false // all were tried
	}
	return s.Names[p.step : p.step+1], moved
}

// otherTopic tells whether the queries share no word with those before.
func otherTopic(queries, before []string) bool {
	seen := map[string]bool{}
	for _, q := range before {
		for _, w := range wordsOf(q) {
			seen[root(w.text)] = true
		}
	}
	return !slices.ContainsFunc(queries, func(q string) bool {
		return slices.ContainsFunc(wordsOf(q), func(w token) bool { return seen[root(w.text)] })
	})
}

// tell reports the queries that run.
func (s *search) tell() {
	for _, w := range s.query.Wordings {
		s.trace.Queries = append(s.trace.Queries, TraceQuery(w))
	}
	slices.SortStableFunc(s.trace.Queries, func(a, b TraceQuery) int { return cmp.Compare(b.Weight, a.Weight) })
	if s.scoped {
		s.trace.Sources = s.query.Filter.Sources
	}
	s.trace.From, s.trace.To, s.trace.Created = s.covered.From, s.covered.To, s.covered.Created
	if s.asked.Ran == nil {
		return
	}
	for _, text := range append(slices.Clone(s.covered.Queries), s.asked.Queries...) {
		s.asked.Ran(text)
	}
}

func (s *search) note() string { return prompts.Scope(s.covered) }
