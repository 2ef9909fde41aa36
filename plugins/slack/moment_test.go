package slack

import (
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

func open(h *hosttest.Host) (n int) {
	for _, d := range h.Docs {
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
	w.relay.Meanwhile(func(method string) {
		if method == "conversations.replies" {
			w.relay.Meanwhile(nil)
			w.pass(2 * time.Hour)
			for _, id := range []string{"C1", "C4"} {
				w.srv.ChangeChannel(id, func(c *slacktest.Channel) { c.ExtShared = true })
			}
		}
	})
	h := hosttest.NewHost()
	w.sync(w.source(Source{}), h)
	if got := open(h); got > 2 || len(h.Docs) != 12 { // those before the first thread
		t.Errorf("%d of %d documents are for everybody", got, len(h.Docs))
	}
}
