package discord

import (
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

func open(h *hosttest.Host) (n int) {
	for _, d := range h.Docs {
		if d.Access.Public {
			n++
		}
	}
	return n
}

// shut closes a channel to all but the bot's role, or opens it.
func (w *world) shut(channel string, yes bool) {
	w.srv.SetOverwrite(channel, discordtest.Overwrite{ID: discordtest.BotRole, Allow: discordtest.ViewChannel})
	all := discordtest.Overwrite{ID: discordtest.Guild}
	if yes {
		all.Deny = discordtest.ViewChannel
	}
	w.srv.SetOverwrite(channel, all)
}

// A channel that is closed while another one is read is closed in all that is sent.
func TestClosedWhileAnotherIsRead(t *testing.T) {
	w := newWorld(t)
	other := w.srv.AddChannel(discordtest.Channel{Name: "general-2"})
	w.srv.Say(w.open, w.ann, "words")
	w.srv.Say(other, w.ann, "words")
	w.sharp()
	w.relay.Meanwhile(func(path string) {
		if strings.HasSuffix(path, "/messages") {
			w.relay.Meanwhile(nil)
			w.pass(2 * lookEvery)
			w.shut(w.open, true)
			w.shut(other, true)
		}
	})
	h := hosttest.NewHost()
	w.sync(w.source(Source{Public: "public", Channels: []string{"general*"}}), h)
	if open(h) > 0 || len(h.Docs) != 2 {
		t.Errorf("%d of %d documents are for everybody", open(h), len(h.Docs))
	}
}
