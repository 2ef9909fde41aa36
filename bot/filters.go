package bot

import (
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
)

// Reference is a channel or a person that a question names, as the platform
// knows them: names alone can mean anything.
type Reference struct {
	Person bool   // else a channel
	ID     string // the platform's own
	Name   string // as it stands in the text, after # or @
	Also   string // under which sources may know a person: their address; may be empty
}

// TermKind is what a term of a question narrows by.
type TermKind string

// The kinds of terms.
const (
	TermSource  TermKind = "source"  // in:wiki, source:wiki
	TermPerson  TermKind = "person"  // from @ann, from:@ann
	TermChannel TermKind = "channel" // #general
	TermDate    TermKind = "date"    // before:, until:, after:, since:
)

// Term is one filter that a question may mean. Whether it does depends on what
// there is: one that names nothing stays part of the text.
type Term struct {
	Kind  TermKind
	Text  string     // as it was written
	Name  string     // of the source
	Ref   Reference  // of the channel or person
	Range core.Range // of the date
	// Start and End are its bytes in the text. An operator is not part of the
	// question; the names of people and channels are.
	Start, End int
	Operator   bool
}

// mostTerms bounds the filters of one question.
const mostTerms = 20

var (
	operator = regexp.MustCompile(`(?i)(in|source|before|until|after|since):("[^"\n]{1,40}"|[^\s"` + "`" + `]{1,80})`)
	fromWord = regexp.MustCompile(`(?i)\bfrom(:\s?|\s)@$`)
)

// ParseFilters finds the filters in a question, in the order in which they stand
// there. Only operators and references of the platform count, never words such as
// last week; what stands in code does not, nor what is not well formed. Days are
// those of the zone.
func ParseFilters(text string, refs []Reference, now time.Time, zone *time.Location) []Term {
	if zone == nil {
		zone = time.UTC
	}
	code := codeSpans(text)
	var out []Term
	add := func(t Term) {
		free := !slices.ContainsFunc(code, func(c [2]int) bool { return t.Start < c[1] && c[0] < t.End }) &&
			!slices.ContainsFunc(out, func(o Term) bool { return t.Start < o.End && o.Start < t.End })
		if free && len(out) < mostTerms {
			t.Text = text[t.Start:t.End]
			out = append(out, t)
		}
	}
	for _, m := range operator.FindAllStringSubmatchIndex(text, -1) {
		if !begins(text, m[0]) {
			continue
		}
		value, end := operand(text[m[4]:m[5]], m[5])
		t := Term{Start: m[0], End: end, Operator: true}
		switch verb := strings.ToLower(text[m[2]:m[3]]); verb {
		case "in", "source":
			t.Kind, t.Name = TermSource, strings.ToLower(value)
			add(t)
		default:
			if from, to, ok := period(strings.ToLower(value), now.In(zone)); ok {
				t.Kind, t.Range = TermDate, bounds(verb, from, to)
				add(t)
			}
		}
	}
	// A name may be the beginning of another: the longest one is meant.
	refs = slices.Clone(refs)
	slices.SortStableFunc(refs, func(a, b Reference) int { return len(b.Name) - len(a.Name) })
	for _, r := range refs {
		named(text, r, add)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Start < out[j].Start })
	return out
}

// named finds where a text names the reference so that it is a filter.
func named(text string, r Reference, add func(Term)) {
	sign := "#"
	if r.Person {
		sign = "@"
	}
	if r.Name == "" {
		return
	}
	for at := 0; ; {
		i := strings.Index(text[at:], sign+r.Name)
		if i < 0 {
			return
		}
		start := at + i
		at = start + len(sign+r.Name)
		if next, _ := utf8.DecodeRuneInString(text[at:]); unicode.IsLetter(next) || unicode.IsNumber(next) || next == '_' || next == '-' && !r.Person {
			continue
		}
		t := Term{Kind: TermChannel, Ref: r, Start: start, End: at}
		if r.Person {
			before := fromWord.FindStringSubmatchIndex(text[:start+1])
			if before == nil {
				continue
			}
			t.Kind, t.Start = TermPerson, before[0]
			t.Operator = strings.Contains(text[before[2]:before[3]], ":")
		}
		add(t)
	}
}

// begins tells whether a word begins there: an operator inside of one is none.
func begins(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	return at == 0 || unicode.IsSpace(before) || before == '('
}

// operand is an operator's value without the marks of the sentence around it.
func operand(s string, end int) (string, int) {
	if strings.HasPrefix(s, `"`) {
		return strings.Trim(s, `"`), end
	}
	trimmed := strings.TrimRight(s, ".,;:!?)")
	return trimmed, end - (len(s) - len(trimmed))
}

// Without is the text without the operators among the terms. Where nothing else is
// there it stays as it is.
func Without(text string, terms []Term) string {
	var b strings.Builder
	at := 0
	for _, t := range terms {
		if t.Operator {
			b.WriteString(text[at:t.Start])
			at = t.End
		}
	}
	b.WriteString(text[at:])
	lines := strings.Split(b.String(), "\n")
	if at > 0 {
		for i, l := range lines {
			lines[i] = strings.TrimSpace(blanks.ReplaceAllString(l, "$1$2"))
		}
	}
	out := strings.TrimSpace(strings.Join(lines, "\n"))
	if strings.IndexFunc(out, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) < 0 {
		return strings.TrimSpace(text)
	}
	return out
}

// blanks are those that an operator leaves before a mark and between words.
var blanks = regexp.MustCompile(`(?: +([.,;:!?])|( ) +)`)

// bounds is the time that an operator leaves of a period from its first moment to
// the first one after it.
func bounds(verb string, from, to time.Time) core.Range {
	switch verb {
	case "before":
		return core.Range{To: from.Add(-time.Second)}
	case "until":
		return core.Range{To: to.Add(-time.Second)}
	case "after":
		return core.Range{From: to}
	}
	return core.Range{From: from}
}

var back = regexp.MustCompile(`^(\d{1,4})([dwmy])$`)

// period reads 2026-05-01, 2026-05, 2026, today, yesterday, last-week, last-month,
// last-year (with a blank as well) and 30d, 6w, 3m, 1y, which is a day that long ago.
func period(s string, now time.Time) (from, to time.Time, ok bool) {
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	day := func(t time.Time) (time.Time, time.Time, bool) { return t, t.AddDate(0, 0, 1), true }
	for layout, next := range map[string][3]int{time.DateOnly: {0, 0, 1}, "2006-01": {0, 1, 0}, "2006": {1, 0, 0}} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil && t.Year() >= 1900 {
			return t, t.AddDate(next[0], next[1], next[2]), true
		}
	}
	switch strings.ReplaceAll(s, " ", "-") {
	case "today":
		return day(today)
	case "yesterday":
		return day(today.AddDate(0, 0, -1))
	case "last-week":
		monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
		return monday.AddDate(0, 0, -7), monday, true
	case "last-month":
		first := today.AddDate(0, 0, 1-today.Day())
		return first.AddDate(0, -1, 0), first, true
	case "last-year":
		first := time.Date(today.Year(), 1, 1, 0, 0, 0, 0, now.Location())
		return first.AddDate(-1, 0, 0), first, true
	}
	m := back.FindStringSubmatch(s)
	if m == nil {
		return from, to, false
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return from, to, false
	}
	switch m[2] {
	case "d":
		return day(today.AddDate(0, 0, -n))
	case "w":
		return day(today.AddDate(0, 0, -7*n))
	case "m":
		return day(today.AddDate(0, -n, 0))
	}
	return day(today.AddDate(-n, 0, 0))
}

// codeSpans are where a text holds code, between backticks.
func codeSpans(text string) [][2]int {
	var out [][2]int
	for at := 0; at < len(text); {
		start := strings.IndexByte(text[at:], '`')
		if start < 0 {
			break
		}
		start += at
		ticks := len(text[start:]) - len(strings.TrimLeft(text[start:], "`"))
		end := strings.Index(text[start+ticks:], text[start:start+ticks])
		if end < 0 {
			at = start + ticks
			continue
		}
		at = start + ticks + end + ticks
		out = append(out, [2]int{start, at})
	}
	return out
}
