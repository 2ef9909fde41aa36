package slack

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot/render"
)

// FuzzEvent reads whatever Slack might send one day: nothing may panic, and what
// is read of it carries no token any more.
func FuzzEvent(f *testing.F) {
	for _, seed := range []string{
		`{"type":"event_callback","team_id":"T1","event":{"type":"message","channel":"C1","text":"hi <@U1> <!here>"}}`,
		`{"event":{"type":"message","channel":{"id":"C1"},"user":{"id":"U1"},"blocks":[{"type":"rich_text","elements":[{"elements":[{"type":"user","user_id":"U1"}]}]}]}}`,
		`{"event":{"subtype":"message_changed","message":{"text":"<@UBOT>"},"previous_message":null}}`,
		`{"event":{"assistant_thread":{"context":null},"context":{"entities":[{"type":"a/channel_id","value":"C1"}]}}}`,
		`{"event":{"attachments":[{"fallback":"x","fields":[{"title":"t"}]}],"files":[{"size":-1}]}}`,
	} {
		f.Add([]byte(seed))
	}
	n := names{users: map[string]string{"U1": "ann"}}
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, e, err := parseEvent(raw)
		if err != nil {
			return
		}
		for _, one := range []*event{&e, e.Message, e.Previous} {
			if one == nil {
				continue
			}
			one.key()
			one.viewing()
			mentionsOther(one.plain(), "UBOT")
			readable(one.plain(), "UBOT", n)
		}
	})
}

// FuzzAnswer composes answers of any text: every form of every message fits what
// Slack takes, and notifies nobody.
func FuzzAnswer(f *testing.F) {
	f.Add("Fourteen days [[1]](https://a.example/).", "why <!channel>?", "a | b")
	f.Add(strings.Repeat("word ", 5000), "", "")
	f.Add("```\n"+strings.Repeat("<&>\n", 4000), "q\n> q", "<@U1>")
	f.Fuzz(func(t *testing.T, text, question, note string) {
		e := ending{}
		e.answer.Text = text
		md := body(e, question, person{})
		for _, p := range compose(md, e, []string{note}, buttons{id: "x", votes: true, again: true}) {
			for i, form := range forms(p) {
				var raw strings.Builder
				enc := json.NewEncoder(&raw)
				enc.SetEscapeHTML(false)
				if err := enc.Encode(form.blocks); err != nil {
					t.Fatal(err)
				}
				for _, s := range []string{form.text, raw.String()} {
					if strings.Contains(s, "<!") || strings.Contains(s, "<@") {
						t.Errorf("form %d can notify: %q", i, s)
					}
				}
			}
			if units(render.Render(render.MarkdownBlock, p.md)) > 12_000 {
				t.Errorf("a markdown block of %d units", units(render.Render(render.MarkdownBlock, p.md)))
			}
		}
	})
}
