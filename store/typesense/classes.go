package typesense

import (
	"context"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// classes answer what a filter cannot say in the conditions that it may have. Many
// documents have the same readers, or lie in the same places with the same tags:
// each such list has a key, and the keys of those that pass are one condition. It
// is the last resort, because the lists have to be read from Typesense first, 250 at
// a time; fifty people who share no rights, or sixteen collections of several kinds
// at once, are rare.
type classes struct {
	ctx        context.Context
	index      *Index
	collection string
}

// each reads one record of every class of a field, among those that pass a filter.
func (c classes) each(field, filter, fields string, visit func(found)) error {
	for page := 1; ; page++ {
		replies, err := c.index.ask(c.ctx, c.collection, []question{{
			filter: filter, group: field, limit: mostHits, page: page, fields: fields, sort: "passage:asc",
		}})
		if err != nil {
			return err
		}
		groups := replies[0].Groups
		for _, g := range groups {
			for _, h := range g.Hits {
				visit(h.Document)
			}
		}
		if len(groups) < mostHits {
			return nil
		}
	}
}

// readByAll passes documents of which each of the readers holds a principal. Readers
// are sorted lists of keys, the shortest first.
func (c classes) readByAll(readers [][]string) (condition, error) {
	var passing []string
	err := c.each("acl", string(and("live:=true", anyOf("access", readers[0]))), "acl,access", func(d found) {
		if slices.ContainsFunc(readers, func(held []string) bool { return !meets(held, d.Access) }) {
			return
		}
		passing = append(passing, d.ACL)
	})
	return anyOf("acl", sortedOnce(passing)), err
}

// taggedByAll passes documents that have a tag of each of the lists.
func (c classes) taggedByAll(lists [][]string) (condition, error) {
	return c.shapes(and("live:=true", anyOf("tags", lists[0])), func(d found) bool {
		return !slices.ContainsFunc(lists, func(tags []string) bool { return !meets(tags, d.Tags) })
	})
}

// shapes passes documents by their source, folders and tags.
func (c classes) shapes(among condition, pass func(found) bool) (condition, error) {
	var passing []string
	err := c.each("shape", string(among), "shape,source,folders,tags", func(d found) {
		if pass(d) {
			passing = append(passing, d.Shape)
		}
	})
	return anyOf("shape", sortedOnce(passing)), err
}

// meets tells whether a sorted list holds one of some keys.
func meets(sorted, keys []string) bool {
	return slices.ContainsFunc(keys, func(k string) bool {
		_, ok := slices.BinarySearch(sorted, k)
		return ok
	})
}

func sortedOnce(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// rule is a collection by keys. An empty list does not narrow.
type rule struct{ sources, folders, tags []string }

func ruleOf(c core.Collection) rule {
	return rule{keysOf(c.Sources), keysOf(c.Folders), foldedKeys(c.Tags)}
}

func (r rule) condition() condition {
	narrow := func(field string, keys []string) condition {
		if len(keys) == 0 {
			return all
		}
		return anyOf(field, keys)
	}
	return and(narrow("source", r.sources), narrow("folders", r.folders), narrow("tags", r.tags))
}

func (r rule) passes(d found) bool {
	return (len(r.sources) == 0 || slices.Contains(r.sources, d.Source)) &&
		(len(r.folders) == 0 || meets(r.folders, d.Folders)) &&
		(len(r.tags) == 0 || meets(r.tags, d.Tags))
}

// rules passes documents that belong to one of the collections. Those that have only
// one kind of list are told together.
func (s scope) rules(list []core.Collection) (condition, error) {
	var alone rule
	var several []rule
	for _, c := range list {
		r := ruleOf(c)
		switch {
		case c.Empty():
		case len(r.folders)+len(r.tags) == 0:
			alone.sources = append(alone.sources, r.sources...)
		case len(r.sources)+len(r.tags) == 0:
			alone.folders = append(alone.folders, r.folders...)
		case len(r.sources)+len(r.folders) == 0:
			alone.tags = append(alone.tags, r.tags...)
		default:
			several = append(several, r)
		}
	}
	out := []condition{
		anyOf("source", sortedOnce(alone.sources)), anyOf("folders", sortedOnce(alone.folders)), anyOf("tags", sortedOnce(alone.tags)),
	}
	if s.brief && len(several) > mostRules {
		c, err := s.classes.shapes("live:=true", func(d found) bool {
			return slices.ContainsFunc(several, func(r rule) bool { return r.passes(d) })
		})
		return or(append(out, c)...), err
	}
	for _, r := range several {
		out = append(out, r.condition())
	}
	return or(out...), nil
}
