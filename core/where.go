package core

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// WhereOp is what a Where does with its parts or its field.
type WhereOp string

const (
	WhereAnd      WhereOp = "and"      // all parts hold; of none it holds
	WhereOr       WhereOp = "or"       // one of the parts holds; of none it does not hold
	WhereNot      WhereOp = "not"      // the one part does not hold
	WhereIn       WhereOp = "in"       // the field equals one of the values; of one value: =
	WhereContains WhereOp = "contains" // the field's text holds that of the one value
	WhereExists   WhereOp = "exists"   // the document has the field
	WhereLess     WhereOp = "<"
	WhereAtMost   WhereOp = "<="
	WhereMore     WhereOp = ">"
	WhereAtLeast  WhereOp = ">="
)

// WhereField is what a condition looks at: one of the fields below, or metadata
// where Meta is set. As in tags, a key of metadata ends at its first "=".
type WhereField struct {
	Name string // lower case
	Meta bool
}

// The fields that every document has beside its metadata.
var (
	WhereSource  = WhereField{Name: "source"}
	WhereTitle   = WhereField{Name: "title"}
	WhereKind    = WhereField{Name: "kind"}
	WhereUpdated = WhereField{Name: "updated"} // a time; missing where it is not known
	WhereCreated = WhereField{Name: "created"} // a time; missing where it is not known
)

// Timed tells whether the field is a time, which only dates are compared with.
func (f WhereField) Timed() bool { return f == WhereUpdated || f == WhereCreated }

// WhereType is what a value is compared as.
type WhereType int

const (
	WhereText   WhereType = iota // in lower case, as principals and tags are
	WhereNumber                  // a field that is no number equals and orders with none
	WhereDate                    // a day or a moment; a field that is none equals and orders with none
)

// WhereValue is a value that a field is compared with. A date is a span, both ends
// included to the second: a day is all of it, in UTC.
type WhereValue struct {
	Type   WhereType
	Text   string // lower case; also of numbers and dates, as they were written
	Number float64
	Date   Range
}

// Where is a condition on what is known of a document. A field that a document
// does not have is equal to nothing, contains nothing and is on no side of
// anything, so that its "not" holds: "status != open" passes documents without a
// status, and who does not want these asks for its existence too.
type Where struct {
	Op     WhereOp
	Parts  []Where // of and, or, not
	Field  WhereField
	Values []WhereValue // of what looks at a field, but for exists
}

// Holds tells whether a document meets the condition.
func (w Where) Holds(d Facts) bool {
	switch w.Op {
	case WhereAnd:
		return !slices.ContainsFunc(w.Parts, func(p Where) bool { return !p.Holds(d) })
	case WhereOr:
		return slices.ContainsFunc(w.Parts, func(p Where) bool { return p.Holds(d) })
	case WhereNot:
		return len(w.Parts) == 1 && !w.Parts[0].Holds(d)
	}
	switch w.Field {
	case WhereUpdated:
		return w.PassesTime(d.Updated)
	case WhereCreated:
		return w.PassesTime(d.Created)
	case WhereSource:
		return w.PassesText(d.Source)
	case WhereTitle:
		return w.PassesText(d.Title)
	case WhereKind:
		return w.PassesText(d.Kind)
	}
	return w.Field.Meta && slices.ContainsFunc(d.Tags, w.PassesTag)
}

// PassesTag tells whether a tag is of the field and its value passes.
func (w Where) PassesTag(tag string) bool {
	key, value, ok := strings.Cut(tag, "=")
	return ok && strings.ToLower(key) == w.Field.Name && w.passes(strings.ToLower(value))
}

// PassesText tells whether a text passes as the field's value. The empty text is
// a field that is not there.
func (w Where) PassesText(text string) bool { return text != "" && w.passes(strings.ToLower(text)) }

// PassesTime tells whether a time passes as the field's value. The zero time is a
// field that is not there.
func (w Where) PassesTime(t time.Time) bool {
	if t.IsZero() {
		return false
	}
	return w.Op == WhereExists || slices.ContainsFunc(w.Values, func(v WhereValue) bool {
		return v.Type == WhereDate && w.Op.against(t, v.Date)
	})
}

func (w Where) passes(text string) bool {
	is := reading{text: text}
	return w.Op == WhereExists || slices.ContainsFunc(w.Values, func(v WhereValue) bool { return v.compare(w.Op, &is) })
}

// reading is a field's text as values compare it. It is read as a number and as a date
// once each, however many values there are: that is what takes time.
type reading struct {
	text               string
	number             float64
	date               Range
	isNumber, isDate   bool
	triedNum, triedDay bool
}

func (r *reading) asNumber() (float64, bool) {
	if !r.triedNum {
		r.triedNum = true
		r.number, r.isNumber = NumberOf(r.text)
	}
	return r.number, r.isNumber
}

func (r *reading) asDate() (Range, bool) {
	if !r.triedDay {
		r.triedDay = true
		r.date, r.isDate = dateOf(r.text)
	}
	return r.date, r.isDate
}

func (v WhereValue) compare(op WhereOp, is *reading) bool {
	if op == WhereContains {
		return strings.Contains(is.text, v.Text)
	}
	switch v.Type {
	case WhereNumber:
		n, ok := is.asNumber()
		return ok && op.order(n, v.Number)
	case WhereDate:
		at, ok := is.asDate()
		return ok && op.against(at.From, v.Date)
	}
	return op.order(float64(strings.Compare(is.text, v.Text)), 0)
}

func (op WhereOp) order(a, b float64) bool {
	switch op {
	case WhereIn:
		return a == b
	case WhereLess:
		return a < b
	case WhereAtMost:
		return a <= b
	case WhereMore:
		return a > b
	case WhereAtLeast:
		return a >= b
	}
	return false
}

// against compares a moment with a span: it is less before it, equal inside.
func (op WhereOp) against(t time.Time, span Range) bool {
	side := 0.0
	switch s := t.Unix(); {
	case s < span.From.Unix():
		side = -1
	case s > span.To.Unix():
		side = 1
	}
	return op.order(side, 0)
}

// NumberOf reads a number as conditions compare it: decimal digits with an
// optional sign, fraction and exponent.
func NumberOf(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	if text == "" || strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsInf(n, 0)
}

// WhereDateOf reads a value that is a day or a moment.
func WhereDateOf(text string) (WhereValue, bool) {
	span, ok := dateOf(text)
	return WhereValue{Type: WhereDate, Text: strings.ToLower(text), Date: span}, ok
}

// dateForms are the ways in which metadata writes times; without a zone they are UTC.
var dateForms = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"}

func dateOf(text string) (Range, bool) {
	text = strings.ToUpper(strings.TrimSpace(text))
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return Range{day, day.Add(24*time.Hour - time.Second)}, true
	}
	for _, form := range dateForms {
		if t, err := time.Parse(form, text); err == nil {
			return Range{t, t}, true
		}
	}
	return Range{}, false
}
