package typesense

import (
	"slices"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// where passes documents that meet a condition. Typesense holds keys of names, which
// neither begin nor compare as the names do, so that the condition is judged here, once
// for each class: documents of the same source, kind, folders and tags, or, where
// titles or times are asked for, of the same of these too.
func (c classes) where(w core.Where) (condition, error) {
	field := "shape"
	if judgesAlone(w) {
		field = "judged"
	}
	var passing []string
	err := c.each(field, "live:=true", field+",origin,kind,title,labels,created,updated", func(d found) {
		facts := core.Facts{
			Source: d.Origin, Kind: d.Kind, Title: d.Title, Tags: d.Labels, Created: timeOf(d.Created), Updated: timeOf(d.Updated),
		}
		if !w.Holds(facts) {
			return
		}
		if field == "shape" {
			passing = append(passing, d.Shape)
		} else {
			passing = append(passing, d.Judged)
		}
	})
	return anyOf(field, sortedOnce(passing)), err
}

// judgesAlone tells whether a condition looks at what hardly two documents share.
func judgesAlone(w core.Where) bool {
	return w.Field == core.WhereTitle || w.Field.Timed() || slices.ContainsFunc(w.Parts, judgesAlone)
}

// timeOf reads what stamp wrote.
func timeOf(stamp int64) time.Time {
	if stamp == undated {
		return time.Time{}
	}
	return time.Unix(stamp-epochShift, 0)
}

// under passes documents by the folders that they lie in, and how deep.
func (s scope) under() condition {
	var any, levels []string
	for _, u := range s.Under {
		if u.Unbounded() {
			any = append(any, key(u.Folder))
			continue
		}
		for level := range u.Levels + 1 {
			levels = append(levels, levelKey(u.Folder, level))
		}
	}
	return or(anyOf("folders", sortedOnce(any)), anyOf("levels", sortedOnce(levels)))
}
