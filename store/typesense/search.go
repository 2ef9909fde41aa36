package typesense

import (
	"cmp"
	"context"
	"slices"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/index"
)

const (
	defaultLimit = 50
	mostGroups   = 32  // words of a query that are scored, the rarest ones
	mostLooked   = 64  // words of a query that are looked up
	leastScored  = 150 // candidates whose windows are brought
	pairedGroups = 6   // frequent words that are looked for two at a time
)

// group is one word of a query with what Typesense says of it.
type group struct {
	word   index.Word
	tokens []string
	near   int // records within the readers' reach that hold it
	score  float64
	cover  float64
	listed []found // of the allowed records that hold it, the first ones
	count  int     // all of these
}

// search is one keyword search in progress.
type search struct {
	*Index
	collection string
	bounds     bounds
	limit      int
	groups     []group
	near       int     // records within the readers' reach
	total      float64 // coverage weight of all groups
}

// Keyword implements core.Index. Of a word that more than 250 allowed passages hold,
// or more than the limit, only so many are looked at, unless they hold another rare or
// frequent word of the query too.
func (x *Index) Keyword(ctx context.Context, q core.KeywordQuery) ([]core.Hit, error) {
	end, err := x.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	x.turn.RLock()
	defer x.turn.RUnlock()
	at, err := x.now()
	if err != nil {
		return nil, err
	}
	s, err := x.search(ctx, at, q)
	if err != nil {
		return nil, err
	}
	return s.run(ctx)
}

func (x *Index) search(ctx context.Context, at place, q core.KeywordQuery) (*search, error) {
	s := &search{Index: x, collection: at.read, limit: q.Limit}
	if s.limit <= 0 {
		s.limit = defaultLimit
	}
	var err error
	if s.bounds, err = (scope{Filter: q.Filter, classes: classes{ctx, x, at.read}}).compile(); err != nil {
		return nil, err
	}
	s.groups = x.read(q.Text)
	return s, nil
}

// read cuts a query into words. Of a pasted text those that carry grammar, and short
// ones, are looked up last.
func (x *Index) read(text string) []group {
	x.mu.RLock()
	languages := make(map[string]bool, len(x.languages))
	for l := range x.languages {
		languages[l] = true
	}
	x.mu.RUnlock()
	var out []group
	for _, w := range x.query.Words(text, languages) {
		out = append(out, group{word: w, tokens: tokens(w.Forms())})
	}
	if len(out) <= mostLooked {
		return out
	}
	slices.SortStableFunc(out, func(a, b group) int {
		if a.word.Function() != b.word.Function() {
			if b.word.Function() {
				return -1
			}
			return 1
		}
		return len(b.tokens[0]) - len(a.tokens[0])
	})
	return out[:mostLooked]
}

// run finds and scores. What is to be found is decided by what the readers may know.
func (s *search) run(ctx context.Context) ([]core.Hit, error) {
	if len(s.groups) == 0 || s.bounds.allowed == none {
		return nil, nil
	}
	if err := s.lookUp(ctx); err != nil {
		return nil, err
	}
	s.weigh()
	if err := s.lookUpPairs(ctx); err != nil {
		return nil, err
	}
	scored, err := s.scored(ctx, s.candidates())
	if err != nil {
		return nil, err
	}
	hits := []core.Hit{}
	for _, h := range scored {
		if h.Score > 0 && len(hits) < s.limit {
			hits = append(hits, h)
		}
	}
	return hits, nil
}

// lookUp counts and lists what holds each word, in one request. Where the filter does
// not narrow, the list's own count says how many lie within reach.
func (s *search) lookUp(ctx context.Context) error {
	narrowed := s.bounds.allowed != s.bounds.known
	questions := []question{{filter: string(s.bounds.known)}}
	for _, g := range s.groups {
		questions = append(questions, s.holding(s.bounds.allowed, g))
		if narrowed {
			questions = append(questions, question{filter: string(and(s.bounds.known, anyOf("words", g.tokens)))})
		}
	}
	replies, err := s.ask(ctx, s.collection, questions)
	if err != nil {
		return err
	}
	s.near, replies = *replies[0].Found, replies[1:]
	for i := range s.groups {
		g := &s.groups[i]
		g.count, g.near = *replies[0].Found, *replies[0].Found
		g.listed, replies = listed(replies[0].Hits), replies[1:]
		if narrowed {
			g.near, replies = *replies[0].Found, replies[1:]
		}
	}
	return s.rest(ctx)
}

// holding asks for the first of the records that hold all of some words.
func (s *search) holding(within condition, groups ...group) question {
	for _, g := range groups {
		within = and(within, anyOf("words", g.tokens))
	}
	return question{filter: string(within), limit: min(mostHits, max(s.limit, leastScored)), sort: "passage:asc", fields: "id,passage"}
}

// weigh orders the groups by rarity and leaves out what nothing within reach holds.
func (s *search) weigh() {
	for i := range s.groups {
		g := &s.groups[i]
		g.score, g.cover = g.word.Weigh(g.near, s.near)
		s.total += g.cover
	}
	slices.SortStableFunc(s.groups, func(a, b group) int { return cmp.Compare(a.near, b.near) })
	s.groups = slices.DeleteFunc(s.groups, func(g group) bool { return g.near == 0 })
	n := min(len(s.groups), mostGroups)
	for _, g := range s.groups[n:] {
		s.total -= g.cover // what is not looked for cannot be missed
	}
	s.groups = s.groups[:n]
}
