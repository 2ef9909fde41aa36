package adminpages

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// functions are what templates may say beside the fields of a view.
var functions = template.FuncMap{
	"show":   func(id ID) string { return clean(string(id), shortText) },
	"time":   shownTime,
	"iso":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"number": number,
	"money":  money,
	"ms":     func(v float64) string { return fmt.Sprintf("%.0f ms", v) },
	"score":  func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) },
	"plural": plural,
	"join":   func(list []string) string { return strings.Join(list, ", ") },
	"detail": detail,
	"spans":  func() []int { return []int{1, 7, 30, 90} },
	"dict":   dict,
	"bars":   bars,
	"line":   line,
	"ways":   func() []string { return ways },
	"sub":    func(a, b int) int { return a - b },
	"toint":  func(v int64) int { return int(v) },
}

// ways are how a turn may end, as pages offer them; core/gaps has their meaning.
var ways = []string{"answered", "quoted", "talk", "unsourced", "unanswered", "stopped", "failed"}

// shownTime is a time for people; machines read the element's own attribute.
func shownTime(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04") + " UTC"
}

// number groups the digits of large numbers.
func number(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "−", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return sign + s
}

func money(v float64) string {
	if v != 0 && v < 0.01 && v > -0.01 {
		return strconv.FormatFloat(v, 'f', 4, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + one + "s"
}

func detail(e core.AuditEntry) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(e.Detail)) {
		parts = append(parts, k+" "+e.Detail[k])
	}
	return strings.Join(parts, ", ")
}

// dict gives a part of a page several values under names.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("dict: a name without a value")
	}
	out := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: %v is no name", pairs[i])
		}
		out[name] = pairs[i+1]
	}
	return out, nil
}
