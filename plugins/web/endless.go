package web

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Some sites have no end: calendars, filters, links that add to themselves. What
// looks like that is followed only so far; what a sitemap names exists.
const (
	mostSegments   = 25
	mostRepeats    = 2   // of one segment of a path
	mostParameters = 5   // in an address
	mostOfAShape   = 200 // addresses that differ in values of parameters only
	mostDates      = 60  // pages of one calendar
)

// shapes counts the addresses that look alike.
type shapes map[string]int

// endless tells whether an address looks like one of too many. It counts it if not.
func (s shapes) endless(u *url.URL) bool {
	segments := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(segments) > mostSegments || repeats(segments) {
		return true
	}
	shape, most := calendar(u.Path), mostDates
	if u.RawQuery != "" {
		var names []string
		for part := range strings.SplitSeq(u.RawQuery, "&") {
			name, _, _ := strings.Cut(part, "=")
			names = append(names, name)
		}
		if len(names) > mostParameters {
			return true
		}
		shape, most = u.Host+digits.ReplaceAllString(u.Path, "#")+"?"+strings.Join(names, "&"), mostOfAShape
	}
	if shape == "" {
		return false
	}
	if s[shape] >= most {
		return true
	}
	s[shape]++
	return false
}

var digits = regexp.MustCompile(`\d+`)

// repeats tells whether a path goes round in circles: /a/b/a/b/a/b. A number may
// stand in it often.
func repeats(segments []string) bool {
	for i, segment := range segments {
		if segment == "" || digits.MatchString(segment) || slices.Contains(segments[:i], segment) {
			continue
		}
		n := 0
		for _, other := range segments {
			if other == segment {
				n++
			}
		}
		if n > mostRepeats {
			return true
		}
	}
	return false
}

var date = regexp.MustCompile(`^(.*?)/(?:19|20|21)\d\d[/-](?:0?[1-9]|1[0-2])(?:[/-](?:0?[1-9]|[12]\d|3[01]))?/?$`)

// calendar is what stands before a date that ends a path, "" where none does.
func calendar(p string) string {
	if m := date.FindStringSubmatch(p); m != nil {
		return m[1] + "/#date"
	}
	return ""
}
