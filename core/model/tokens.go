package model

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Counter counts tokens as one model does: by an estimate that is set right by
// what the server reports. It may be used from several goroutines. Vocabularies
// for exact counts would be a sixth of the program, for some models of one family.
type Counter struct {
	mu     sync.Mutex
	factor float64
	seen   int
}

// NewCounter makes the counter of a model.
func NewCounter() *Counter { return &Counter{factor: 1} }

// Count estimates the tokens of a text.
func (c *Counter) Count(text string) int { return c.scale(estimate(text)) }

// CountRequest estimates the prompt tokens of a request, tool definitions and
// the form of the messages included.
func (c *Counter) CountRequest(req Request) int { return c.scale(estimateRequest(req)) }

func (c *Counter) scale(tokens int) int {
	if tokens == 0 {
		return 0
	}
	return max(1, int(float64(tokens)*c.Factor()+0.5))
}

// Factor is how many tokens the model counts for one of the estimate, between
// 0.5 and 2.
func (c *Counter) Factor() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.factor
}

// Observe takes in that the server counted reported tokens for a text or
// request that the counter puts at counted. Small numbers are passed over: the
// server's own additions outweigh the text in them.
func (c *Counter) Observe(counted, reported int) {
	const smallest = 64
	if counted < smallest || reported < smallest {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.observe(float64(reported) * c.factor / float64(counted))
}

// observe moves the factor towards a measured one. The first few count for
// more, so that a new model is known after a few calls.
func (c *Counter) observe(measured float64) {
	c.seen++
	weight := max(0.1, 1/float64(c.seen+1))
	next := c.factor + weight*(min(max(measured, 0.5), 2)-c.factor)
	c.factor = min(max(next, 0.5), 2)
}

// learn compares the estimate of a request with what the server reported.
func (c *Counter) learn(req Request, reported int) {
	if reported > 0 && !hasImages(req) {
		c.Observe(c.CountRequest(req), reported)
	}
}

func hasImages(req Request) bool {
	for _, m := range req.Messages {
		if len(m.Images) > 0 {
			return true
		}
	}
	return false
}

// estimateRequest adds up what a chat template makes of a request: a few tokens
// around each message, call and tool.
func estimateRequest(req Request) int {
	const around = 4
	n := around
	for _, m := range req.Messages {
		n += around + estimate(m.Content)
		for _, call := range m.ToolCalls {
			n += around + estimate(call.Name) + estimate(call.Arguments)
		}
	}
	for _, t := range req.Tools {
		n += 2*around + estimate(t.Name) + estimate(t.Description) + estimate(string(t.Schema))
	}
	return n
}

// estimate counts the tokens that common vocabularies make of a text, without a
// vocabulary: short words are one token, long ones more, digits go in threes,
// signs that stand together are about one, scripts without blanks nearly one a
// letter.
func estimate(text string) int {
	quarters := 0
	for i := 0; i < len(text); {
		n, cost := piece(text[i:])
		i += n
		quarters += cost
	}
	return (quarters + 3) / 4
}

// piece measures the first run of the text: its bytes, and its price in quarters
// of a token.
func piece(text string) (bytes, quarters int) {
	b := text[0]
	switch {
	case isASCIILetter(b):
		n := run(text, isASCIILetter)
		return n, wordPrice(text[:n])
	case b >= '0' && b <= '9':
		n := run(text, func(b byte) bool { return b >= '0' && b <= '9' })
		return n, 4 * ((n + 2) / 3)
	case b == ' ' || b == '\t':
		n := run(text, func(b byte) bool { return b == ' ' || b == '\t' })
		return n, min(n-1, 4)
	case b == '\n' || b == '\r':
		return run(text, func(b byte) bool { return b == '\n' || b == '\r' }), 3
	case b < utf8.RuneSelf:
		n := run(text, isASCIISign)
		return n, signPrice(text[:n])
	}
	r, n := utf8.DecodeRuneInString(text)
	return n, runePrice(r)
}

func isASCIILetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

func isASCIISign(b byte) bool {
	return b > ' ' && b < utf8.RuneSelf && !isASCIILetter(b) && (b < '0' || b > '9')
}

// signPrice is one token for the signs that stand together in code and JSON. A
// line of one sign is hardly more.
func signPrice(signs string) int {
	if n := len(signs); n > 3 && strings.Count(signs, signs[:1]) == n {
		return 4 + n/8
	}
	return 3 + (len(signs)-1)/2*2
}

// wordPrice is one token for a word of common length; words in capitals, and
// long ones, fall into parts.
func wordPrice(word string) int {
	n := len(word)
	if n > 2 && word[1]&0x20 == 0 {
		return 2 * n
	}
	return 4 + max(0, n-7)
}

func runePrice(r rune) int {
	switch {
	case unicode.Is(unicode.Han, r):
		return 3
	case unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai):
		return 3
	case unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Arabic, unicode.Hebrew, unicode.Devanagari):
		return 1
	case unicode.Is(unicode.Latin, r):
		return 3
	case unicode.IsMark(r), unicode.IsSpace(r):
		return 1
	}
	return 6
}

// run is the length of the leading bytes that are of the kind.
func run(text string, of func(byte) bool) int {
	n := 1
	for n < len(text) && of(text[n]) {
		n++
	}
	return n
}
