package where

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
)

type kind int

const (
	end    kind = iota
	word        // a key or a keyword
	key         // in backquotes
	quoted      // a text
	bare        // a number or date
	sign        // an operator, a bracket or a comma
)

// token is a piece of a condition.
type token struct {
	kind kind
	text string // without its quotation marks
	at   int    // character, from 1
}

// scan cuts a condition into tokens; the last one is the end.
func scan(text string) ([]token, error) {
	var out []token
	for rest, at := text, 1; ; {
		trimmed := strings.TrimLeftFunc(rest, unicode.IsSpace)
		at += utf8.RuneCountInString(rest[:len(rest)-len(trimmed)])
		if rest = trimmed; rest == "" {
			return append(out, token{end, "", at}), nil
		}
		t, size, err := next(rest, at)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		at += utf8.RuneCountInString(rest[:size])
		rest = rest[size:]
	}
}

// next reads the token that a text begins with, and its length in bytes.
func next(text string, at int) (token, int, error) {
	switch r, _ := utf8.DecodeRuneInString(text); {
	case r == '"' || r == '\'' || r == '`':
		return inMarks(text, at)
	case strings.ContainsRune("(),", r):
		return token{sign, text[:1], at}, 1, nil
	case strings.ContainsRune("=!<>", r):
		size := 1
		if len(text) > 1 && text[1] == '=' && r != '=' {
			size = 2
		}
		if text[:size] == "!" {
			return token{}, 0, fault(at, "\"!\" is no operator; write != or not")
		}
		return token{sign, text[:size], at}, size, nil
	case unicode.IsDigit(r) || r == '-' || r == '+' || r == '.':
		size := span(text, func(r rune) bool { return inName(r) || r == ':' || r == '+' })
		return token{bare, text[:size], at}, size, nil
	case inName(r):
		size := span(text, inName)
		return token{word, text[:size], at}, size, nil
	default:
		return token{}, 0, fault(at, "%q has no meaning here; put texts in quotation marks and unusual keys in backquotes", string(r))
	}
}

func span(text string, in func(rune) bool) int {
	if n := strings.IndexFunc(text, func(r rune) bool { return !in(r) }); n >= 0 {
		return n
	}
	return len(text)
}

func inName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || r == '_' || r == '-' || r == '.'
}

// inMarks reads up to the closing mark. A backslash takes the next character as it is.
func inMarks(text string, at int) (token, int, error) {
	mark := text[0]
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == mark && mark == '`':
			return token{key, b.String(), at}, i + 1, nil
		case c == mark:
			return token{quoted, b.String(), at}, i + 1, nil
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return token{}, 0, fault(at, "the %c that opens here is never closed", mark)
}

// fault is an error of kind invalid with its place in the condition.
func fault(at int, format string, args ...any) error {
	return core.Errorf(core.KindInvalid, "where, character %d: "+format+".", append([]any{at}, args...)...)
}
