package slacktest

import (
	_ "embed"
	"fmt"
	"html"
	"slices"
	"strings"
)

//go:embed page.css
var pageCSS string

// Look says what a page shows.
type Look struct {
	Channel string
	Thread  string // ts of a root; empty shows the whole channel
	Viewer  string // a user, whose ephemeral messages and open modal are shown too
}

// Page draws stored messages as one HTML page without outside parts, in a neutral
// layout that resembles a chat window: enough to judge how an answer is laid out,
// not a copy of Slack's. What a person would not see is not on it.
func (s *Server) Page(l Look) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &pager{s: s, viewer: l.Viewer}
	title := l.Channel
	if ch := s.channels[l.Channel]; ch != nil {
		title = (&dumper{s: s}).place(ch)
	}
	p.add(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>%s</title><style>%s</style></head><body><main><h1>%s</h1>`,
		html.EscapeString(title), pageCSS, html.EscapeString(title))
	for _, m := range s.visible(l) {
		p.message(m)
	}
	p.add("</main>")
	if v := s.top(l.Viewer); v != nil {
		p.modal(v)
	}
	p.add("</body></html>\n")
	return p.out.String()
}

// visible are the messages of the page in the order of posting.
func (s *Server) visible(l Look) []*message {
	var out []*message
	for _, m := range s.messages[l.Channel] {
		if !m.deleted && (l.Thread == "" || m.ts == l.Thread || m.thread == l.Thread) {
			out = append(out, m)
		}
	}
	for _, m := range s.ephemerals {
		if !m.deleted && m.channel == l.Channel && m.to == l.Viewer && (l.Thread == "" || m.thread == l.Thread || m.thread == "") {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b *message) int { return strings.Compare(a.ts, b.ts) })
	return out
}

// pager writes one page. The mutex of the server is held.
type pager struct {
	s      *Server
	viewer string
	out    strings.Builder
}

func (p *pager) add(format string, args ...any) { fmt.Fprintf(&p.out, format, args...) }

func (p *pager) name(user string) string {
	if u := p.s.users[user]; u != nil {
		return or(u.DisplayName, or(u.RealName, u.Name))
	}
	return or(user, "webhook")
}

func (p *pager) message(m *message) {
	class := "message"
	if m.thread != "" && m.thread != m.ts {
		class += " reply"
	}
	if m.to != "" {
		class += " alone"
	}
	name := or(m.username, p.name(m.user))
	letter := strings.ToUpper(string([]rune(or(name, "?"))[:1]))
	p.add(`<article class="%s"><div class="face f%d">%s</div><div class="body">`, class, len(name)%5, html.EscapeString(letter))
	if m.to != "" {
		p.add(`<p class="hint">Only visible to you</p>`)
	}
	p.add(`<p class="head"><b>%s</b>`, html.EscapeString(name))
	if m.in != nil {
		p.add(` <span class="app">APP</span>`)
	}
	p.add(` <time>%s</time></p>`, timeOf(m.ts).UTC().Format("15:04"))
	p.content(m)
	for _, f := range m.files {
		p.add(`<p class="file">📄 %s</p>`, html.EscapeString(or(f.title, f.name)))
	}
	if m.edits > 0 && m.in == nil {
		p.add(`<p class="hint">(edited)</p>`)
	}
	if len(m.reactions) > 0 {
		p.add(`<p class="reactions">`)
		for _, r := range m.reactions {
			p.add(`<span>%s %d</span>`, html.EscapeString(emoji(r.name)), len(r.users))
		}
		p.add(`</p>`)
	}
	p.add("</div></article>\n")
}

// content is the streamed text and the blocks, or else the text.
func (p *pager) content(m *message) {
	if m.stream != nil {
		p.add(`<div class="md">%s</div>`, markdownHTML(m.stream.shown()))
		if p.s.streamState(m) == streamOpen {
			p.add(`<span class="cursor"></span>`)
		}
	}
	switch {
	case m.in == nil && m.text != "": // as a person typed it
		p.add(`<div class="md">%s</div>`, p.mrkdwn(m.text))
	case len(m.blocks) > 0:
		p.blocks(m.blocks)
	case m.stream == nil:
		p.add(`<div class="md">%s</div>`, p.mrkdwn(m.text))
	}
}

func (p *pager) modal(v *view) {
	p.add(`<div class="shade"><section class="modal"><h2>%s</h2>`, html.EscapeString(plainText(v.data["title"])))
	p.blocks(v.blocks())
	p.add(`<footer>`)
	if label := plainText(v.data["close"]); label != "" {
		p.add(`<span class="button">%s</span>`, html.EscapeString(label))
	}
	if label := plainText(v.data["submit"]); label != "" {
		p.add(`<span class="button primary">%s</span>`, html.EscapeString(label))
	}
	p.add(`</footer></section></div>`)
}
