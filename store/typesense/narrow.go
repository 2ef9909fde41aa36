package typesense

import (
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

func (s scope) narrowed() (condition, error) {
	list := []condition{s.updated(), s.created()}
	if s.Sources != nil {
		list = append(list, anyOf("source", keysOf(s.Sources)))
	}
	if s.Documents != nil {
		list = append(list, anyOf("doc", keysOf(s.Documents)))
	}
	for _, rules := range [][]core.Collection{s.Within, s.Asked} {
		if rules == nil {
			continue
		}
		c, err := s.rules(rules)
		if err != nil {
			return none, err
		}
		list = append(list, c)
	}
	if s.Tags != nil {
		c, err := s.tagged()
		if err != nil {
			return none, err
		}
		list = append(list, c)
	}
	if s.Scoped() {
		c, err := s.rules(s.Collections)
		if err != nil {
			return none, err
		}
		list = append(list, or(c, anyOf("doc", keysOf(s.Attached)), anyOf("folders", keysOf(s.Folders))))
	}
	if s.Under != nil {
		list = append(list, s.under())
	}
	if s.Where != nil {
		c, err := s.classes.where(*s.Where)
		if err != nil {
			return none, err
		}
		list = append(list, c)
	}
	return and(list...), nil
}

// tagged passes documents by their tags.
func (s scope) tagged() (condition, error) {
	if s.TagMode != core.TagPerKey {
		return anyOf("tags", foldedKeys(s.Tags)), nil
	}
	if len(s.Tags) == 0 {
		return none, nil
	}
	byKey := map[string][]string{}
	for _, t := range s.Tags {
		t = strings.ToLower(t)
		k, _, _ := strings.Cut(t, "=")
		byKey[k] = append(byKey[k], t)
	}
	var each [][]string
	for _, tags := range byKey {
		each = append(each, foldedKeys(tags))
	}
	slices.SortFunc(each, slices.Compare)
	if s.brief && len(each) > mostTagKeys {
		return s.classes.taggedByAll(each)
	}
	var list []condition
	for _, tags := range each {
		list = append(list, anyOf("tags", tags))
	}
	return and(list...), nil
}

// updated passes documents by when they were changed last.
func (s scope) updated() condition {
	if !s.Updated.On() {
		return all
	}
	within := span("updated", s.Updated)
	if s.UndatedUpdated() {
		return or(within, "updated:=0")
	}
	return within
}

// created passes documents by when they were made, and all of which that is unknown.
func (s scope) created() condition {
	if !s.Created.On() {
		return all
	}
	return or(span("created", s.Created), "created:=0")
}

func span(field string, r core.Range) condition {
	from, to := int64(1), int64(lastTime)
	if !r.From.IsZero() {
		from = stamp(r.From)
	}
	if !r.To.IsZero() {
		to = stamp(r.To)
	}
	if from > to {
		return none
	}
	return condition(field + ":[" + decimal(from) + ".." + decimal(to) + "]")
}
