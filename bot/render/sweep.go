package render

import (
	"bytes"
	"strings"
)

// broadcasts are the words that call everybody, in any case of letters.
var broadcasts = []string{"channel", "here", "everyone"}

// broadcast is the length of the broadcast word that s begins with, 0 if none.
func broadcast(s []byte) int {
	for _, w := range broadcasts {
		if len(s) >= len(w) && strings.EqualFold(string(s[:len(w)]), w) {
			return len(w)
		}
	}
	return 0
}

// calm breaks the words in a text that call everybody.
func calm(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteByte(s[i])
		if s[i] == '@' && broadcast([]byte(s[i+1:])) > 0 {
			b.WriteString(zeroWidth)
		}
	}
	return b.String()
}

// sweep reads the run of text just written for what only shows in the output, as
// it may have come in pieces: words that call everybody are broken, e-mail
// addresses become links where the platform has such links.
func (p *printer) sweep() {
	from := p.runFrom
	p.runFrom = len(p.out)
	if from < len(p.out) && p.d != Plain {
		p.breakAddresses(from)
	}
	if from >= len(p.out) || bytes.IndexByte(p.out[from:], '@') < 0 {
		return
	}
	run := bytes.Clone(p.out[from:])
	out := p.out[:from]
	shift := func(at, d int) {
		for i := range p.loose {
			if p.loose[i] >= at {
				p.loose[i] += d
			}
		}
	}
	done := 0
	for i := 0; i < len(run); i++ {
		if run[i] != '@' {
			continue
		}
		start, end := 0, 0
		if p.label == 0 && p.d == Mrkdwn {
			start, end = mailAround(run, i, done)
		}
		if end > 0 {
			mail := string(run[start:end])
			out = append(out, run[done:start]...)
			link := "<mailto:" + mail + "|" + mail + ">"
			shift(len(out)+len(mail), len(link)-len(mail))
			out = append(out, link...)
			done, i = end, end-1
		} else if broadcast(run[i+1:]) > 0 {
			out = append(out, run[done:i+1]...)
			shift(len(out), len(zeroWidth))
			out = append(out, zeroWidth...)
			done = i + 1
		}
	}
	p.out = append(out, run[done:]...)
	p.runFrom = len(p.out)
}

// breakAddresses unlinks what stands in the run that begins at from.
func (p *printer) breakAddresses(from int) {
	run := p.out[from:]
	whole := unlink(run)
	if len(whole) == len(run) {
		return
	}
	p.out = append(p.out[:from], whole...)
	p.clearLoose()
	p.runFrom = len(p.out)
}

// mailAround finds the e-mail address around an @; end is 0 if there is none.
func mailAround(s []byte, at, from int) (start, end int) {
	start = at
	for start > from && at-start < 64 && (isWord(s[start-1]) || bytes.IndexByte([]byte("._%+-"), s[start-1]) >= 0) {
		start--
	}
	for start < at && !isWord(s[start]) {
		start++
	}
	end = at + 1
	for end < len(s) && end-at < 254 && (isWord(s[end]) || s[end] == '.' || s[end] == '-') {
		end++
	}
	for end > at && !isWord(s[end-1]) && s[end-1] != '@' {
		end--
	}
	domain := s[at+1 : end]
	dot := bytes.LastIndexByte(domain, '.')
	if start == at || dot <= 0 || len(domain)-dot < 3 || bytes.Contains(domain, []byte("..")) {
		return 0, 0
	}
	for _, c := range domain[dot+1:] {
		if c <= '9' {
			return 0, 0
		}
	}
	return start, end
}

// mailAt tells whether s is an e-mail address and nothing else.
func mailAt(s []byte) bool {
	at := bytes.IndexByte(s, '@')
	if at < 1 {
		return false
	}
	start, end := mailAround(s, at, 0)
	return start == 0 && end == len(s)
}

// unlink breaks an address that only became one when escapes were read: it was not
// written as an address, so that nobody has decided about it, and the platform
// would link it.
func unlink(run []byte) []byte {
	var out []byte
	done := 0
	schemes := bytes.Contains(run, []byte("://"))
	for i := 0; i < len(run); i++ {
		at := bytes.IndexByte(run[i:], '.')
		if at < 0 {
			break
		}
		if i += at; i >= 3 && (schemes || run[i-1]|0x20 == 'w') && formed(run, i) {
			out = append(append(out, run[done:i]...), broken...)
			done = i
		}
	}
	if done == 0 {
		return run
	}
	return append(out, run[done:]...)
}

// formed tells whether the dot at i is the first in the host of an address.
func formed(run []byte, i int) bool {
	if bytes.HasSuffix(run[:i], []byte(broken)) {
		return false
	}
	if i >= 3 && bytes.EqualFold(run[i-3:i], []byte("www")) {
		before := bytes.TrimSuffix(run[:i-3], []byte{'@'})
		return len(before) == 0 || !isWord(before[len(before)-1])
	}
	low := max(0, i-64)
	start := bytes.LastIndexAny(run[low:i], " \t:/.") + 1 + low
	if start < 3 || run[start-1] == '.' || !bytes.HasPrefix(run[start-3:], []byte("://")) {
		return false
	}
	return schemeBefore(run[start-3:], run[:start-3]) > 0
}
