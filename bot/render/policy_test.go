package render

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core/cite"
)

var parts = []string{
	"[", "]", "(", ")", "![", "](", "](https://evil.example/a)", "](https://known.example/a)", "`", "``", "```", "```\n", "~~~\n", "\n", "\n\n", "> ", "- ", "1. ", "    ",
	"<", ">", "<!--", "-->", "<br>", "https://evil.example/a", "https:", "//evil.example", "www", ".evil.example", "www.evil.example", "<https://evil.example|", "<https://known.example/a|",
	"[1]: ", "[1]", "<@U1>", "<!channel>", "@channel", "@here", "@every", "one", "&#64;", "&lt;", "\\", "*", "**", "_", "~~", "|", "|---|\n", "a", "b c", " ", "é", "今天", "。", "👍", ":", "/", "!", "\"", "#", "\t", "&", ";",
}

func mixture(r *rand.Rand, n int) string {
	var b strings.Builder
	for range 1 + r.IntN(n) {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.String()
}

func sourcesOnly(md string) string {
	var b strings.Builder
	l := cite.NewLive(func(s string) { b.WriteString(s) })
	l.Allow("https://known.example/a")
	l.Write(md)
	l.Close()
	return b.String()
}

var (
	slackToken = regexp.MustCompile(`<[^<>\n]*>`)
	slackLink  = regexp.MustCompile(`^<(https?://[^|<>\s]+|mailto:[^|<>\s]+)(\|[^<>\n]+)?>$`)
	mail       = regexp.MustCompile(`<mailto:[^>]*>`)
	anyCall    = regexp.MustCompile(`(?i)@(channel|here|everyone)`)
	evilToken  = regexp.MustCompile(`<https?://[^|> \x{2060}]*evil\.`)
	evilText   = regexp.MustCompile(`(?i)\bhttps?://evil\.|\bwww\.evil\.`)
)

// withoutCode is what stands outside fences and code spans.
func withoutCode(d Dialect, s string) string {
	var b strings.Builder
	var fence *block
	for line := range strings.Lines(s) {
		text := strings.TrimRight(line, "\n")
		open := strings.TrimLeft(text, " >-0123456789.")
		switch opens := opening(open); {
		case fence != nil:
			if closes(text, fence) {
				fence = nil
			}
			continue
		case opens != nil:
			fence = opens
			continue
		}
		for i := 0; i < len(line); {
			switch {
			case line[i] == '`':
				i += codeEnd(line[i:])
				b.WriteByte('`')
				continue
			case line[i] == '\\' && d != Mrkdwn:
				b.WriteByte('\\')
				i++
			}
			if i < len(line) {
				b.WriteByte(line[i])
			}
			i++
		}
	}
	return b.String()
}

// checkSafe holds a rendering against what no text may do.
func checkSafe(t *testing.T, d Dialect, md, got string) {
	t.Helper()
	prose := got
	if d != Plain {
		prose = withoutCode(d, got)
	}
	prose = mail.ReplaceAllString(prose, "")
	if anyCall.MatchString(prose) {
		t.Errorf("%d: %q calls everybody: %q", d, md, got)
	}
	if d == Mrkdwn || d == MarkdownBlock {
		for _, token := range slackToken.FindAllString(got, -1) {
			if !slackLink.MatchString(token) {
				t.Errorf("%d: %q has the token %q: %q", d, md, token, got)
			}
		}
	}
	if d == Mrkdwn && strings.Count(got, "<") != len(slackToken.FindAllString(got, -1)) {
		t.Errorf("%q has a < of its own: %q", md, got)
	}
	if d == Mrkdwn && strings.Count(got, "```")%2 != 0 {
		t.Errorf("%d: %q has a fence open: %q", d, md, got)
	}
	if !strings.HasPrefix(md, "stream") && strings.Contains(got, "\n\n\n") && !strings.Contains(got, "```") && d != Plain {
		t.Errorf("%d: %q has two blank lines: %q", d, md, got)
	}
}

func TestMixturesAreSafe(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		md := mixture(r, 14)
		for d := Mrkdwn; d <= Plain; d++ {
			checkSafe(t, d, md, Render(d, md))
			checkSafe(t, d, "draft of "+md, Draft(d, md))
		}
		if t.Failed() {
			return
		}
	}
}

// What the core lets through has no foreign link, whatever the text is mixed of.
func TestForeignLinksStayDead(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 40_000 {
		md := mixture(r, 14)
		live := sourcesOnly(md)
		for _, d := range []Dialect{Mrkdwn, Discord, MarkdownBlock} {
			got := withoutCode(d, Render(d, live))
			if d == Mrkdwn && !evilToken.MatchString(got) { // labels say what they like
				got = slackToken.ReplaceAllString(got, " ")
			}
			if evilToken.MatchString(got) || evilText.MatchString(got) {
				t.Fatalf("%d: %q\npasses as %q\nand becomes %q", d, md, live, got)
			}
		}
	}
}
