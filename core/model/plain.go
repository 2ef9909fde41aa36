package model

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// plain reads the chunk that nearly all of a reply consists of: one choice that brings
// a piece of text and nothing else that counts. It takes a fraction of the time of the
// decoder, which reads every chunk that is not known to be one. The functions tell
// whether it can still be one.
type plain struct {
	raw   []byte
	at    int
	text  string
	texts int // a field that is there twice is for the decoder, as is one of another case
	lists int
}

// read gives the text of a plain chunk, of which the decoder would say the same.
func (p *plain) read(raw []byte) (text string, ok bool) {
	*p = plain{raw: raw}
	ok = p.object((*plain).chunk)
	p.blanks()
	return p.text, ok && p.at == len(raw) && p.texts == 1
}

func (p *plain) chunk(key []byte) bool {
	switch string(key) {
	case "choices":
		p.lists++
		return p.lists == 1 && p.next('[') && p.object((*plain).choice) && p.next(']')
	case "usage", "error":
		return p.null()
	case "id", "object", "created", "model", "system_fingerprint", "service_tier", "provider":
		return p.scalar()
	}
	return false
}

func (p *plain) choice(key []byte) bool {
	switch string(key) {
	case "delta":
		return p.texts == 0 && p.object((*plain).delta)
	case "finish_reason", "logprobs":
		return p.null()
	case "index":
		return p.scalar()
	}
	return false
}

func (p *plain) delta(key []byte) bool {
	switch string(key) {
	case "content":
		p.texts++
		return p.content()
	case "role":
		return p.scalar()
	case "refusal", "reasoning", "reasoning_content", "tool_calls":
		return p.null()
	}
	return false
}

// object reads an object, each value by the function.
func (p *plain) object(field func(*plain, []byte) bool) bool {
	if !p.next('{') {
		return false
	}
	for {
		key, ok := p.quoted()
		if !ok || !p.next(':') || !field(p, key) {
			return false
		}
		if !p.next(',') {
			return p.next('}')
		}
	}
}

func (p *plain) blanks() {
	for p.at < len(p.raw) && (p.raw[p.at] == ' ' || p.raw[p.at] == '\t' || p.raw[p.at] == '\r' || p.raw[p.at] == '\n') {
		p.at++
	}
}

func (p *plain) next(c byte) bool {
	p.blanks()
	if p.at == len(p.raw) || p.raw[p.at] != c {
		return false
	}
	p.at++
	return true
}

// quoted reads a string without escapes.
func (p *plain) quoted() ([]byte, bool) {
	if !p.next('"') {
		return nil, false
	}
	for i, c := range p.raw[p.at:] {
		switch {
		case c == '"':
			s := p.raw[p.at : p.at+i]
			p.at += i + 1
			return s, true
		case c == '\\' || c < ' ':
			return nil, false
		}
	}
	return nil, false
}

// content reads the text, in which there may be escapes.
func (p *plain) content() bool {
	p.blanks()
	start := p.at
	if s, ok := p.quoted(); ok {
		p.text = string(s)
		return utf8.Valid(s)
	}
	for i := start + 1; i < len(p.raw); i++ {
		switch p.raw[i] {
		case '\\':
			i++
		case '"':
			p.at = i + 1
			return json.Unmarshal(p.raw[start:p.at], &p.text) == nil
		}
	}
	return false
}

func (p *plain) null() bool {
	p.blanks()
	if !bytes.HasPrefix(p.raw[p.at:], []byte("null")) {
		return false
	}
	p.at += len("null")
	return true
}

// scalar passes over a string, a whole number or null.
func (p *plain) scalar() bool {
	if p.null() {
		return true
	}
	start := p.at
	for p.at < len(p.raw) && p.raw[p.at] >= '0' && p.raw[p.at] <= '9' {
		p.at++
	}
	if p.at > start {
		return p.raw[start] != '0' || p.at == start+1
	}
	_, ok := p.quoted()
	return ok
}
