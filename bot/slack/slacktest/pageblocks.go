package slacktest

import (
	"bytes"
	"html"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

func (p *pager) blocks(list []any) {
	for _, value := range list {
		if b, ok := value.(object); ok {
			p.block(b)
		}
	}
}

func (p *pager) block(b object) {
	switch kindOf(b) {
	case "divider":
		p.add("<hr>")
	case "header":
		p.add("<h3>%s</h3>", html.EscapeString(plainText(b["text"])))
	case "markdown":
		p.add(`<div class="md">%s</div>`, markdownHTML(plainText(b["text"])))
	case "rich_text":
		p.add(`<div class="md">%s</div>`, quotedLines(html.EscapeString(richTextText(b))))
	case "section":
		p.add(`<div class="md">%s</div>`, p.textObject(b["text"]))
		p.elements("fields", b["fields"])
		p.elements("row", listOf(b["accessory"]))
	case "context":
		p.elements("context", b["elements"])
	case "actions", "context_actions":
		p.elements("row", b["elements"])
	case "input":
		p.add(`<label>%s</label>`, html.EscapeString(plainText(b["label"])))
		p.elements("field", listOf(b["element"]))
	default:
		p.add(`<p class="hint">%s</p>`, html.EscapeString(blockText(b)))
	}
}

func listOf(v any) any {
	if v == nil {
		return nil
	}
	return []any{v}
}

func (p *pager) elements(class string, list any) {
	items, _ := list.([]any)
	if len(items) == 0 {
		return
	}
	p.add(`<div class="%s">`, class)
	for _, v := range items {
		if o, ok := v.(object); ok {
			p.element(o)
		}
	}
	p.add(`</div>`)
}

func (p *pager) element(o object) {
	switch kind := kindOf(o); {
	case kind == "button":
		class := "button"
		if style, _ := o["style"].(string); style == "primary" {
			class += " primary"
		}
		p.add(`<span class="%s">%s</span>`, class, html.EscapeString(plainText(o["text"])))
	case kind == "feedback_buttons":
		for _, side := range []string{"positive_button", "negative_button"} {
			one, _ := o[side].(object)
			sign := map[string]string{"positive_button": "👍", "negative_button": "👎"}[side]
			p.add(`<span class="button vote" title="%s">%s</span>`, html.EscapeString(plainText(one["text"])), sign)
		}
	case kind == "plain_text_input":
		p.add(`<span class="input">%s</span>`, html.EscapeString(plainText(o["placeholder"])))
	case kind == "mrkdwn" || kind == "plain_text":
		p.add(`<span>%s</span>`, p.textObject(o))
	case o["options"] != nil:
		chosen, _ := o["initial_option"].(object)
		items, _ := o["options"].([]any)
		for _, v := range items {
			one, _ := v.(object)
			mark := "○"
			if chosen["value"] == one["value"] {
				mark = "◉"
			}
			p.add(`<span class="option">%s %s</span>`, mark, html.EscapeString(plainText(one["text"])))
		}
	default:
		p.add(`<span class="hint">%s</span>`, html.EscapeString(elementText(o)))
	}
}

func (p *pager) textObject(v any) string {
	o, ok := v.(object)
	switch {
	case !ok:
		return ""
	case kindOf(o) == "mrkdwn":
		return p.mrkdwn(plainText(o))
	}
	return html.EscapeString(plainText(o))
}

// markdownHTML draws the Markdown of a markdown block or of a stream.
func markdownHTML(text string) string {
	var out bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(text), &out); err != nil {
		return html.EscapeString(text)
	}
	return out.String()
}

var (
	fenced = regexp.MustCompile("(?s)```\n?(.*?)```")
	styled = []struct {
		mark *regexp.Regexp
		tag  string
	}{
		{regexp.MustCompile("`([^`\n]+)`"), "code"},
		{regexp.MustCompile(`(^|[\s(>])\*([^*\n]+)\*`), "b"},
		{regexp.MustCompile(`(^|[\s(>])_([^_\n]+)_`), "i"},
		{regexp.MustCompile(`(^|[\s(>])~([^~\n]+)~`), "s"},
	}
	named = regexp.MustCompile(`:([a-z0-9_+-]+):`)
)

// mrkdwn draws Slack's own markup. Text comes escaped already: only its tokens in
// angle brackets become HTML of ours.
func (p *pager) mrkdwn(text string) string {
	text = tokenForm.ReplaceAllStringFunc(text, func(token string) string {
		m := tokenForm.FindStringSubmatch(token)
		switch {
		case m[1] == "@":
			return "\x01span class=\"mention\"\x02@" + p.name(m[2]) + "\x01/span\x02"
		case m[1] == "#" || m[1] == "!":
			return "\x01span class=\"mention\"\x02" + m[1] + or(m[3], m[2]) + "\x01/span\x02"
		}
		return "\x01a href=\"" + strings.ReplaceAll(m[2], `"`, "%22") + "\"\x02" + or(m[3], m[2]) + "\x01/a\x02"
	})
	text = html.EscapeString(unescape(text))
	text = strings.NewReplacer("\x01", "<", "\x02", ">", "class=&#34;mention&#34;", `class="mention"`).Replace(text)
	text = regexp.MustCompile(`<a href=&#34;(.*?)&#34;>`).ReplaceAllString(text, `<a href="$1">`)
	text = fenced.ReplaceAllString(text, "<pre>$1</pre>")
	for _, s := range styled {
		if s.tag == "code" {
			text = s.mark.ReplaceAllString(text, "<code>$1</code>")
			continue
		}
		text = s.mark.ReplaceAllString(text, "$1<"+s.tag+">$2</"+s.tag+">")
	}
	text = named.ReplaceAllStringFunc(text, func(name string) string { return emoji(strings.Trim(name, ":")) })
	return quotedLines(text)
}

// quotedLines makes lines of text, with a bar beside those that are quoted.
func quotedLines(text string) string {
	var out strings.Builder
	quoting := false
	for line := range strings.SplitSeq(text, "\n") {
		rest, quoted := strings.CutPrefix(line, "&gt;")
		if quoted != quoting {
			out.WriteString(map[bool]string{true: "<blockquote>", false: "</blockquote>"}[quoted])
			quoting = quoted
		}
		out.WriteString(strings.TrimPrefix(rest, " ") + "<br>")
	}
	if quoting {
		out.WriteString("</blockquote>")
	}
	return strings.TrimSuffix(out.String(), "<br>")
}

// emoji is the picture of a name, for the few that a bot uses.
func emoji(name string) string {
	if picture, ok := map[string]string{"eyes": "👀", "+1": "👍", "-1": "👎", "white_check_mark": "✅", "warning": "⚠️"}[name]; ok {
		return picture
	}
	return ":" + name + ":"
}
