package find

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
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
	s.tell()
	return nil
}

// makePlan asks the model, unless the search is simple enough without.
func (s *search) makePlan(ctx context.Context) error {
	p, opts := s.planning, s.planning.planner.opts
	p.said = mentions(p.texts(), s.sources(ctx), s.asked.Query.Filter)
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
		s.trace.Queries = append(s.trace.Queries, TraceQuery{Text: w.Text, Weight: w.Weight, Keywords: w.Keywords})
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

const (
	earlierTurns    = 5
	longestQuestion = 2000 // letters of a message that a call is given
	longestEarlier  = 400  // letters of each question and answer before it
)

// earlier writes the end of what was said, one JSON object a line.
func (p *Planning) earlier() string {
	var lines []string
	for _, e := range p.last() {
		lines = append(lines, jsonText(struct {
			Question string `json:"question"`
			Answer   string `json:"answer,omitempty"`
		}{clipped(e.Question, longestEarlier), clipped(e.Answer, longestEarlier)}))
	}
	return strings.Join(lines, "\n")
}

func (p *Planning) last() []Exchange {
	return p.turn.Earlier[max(0, len(p.turn.Earlier)-earlierTurns):]
}

// texts is what people said, in which sources may be named.
func (p *Planning) texts() []string {
	out := []string{p.turn.Message}
	for _, e := range p.last() {
		out = append(out, e.Question)
	}
	return out
}

func mentioned(said []mention, message string) []mention {
	lower := strings.ToLower(message)
	return slices.DeleteFunc(slices.Clone(said), func(m mention) bool { return !occurs(m.word, lower) })
}

func jsonList(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return jsonText(list)
}

// jsonText writes a value as JSON on one line. Markup is escaped, so that nothing
// in it can pass for our own.
func jsonText(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(raw)
}

// byAuthor puts documents of the authors before the others, and tells whether there
// are any. Only where the readers may see who wrote a document does that count, so
// that the order tells nothing.
func byAuthor(results []core.Result, authors []string, named func(core.Document) bool) ([]core.Result, bool) {
	if len(authors) == 0 || named == nil {
		return results, false
	}
	var first, rest []core.Result
	for _, r := range results {
		if named(r.Document) && slices.ContainsFunc(r.Document.Authors, func(a string) bool { return anyName(authors, a) }) {
			first = append(first, r)
		} else {
			rest = append(rest, r)
		}
	}
	return append(first, rest...), len(first) > 0
}

// anyName tells whether one of the names asked for is the author's, or part of it.
func anyName(names []string, author string) bool {
	author = strings.ToLower(author)
	return slices.ContainsFunc(names, func(n string) bool { return occurs(strings.ToLower(n), author) })
}
