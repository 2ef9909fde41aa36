package render

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// settleInline ends a paragraph that is still growing.
func settleInline(s string) string {
	var open []string // markers that are open, outermost first
	cut := len(s)
	links := labels(s)
	a := &atoms{text: s, reach: 4 * maxURL, labels: links}
scan:
	for i := 0; i < len(s); {
		c := s[i]
		switch c {
		case '\\':
			i += 2
			continue
		case '`':
			end := i + codeEnd(s[i:])
			if !strings.HasSuffix(s[i:end], "`") || strings.Trim(s[i:end], "`") == "" {
				run := s[i:end]
				if rest := s[end:]; strings.TrimSpace(rest) != "" && !strings.Contains(rest, "\n\n") {
					return closeAll(strings.TrimRight(s, "`"), append(open, run))
				}
				cut = i
				break scan
			}
			i = end
			continue
		case '[':
			if n := a.linkEnd(i, s[i:min(len(s), i+a.reach)]); n > 0 {
				i += n
				continue
			}
			if pending(s[i:]) {
				cut = i
				if i > 0 && s[i-1] == '!' {
					cut--
				}
				break scan
			}
		case '<':
			if n := tokenEnd(s[i:]); n > 0 {
				i += n
				continue
			}
			if rest := s[i:]; len(rest) < maxTag && !strings.ContainsAny(rest, " \n>") {
				cut = i
				break scan
			}
		case '*', '_', '~':
			var rest string
			i, open, rest = marker(s, i, open)
			if i == len(s) && rest != "" {
				cut = i - len(rest)
				break scan
			}
			continue
		case '@':
			if rest := s[i+1:]; len(rest) < 8 && slices.ContainsFunc(broadcasts, func(w string) bool { return strings.HasPrefix(w, strings.ToLower(rest)) }) {
				cut = i
				break scan
			}
		case 'h', 'w':
			if i > 0 && isWord(s[i-1]) || c == 'h' && !hasScheme(s[i:]) || c == 'w' && !strings.HasPrefix(s[i:], "www.") {
				break
			}
			if n := addressStop([]byte(s[i:min(len(s), i+maxURL)])); i+n == len(s) {
				cut = i
				break scan
			} else if n > 0 {
				i += n
				continue
			}
		case '!':
			if i == len(s)-1 {
				cut = i
				break scan
			}
		}
		i++
	}
	return closeAll(bareEnd(s[:cut]), open)
}

// pending tells whether a bracket may still become a link or a citation.
func pending(s string) bool {
	if len(s) > 2*maxURL {
		return false
	}
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '\n':
			if i+1 < len(s) && s[i+1] == '\n' {
				return false
			}
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				rest := s[i+1:]
				return rest == "" || rest[0] == '(' && !strings.ContainsAny(rest, " \n")
			}
		}
	}
	return len(s) < 200
}

// marker reads a run of emphasis markers: it closes what is open or opens. It
// returns where the run ends, what is open now, and what of the run did neither.
func marker(s string, i int, open []string) (int, []string, string) {
	n := i + 1
	for n < len(s) && s[n] == s[i] {
		n++
	}
	run := s[i:n]
	before, after := ' ', ' '
	if i > 0 {
		before = lastRune(s[:i])
	}
	if n < len(s) {
		after = firstRune(s[n:])
	}
	opens, closes := flanks(s[i], before, after)
	if n == len(s) {
		opens = false // nobody knows yet
	}
	if closes {
		for k := len(open) - 1; k >= 0 && run != ""; k-- {
			if strings.HasPrefix(run, open[k]) {
				run = run[len(open[k]):]
				open = open[:k]
			}
		}
	}
	if opens && run != "" && len(open) < maxDepth && (s[i] != '~' || len(run) <= 2) {
		if len(run) == 3 {
			open = append(open, run[:1], run[1:])
		} else if len(run) < 3 {
			open = append(open, run)
		}
	}
	return n, open, run
}

// closeAll ends the emphasis that is open, behind the last letter. A marker with
// nothing behind it is left out.
func closeAll(s string, open []string) string {
	for k := len(open) - 1; k >= 0; k-- {
		s = strings.TrimRight(s, " \t\n")
		if rest, ok := strings.CutSuffix(s, open[k]); ok {
			s = rest
			continue
		}
		s += open[k]
	}
	return s
}

// bareEnd leaves out a line that is only the beginning of an item or a heading.
func bareEnd(s string) string {
	start := strings.LastIndexByte(s, '\n') + 1
	line := strings.Trim(s[start:], " >\t")
	digits := strings.TrimLeft(line, "0123456789")
	if line == "" || strings.Trim(line, "#") == "" || strings.Trim(line, "-") == "" || strings.Trim(line, "=") == "" || line == "+" ||
		len(digits) < len(line) && len(line) < 10 && (digits == "" || digits == "." || digits == ")") {
		return s[:start]
	}
	return s
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}
