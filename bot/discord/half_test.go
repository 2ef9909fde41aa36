package discord

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

// A message is heard whatever it brings along that nobody knows; one whose author or
// place cannot be read is not.
func TestMessagesThatAreHalfReadable(t *testing.T) {
	base := `{"id":"1","channel_id":"2","guild_id":"3","content":"how many?","author":{"id":"4"}`
	for more, ok := range map[string]bool{
		``: true, `,"embeds":[{"title":5},{"title":"x"}]`: true, `,"embeds":{"a":1}`: true, `,"attachments":["x",null]`: true,
		`,"mentions":[7,{"id":"8"}]`: true, `,"message_snapshots":[{"message":[]}]`: true, `,"flags":"many","poll":{"x":[]},"components":[{"type":999}]`: true,
		`,"author":"somebody"`: false, `,"author":{"id":4}`: false, `,"webhook_id":{}`: false, `,"guild_id":9`: false, `,"content":["x"]`: false,
	} {
		var m message
		err := json.Unmarshal([]byte(base+more+"}"), &m)
		if (err == nil) != ok || ok && (m.Content != "how many?" || m.author().ID != "4") {
			t.Errorf("%s: %v, %+v", more, err, m)
		}
	}
}

// The log tells what went wrong without what people wrote, what was answered, or
// what opens anything.
func TestLogsHoldNeitherTextsNorTokens(t *testing.T) {
	w := newWorld(t, nil)
	w.script(append(say("walrus answer "), step{event: core.Noticed{Text: "walrus notice"}}, step{event: core.Offered{Text: "walrus offer"}})...)
	body := `{"code":50035,"message":"Invalid Form Body","errors":{"content":{"_errors":[{"message":"no"}]}}}`
	for _, route := range []string{routePost, routeEdit, routeFollowUp, routeOriginal} {
		w.Fail(route, discordtest.Fault{Status: 400, Body: body})
		w.Fail(route, discordtest.Fault{Reset: true})
		w.Fail(route, discordtest.Fault{Status: 500})
	}
	w.Mention(w.general, w.ann, "walrus question?", discordtest.WithFiles(discordtest.File{Name: "walrus.txt", Type: "text/plain", Data: []byte("walrus file")}))
	w.Slash(w.general, w.ann, "ask", discordtest.Options{"question": "walrus private?"})
	w.Slash(w.general, w.bob, "ask", discordtest.Options{"question": "walrus open?", "show": true})
	w.Slash(w.general, w.ann, "footnote link", discordtest.Options{"code": "walrus code"})
	w.DM(w.ann, "walrus direct?")
	w.Emit("MESSAGE_CREATE", map[string]any{"id": "5", "channel_id": w.general, "content": "walrus broken", "author": "walrus"})
	w.Emit("INTERACTION_CREATE", map[string]any{"id": "5", "token": "aW50ZXJhY3Rpb246broken", "data": "walrus"})
	w.settled()
	list := w.Connections()
	list[len(list)-1].Drop()
	w.reconnected(1)
	for _, secret := range []string{"walrus", "aW50ZXJhY3Rpb246", discordtest.Token} {
		for line := range strings.Lines(w.logged()) {
			if strings.Contains(line, secret) {
				t.Errorf("%s stands in %s", secret, line)
			}
		}
	}
}
