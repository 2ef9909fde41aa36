package plugintest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// listing is one reading of List.
type listing struct {
	ids      map[string]bool
	items    int64
	complete *wire.ListComplete
	problem  string // with the stream itself
}

// listed reads a listing to its end.
func (c *session) listed(ctx context.Context) (listing, error) {
	out := listing{ids: map[string]bool{}}
	err := c.list(ctx, func(e *wire.ListEvent) error {
		if out.complete != nil {
			out.problem = "something came after Complete"
		}
		if e.GetComplete() != nil {
			out.complete = e.GetComplete()
		}
		for _, item := range e.GetBatch().GetItems() {
			out.ids[item.GetId()] = true
			out.items++
		}
		if out.items > mostEvents {
			return errTooMuch
		}
		return nil
	})
	switch {
	case err != nil:
		return out, errors.New(c.why(errors.New(told(err))))
	case out.complete == nil:
		out.problem = "the stream ended without an error and without Complete"
	case out.complete.GetCount() != out.items:
		out.problem = fmt.Sprintf("Complete counts %d and %d came", out.complete.GetCount(), out.items)
	}
	return out, nil
}

func listComplete(ctx context.Context, s *suite) verdict {
	c, err := s.common(ctx)
	if err != nil {
		return failed("%v", err)
	}
	l, err := c.listed(ctx)
	if err != nil {
		return failed("%v", err)
	}
	return verdictOf(l.problem)
}

func listEqual(ctx context.Context, s *suite) verdict {
	c, err := s.common(ctx)
	if err != nil {
		return failed("%v", err)
	}
	l, err := c.listed(ctx)
	if err != nil {
		return failed("%v", err)
	}
	if l.complete == nil {
		return skipped("the listing is not complete")
	}
	synced := map[string]bool{}
	for id := range s.first.docs {
		synced[id] = true
	}
	for _, f := range s.first.failures {
		if _, ok := s.first.docs[f.GetId()]; !ok && l.ids[f.GetId()] {
			synced[f.GetId()] = true // it is there and could not be read
		}
	}
	return verdictOf(twoSets(synced, l.ids))
}

func twoSets(synced, listed map[string]bool) string {
	var missing, extra []string
	for id := range synced {
		if !listed[id] {
			missing = append(missing, id)
		}
	}
	for id := range listed {
		if !synced[id] {
			extra = append(extra, id)
		}
	}
	text := ""
	if len(missing) > 0 {
		text = "not listed and so deleted by the host: " + some(missing)
	}
	if len(extra) > 0 {
		if text != "" {
			text += "; "
		}
		text += "listed and not synced: " + some(extra)
	}
	return text
}

// listCut stops after the first event; a listing must then neither have been
// complete before its end nor keep the next one waiting.
func listCut(ctx context.Context, s *suite) verdict {
	c, err := s.common(ctx)
	if err != nil {
		return failed("%v", err)
	}
	early := false
	err = c.list(ctx, func(e *wire.ListEvent) error {
		early = e.GetComplete() != nil
		return errCut
	})
	if err != nil && !errors.Is(err, errCut) {
		return failed("%s", c.why(errors.New(told(err))))
	}
	if early && len(s.first.docs) > 0 {
		return failed("Complete came before any document")
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if _, err := c.listed(ctx); err != nil {
		return failed("the next listing: %v", err)
	}
	return pass()
}

func listRemoved(ctx context.Context, s *suite) verdict {
	if s.subject.Remove == nil {
		return skipped("the test does not say how to remove a document")
	}
	c, err := s.common(ctx)
	if err != nil {
		return failed("%v", err)
	}
	before, err := s.present(ctx, c)
	if err != nil {
		return failed("%v", err)
	}
	if err := s.subject.Remove(ctx); err != nil {
		return failed("removing failed: %v", err)
	}
	after, err := s.present(ctx, c)
	if err != nil {
		return failed("%v", err)
	}
	for id := range after {
		delete(before, id)
	}
	if len(before) == 0 {
		return failed("all documents are still there: the test's Remove does nothing, or the connector keeps what is gone")
	}
	return passed("%s", some(slices.Collect(maps.Keys(before))))
}

// present names the documents that exist: by List, and without one by a sync of
// everything, which then stands for it.
func (s *suite) present(ctx context.Context, c *session) (map[string]bool, error) {
	if slices.Contains(s.about.GetFeatures(), wire.FeatureList) {
		l, err := c.listed(ctx)
		if err == nil && l.problem != "" {
			err = errors.New(l.problem)
		}
		return l.ids, err
	}
	r := newRecord()
	if err := c.read(ctx, r); err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for id := range r.docs {
		ids[id] = true
	}
	return ids, nil
}
