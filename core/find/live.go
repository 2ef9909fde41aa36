package find

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Live searches sources in their own systems, on behalf of one person.
type Live interface {
	// LiveSources names the sources that can be searched so.
	LiveSources(ctx context.Context) []string
	// SearchLive returns at most limit hits of one source, best first. They have no
	// passage ids; their documents say who may read them.
	SearchLive(ctx context.Context, source, text string, viewer core.Viewer, limit int, updated core.Range) ([]core.Result, error)
	// Stored tells which documents are in the ledger, whoever may read them.
	Stored(ctx context.Context, documents []string) (map[string]bool, error)
}

const (
	defaultLivePatience = 3 * time.Second
	liveWeight          = 0.5 // of a source beside the index
	longestSnippet      = 8 << 10
	lookedThrough       = 200 // passages of a stored document that a hit is looked for in
)

// liveSearch is what the sources are asked beside the index, once for a search.
type liveSearch struct {
	finder *Finder
	query  Query
	asked  []liveQuestion
	limit  int
}

type liveQuestion struct {
	source  string
	limited context.Context
	answer  chan liveReply // gets exactly one
}

type liveReply struct {
	hits []core.Result
	err  error
}

// askLive begins to ask the sources that the query may touch; nil where none is
// asked. Only one known person's search goes to other systems: they answer for
// that person.
func (f *Finder) askLive(ctx context.Context, q Query, limit int) *liveSearch {
	if f.live == nil || !q.Live || q.Viewer == nil || q.Viewer.Email == "" || len(q.Queries) == 0 || strings.TrimSpace(q.Queries[0]) == "" {
		return nil
	}
	l := &liveSearch{finder: f, query: q, limit: limit}
	viewer, text, updated := *q.Viewer, q.Queries[0], q.Filter.Updated
	for _, source := range f.live.LiveSources(ctx) {
		if !Touches(q.Filter, source) {
			continue
		}
		limited, cancel := context.WithTimeout(ctx, f.livePatience)
		one := liveQuestion{source: source, limited: limited, answer: make(chan liveReply, 1)}
		f.running.Go(func() {
			defer cancel()
			one.answer <- searchSource(limited, f.live, source, text, viewer, limit, updated)
		})
		l.asked = append(l.asked, one)
	}
	if len(l.asked) == 0 {
		return nil
	}
	return l
}

// searchSource calls a source. A panic is an error like any other.
func searchSource(ctx context.Context, live Live, source, text string, viewer core.Viewer, limit int, updated core.Range) (r liveReply) {
	defer func() {
		if p := recover(); p != nil {
			r = liveReply{err: fmt.Errorf("the live search panicked: %v", p)}
		}
	}()
	r.hits, r.err = live.SearchLive(ctx, source, text, viewer, limit, updated)
	return r
}

// Touches tells whether a filter leaves anything of a source to be searched. It
// may say so of a source of which single documents are shut out.
func Touches(f core.Filter, source string) bool {
	if f.Sources != nil && !slices.Contains(f.Sources, source) ||
		f.Documents != nil && !anyOf(source, f.Documents) || f.Within != nil && !anyRule(f.Within, source) ||
		f.Asked != nil && !anyRule(f.Asked, source) || f.Under != nil && !anyScope(f.Under, source) {
		return false
	}
	return !f.Scoped() || anyRule(f.Collections, source) || anyOf(source, f.Attached) || anyOf(source, f.Folders)
}

// anyOf tells whether one of the ids of documents or folders is the source's.
func anyOf(source string, ids []string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, source+"/") })
}

func anyScope(scopes []core.FolderScope, source string) bool {
	return slices.ContainsFunc(scopes, func(s core.FolderScope) bool { return strings.HasPrefix(s.Folder, source+"/") })
}

func anyRule(list []core.Collection, source string) bool {
	return slices.ContainsFunc(list, func(c core.Collection) bool {
		return !c.Empty() && (len(c.Sources) == 0 || slices.Contains(c.Sources, source)) &&
			(len(c.Folders) == 0 || anyOf(source, c.Folders))
	})
}

// wait collects the answers, one ranking for each source. Who does not answer in
// time, or fails, is reported and brings nothing. The error is of the context or
// the ledger.
func (l *liveSearch) wait(ctx context.Context, check *check) ([]List, error) {
	if l == nil {
		return nil, nil
	}
	var lists []List
	for _, one := range l.asked {
		reply := one.wait()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if reply.err != nil {
			l.finder.log.WarnContext(ctx, "a source did not answer a live search", "source", one.source, "error", reply.err)
			if l.query.Missed != nil {
				l.query.Missed(one.source)
			}
			continue
		}
		admitted, err := l.finder.admit(ctx, l.query, one.source, reply.hits[:min(l.limit, len(reply.hits))])
		if err != nil {
			return nil, err
		}
		if len(admitted) > 0 {
			lists = append(lists, List{Weight: liveWeight, Hits: check.remember(admitted)})
		}
	}
	return lists, nil
}

// wait prefers an answer that is there to a time that is up.
func (q liveQuestion) wait() liveReply {
	select {
	case r := <-q.answer:
		return r
	case <-q.limited.Done():
	}
	select {
	case r := <-q.answer:
		return r
	default:
		return liveReply{err: context.Cause(q.limited)}
	}
}

// remember gives passages that are not in the ledger ids below zero for the length
// of the search.
func (c *check) remember(admitted []core.Result) []core.Hit {
	out := make([]core.Hit, len(admitted))
	for i, r := range admitted {
		if r.Passage.ID == 0 {
			r.Passage.ID = core.PassageID(-1 - len(c.live))
			c.live[r.Passage.ID] = r
		}
		out[i] = core.Hit{Passage: r.Passage.ID, Document: r.Document.ID, Score: r.Score}
	}
	return out
}
