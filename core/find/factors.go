package find

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
)

// What facts about a document may change of a score. The factors are applied after
// queries were merged, where scores are comparable, and are bounded, so that what
// answers best is not pushed behind what is merely new or liked.
const (
	agePerYear = 0.5  // how fast age weighs
	oldest     = 0.75 // the least that age leaves
	exactHit   = 1.3  // for a passage that holds the very name that was asked for
	mostLiked  = 1.25
	leastLiked = 0.8
)

// recency is 1 for what was updated now or later, and less the older it is. A
// document without a date is taken as it is: nothing is known against it.
func recency(updated, now time.Time) float64 {
	if updated.IsZero() || updated.After(now) {
		return 1
	}
	years := now.Sub(updated).Hours() / (365.25 * 24)
	return max(oldest, 1/(1+agePerYear*years))
}

// liking weighs what curators think of a document. One voice moves it a third of
// the way, many never more than all of it.
func liking(s core.Standing) float64 {
	net := float64(s.Up - s.Down)
	if net >= 0 {
		return 1 + (mostLiked-1)*net/(net+2)
	}
	return 1 - (1-leastLiked)*-net/(-net+2)
}

// named finds names in a question that mean one thing and nothing near it: ticket
// keys, file names, error codes, and what stands in quotation marks.
var named = regexp.MustCompile(`"([^"\n]{3,80})"|“([^”\n]{3,80})”|„([^“”\n]{3,80})[“”]|«([^»\n]{3,80})»|` + "`([^`\n]{3,80})`" +
	`|\b([A-Z][A-Z0-9_]{1,9}-[0-9]{2,7})\b` + // PAY-1234
	`|([\pL\pN_][\pL\pN_.-]{0,60}\.(?:[a-z][a-z0-9]{1,4}))\b` + // config.yaml
	`|\b(0x[0-9a-fA-F]{4,16}|[A-Z]{1,6}[0-9]{3,8}|[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)\b`) // 0x80070005, ORA12154, ERR_TIMED_OUT

// mostNames bounds how many names of a question are looked for.
const mostNames = 8

// namesIn returns the names in lower case, each once.
func namesIn(questions []string) []string {
	var out []string
	for _, q := range questions {
		for _, groups := range named.FindAllStringSubmatch(q, mostNames) {
			name := strings.ToLower(strings.TrimSpace(cmp.Or(groups[1:]...)))
			if name != "" && !slices.Contains(out, name) && len(out) < mostNames {
				out = append(out, name)
			}
		}
	}
	return out
}

// holds tells whether a passage, its title or its heading holds one of the names,
// not as a part of a longer one.
func holds(r core.Result, names []string) bool {
	for _, part := range []string{r.Document.Title, r.Passage.Heading, r.Passage.Text} {
		part = strings.ToLower(part)
		for _, name := range names {
			if holdsName(part, name) {
				return true
			}
		}
	}
	return false
}

func holdsName(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(name)
		if !wordBefore(text[:start]) && !wordAfter(text[end:]) {
			return true
		}
		from = start + 1
	}
}

func wordBefore(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return text != "" && (r == '_' || inWord(r) && !dense(r))
}

func wordAfter(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && (r == '_' || inWord(r) && !dense(r))
}
