package slack

import (
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
)

func open(h *host) (n int) {
	for _, d := range h.docs {
		if d.Access.Workspace {
			n++
		}
	}
	return n
}

// A channel that is closed while another one, or a thread of a page, is read is
// closed in all that is sent from then on.
func TestClosedBetweenReadingAndSending(t *testing.T) {
	w := newWorld(t)
	w.srv.AddChannel(slacktest.Channel{ID: "C4", Name: "more", Members: []string{"U1", slacktest.BotUser}})
	w.fill("C1", 6)
	w.fill("C4", 6)
	w.relay.meanwhile(func(method string) {
		if method == "conversations.replies" {
			w.relay.meanwhile(nil)
			w.pass(2 * time.Hour)
			for _, id := range []string{"C1", "C4"} {
				w.srv.ChangeChannel(id, func(c *slacktest.Channel) { c.ExtShared = true })
			}
		}
	})
	h := newHost()
	w.sync(w.source(Source{}), h)
	if got := open(h); got > 2 || len(h.docs) != 12 { // those before the first thread
		t.Errorf("%d of %d documents are for everybody", got, len(h.docs))
	}
}
