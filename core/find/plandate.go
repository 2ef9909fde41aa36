package find

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// window resolves both sides of a span as a model writes them. A start in the
// future and an end that is not in the past are open; so is what cannot be read.
// The days are those of now's zone.
func window(start, end string, now time.Time) core.Range {
	var r core.Range
	if from, ok := resolve(start, now, false); ok && !from.After(now) {
		r.From = from
	}
	if to, ok := resolve(end, now, true); ok && to.Before(startOfDay(now)) {
		r.To = to
	}
	if !r.From.IsZero() && !r.To.IsZero() && r.From.After(r.To) {
		return core.Range{}
	}
	return r
}

// span is a length of time in ISO 8601, with or without a sign.
var span = regexp.MustCompile(`^[+-]?P(?:(\d{1,3})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:\d+M)?(?:\d+S)?)?$`)

// resolve reads a date, a month, a year, today, yesterday or a span back from now
// as the first or the last second of its day. A span counts backwards whatever its
// sign says, unless that is a plus.
func resolve(token string, now time.Time, end bool) (time.Time, bool) {
	token = strings.ToUpper(strings.TrimSpace(token))
	switch token {
	case "TODAY", "NOW", "P0D", "-P0D":
		return edge(now, 0, 0, 1, end), true
	case "YESTERDAY":
		return edge(now.AddDate(0, 0, -1), 0, 0, 1, end), true
	}
	if m := span.FindStringSubmatch(token); m != nil && strings.ContainsAny(token, "0123456789") {
		return edge(back(m, now, strings.HasPrefix(token, "+")), 0, 0, 1, end), true
	}
	for _, form := range []struct {
		layout              string
		years, months, days int
	}{{time.RFC3339, 0, 0, 1}, {"2006-01-02T15:04:05", 0, 0, 1}, {time.DateOnly, 0, 0, 1}, {"2006-01", 0, 1, 0}, {"2006", 1, 0, 0}} {
		if t, err := time.ParseInLocation(form.layout, token, now.Location()); err == nil {
			return edge(t, form.years, form.months, form.days, end), true
		}
	}
	return time.Time{}, false
}

func back(m []string, now time.Time, forward bool) time.Time {
	n := make([]int, len(m))
	for i, digits := range m[1:] {
		if v, err := strconv.Atoi(digits); err == nil {
			n[i+1] = v
		}
	}
	sign := -1
	if forward {
		sign = 1
	}
	t := now.AddDate(sign*n[1], sign*n[2], sign*(7*n[3]+n[4]))
	return t.Add(time.Duration(sign*n[5]) * time.Hour)
}

// edge is the first second of the time's day, or the last one of the period that
// begins with it.
func edge(t time.Time, years, months, days int, end bool) time.Time {
	first := startOfDay(t)
	if !end {
		return first
	}
	return first.AddDate(years, months, days).Add(-time.Second)
}

func startOfDay(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// spoken tells that a year in a question is a time and no part of a name: a word
// such as "in" or "since" stands before it.
var spoken = regexp.MustCompile(`(?i)\b(?:in|from|since|during|before|after|until|till|by|of|year|jahr|im|seit|aus|von|vor|nach|bis|en|depuis|de|desde)\s+(?:the\s+|year\s+|jahr\s+|early\s+|late\s+|q[1-4]\s+)*((?:19|20)\d\d)\b|((?:19|20)\d\d)\s*年`)

// titled tells whether a span is one whole year that the question names without
// saying that it is a time: "the 2023 audit report" asks for a document of that
// name, whenever it was written.
func titled(r core.Range, question string) bool {
	year := r.From.Year()
	if r.From.IsZero() || !r.From.Equal(time.Date(year, 1, 1, 0, 0, 0, 0, r.From.Location())) ||
		!r.To.IsZero() && r.To.Year() != year {
		return false
	}
	name := strconv.Itoa(year)
	if !strings.Contains(question, name) {
		return false
	}
	for _, m := range spoken.FindAllStringSubmatch(question, -1) {
		if m[1] == name || m[2] == name {
			return false
		}
	}
	return true
}
