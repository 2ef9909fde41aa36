package extract

import "strings"

// digitShape is what a column's numbers look like, each a count of them unless said
// otherwise. It tells labels that are made of digits from amounts.
type digitShape struct {
	plain  int // nothing but digits
	round  int // of the plain ones: hundreds
	years  int // 1900 to 2050
	months int // such as 202401
	days   int // such as 20240131, also with a time behind it
	quads  int // such as 192.168.100.200
	calls  int // a plus and as many digits as phone numbers have
	zeros  int // digits behind a zero, which are no numbers
	whole  int // without decimals

	digits            int // of all numbers together
	shortest, longest int // plain ones

	seen       int
	last, step float64 // the number before this one, and the first step
	uneven     bool    // there was another step
}

// Years that a label may stand for where its column does not say that it holds years.
const (
	firstYear, lastYear = 1900, 2050
	leastCall           = 10 // digits of a phone number with its country
)

func (s *digitShape) add(text string, r reading) {
	text = strings.TrimSpace(asciiNumber(text))
	digits := 0
	for _, b := range []byte(text) {
		if b >= '0' && b <= '9' {
			digits++
		}
	}
	s.digits += digits
	switch {
	case digits == len(text):
		s.digitsOnly(text, int(r.point))
	case digits >= leastCall && text[0] == '+' && !strings.ContainsAny(text, ".,"):
		s.calls++
	case isQuad(text):
		s.quads++
	}
	value := r.point
	if !r.isPoint {
		value = r.comma
	}
	if value == float64(int64(value)) {
		s.whole++
	}
	s.follow(value)
}

func (s *digitShape) digitsOnly(text string, value int) {
	n := len(text)
	if s.plain == 0 {
		s.shortest, s.longest = n, n
	}
	s.plain++
	s.shortest, s.longest = min(s.shortest, n), max(s.longest, n)
	if value%100 == 0 {
		s.round++
	}
	switch n {
	case 4:
		if value >= firstYear && value <= lastYear {
			s.years++
		}
	case 6:
		if isMonth(text) {
			s.months++
		}
	case 8, 12, 14:
		if isMonth(text[:6]) && text[6:8] >= "01" && text[6:8] <= "31" && isClock(text[8:]) {
			s.days++
		}
	}
}

// isClock tells whether digits are a time of day: none, four or six of them.
func isClock(s string) bool {
	return s == "" || s[:2] < "24" && s[2:4] < "60" && (len(s) == 4 || s[4:] < "60")
}

func isMonth(s string) bool {
	return s[:4] >= "1900" && s[:4] <= "2100" && s[4:] >= "01" && s[4:] <= "12"
}

// isQuad tells an address from thousands apart, of which some have zeros in front.
func isQuad(text string) bool {
	if strings.Count(text, ".") != 3 {
		return false
	}
	for p := range strings.SplitSeq(text, ".") {
		if !allDigits(p) || len(p) > 3 || len(p) == 3 && p > "255" || len(p) > 1 && p[0] == '0' {
			return false
		}
	}
	return true
}

// follow looks whether numbers go up or down by the same step.
func (s *digitShape) follow(value float64) {
	s.seen++
	switch step := value - s.last; {
	case s.seen == 2:
		s.step = step
	case s.seen > 2 && step != s.step:
		s.uneven = true
	}
	s.last = value
}

// stepped tells whether whole numbers follow each other by one step.
func (s *digitShape) stepped() bool {
	return s.seen >= leastRows && s.whole == s.seen && s.step != 0 && !s.uneven
}

// running tells whether they count up or down: 1, 2, 3 or 2026, 2025, 2024.
func (s *digitShape) running() bool { return s.stepped() && (s.step == 1 || s.step == -1) }

// sameLength tells whether all are plain and as long as each other.
func (s *digitShape) sameLength(numbers, least int) bool {
	return s.plain == numbers && s.shortest == s.longest && s.shortest >= least
}

// amounts tells whether many numbers are round, as amounts are and labels are not.
func (s *digitShape) amounts() bool { return s.round*2 >= s.plain }
