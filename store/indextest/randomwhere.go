package indextest

import (
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// has is the condition that a field equals a text.
func has(field core.WhereField, text string) *core.Where {
	return &core.Where{Op: core.WhereIn, Field: field, Values: []core.WhereValue{{Text: text}}}
}

// where is a random condition of so many levels at most.
func (r random) where(deep int) core.Where {
	if deep > 0 && r.IntN(2) == 0 {
		w := core.Where{Op: []core.WhereOp{core.WhereAnd, core.WhereOr, core.WhereNot}[r.IntN(3)]}
		n := 1
		if w.Op != core.WhereNot {
			n = r.IntN(4)
		}
		for range n {
			w.Parts = append(w.Parts, r.where(deep-1))
		}
		return w
	}
	ops := []core.WhereOp{
		core.WhereIn, core.WhereContains, core.WhereExists, core.WhereLess, core.WhereAtMost, core.WhereMore, core.WhereAtLeast,
	}
	w := core.Where{Op: ops[r.IntN(len(ops))], Field: r.field()}
	for range r.IntN(3) {
		w.Values = append(w.Values, r.value(w.Field))
	}
	return w
}

func (r random) field() core.WhereField {
	fields := []core.WhereField{core.WhereSource, core.WhereTitle, core.WhereKind, core.WhereUpdated, core.WhereCreated}
	for _, key := range []string{"team", "kind", "größe", "plain", "nowhere"} {
		fields = append(fields, core.WhereField{Name: key, Meta: true})
	}
	return fields[r.IntN(len(fields))]
}

func (r random) value(field core.WhereField) core.WhereValue {
	switch {
	case field.Timed() || r.IntN(8) == 0:
		v, _ := core.WhereDateOf(now.AddDate(0, 0, -r.IntN(300)).Format(time.DateOnly))
		return v
	case r.IntN(4) == 0:
		return core.WhereValue{Type: core.WhereNumber, Text: "2", Number: 2}
	}
	texts := []string{"", "core", "ops", "a=b", "ö", "wiki", "a_b", "page", "größe", "x"}
	return core.WhereValue{Text: strings.ToLower(texts[r.IntN(len(texts))])}
}

func (r random) under() []core.FolderScope {
	var all []core.FolderScope
	for _, folder := range []string{"s/1", "s/2", "t/1", "s/ü"} {
		all = append(all, core.FolderScope{Folder: folder, Levels: r.IntN(4) - 1})
	}
	return some(r, all...)
}
