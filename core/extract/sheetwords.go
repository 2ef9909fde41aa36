package extract

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// column is a column's name, with its words apart where it joins them.
func (s *sheetStats) column(i int) string {
	name := shorten(s.columns[i], longestName)
	if name == "" {
		return columnLetters(i)
	}
	if spaced := strings.ReplaceAll(name, "_", " "); spaced != name {
		return name + " (" + strings.TrimSpace(spaced) + ")"
	}
	return name
}

// list joins what fits on one line.
func list(parts []string, separator string) string {
	room := longestLine
	for i, p := range parts {
		if room -= len(p) + len(separator); room < 0 && i > 0 {
			return strings.Join(parts[:i], separator) + separator + "and " + strconv.Itoa(len(parts)-i) + " more"
		}
	}
	return strings.Join(parts, separator)
}

func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// sentence begins a sentence with a name such as "the table".
func sentence(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// figure is a number that was computed; one that is too large to be exact says so.
func figure(v float64) string {
	if math.Abs(v) >= 1e15 {
		return "about " + strconv.FormatFloat(v, 'e', 6, 64)
	}
	return decimal(v)
}

// decimal writes a number without the noise of binary fractions: to six decimals, and
// to fewer where those would not be exact.
func decimal(v float64) string {
	if math.Abs(v) >= 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	places := 6
	for exact := 1e9; math.Abs(v) >= exact; exact *= 10 {
		places--
	}
	s := strconv.FormatFloat(v, 'f', max(0, places), 64)
	if places > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" { // less than nothing by a hair
		return "0"
	}
	return s
}

// columnLetters names a column as spreadsheets do, from A.
func columnLetters(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('A'+(i-1)%26)) + name
	}
	return name
}
