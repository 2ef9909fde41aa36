package discord

import (
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// hear applies what Grants tells to the documents, also what it tells before an
// error, as the host does.
func hear(t *testing.T, src *Source, since sdk.Cursor, h *host) (sdk.Cursor, error) {
	t.Helper()
	got := &readers{docs: map[string]sdk.Access{}, groups: map[string][]string{}, cursor: since}
	err := src.grants(t.Context(), since, got)
	for id, a := range got.docs {
		if d, ok := h.docs[id]; ok {
			d.Access = a
			h.docs[id] = d
		}
	}
	return got.cursor, err
}

func open(h *host) (n int) {
	for _, d := range h.docs {
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

// A channel that is closed in two accounts and open while a sync lies between them
// is closed in all documents. One that was closed for a moment is open again.
func TestAnotherStateForAMoment(t *testing.T) {
	for _, before := range []bool{true, false} {
		w := newWorld(t)
		w.fill(w.open, 6)
		w.shut(w.open, before)
		src, h := w.source(Source{Public: "public", Channels: []string{"general"}}), newHost()
		cursor, err := hear(t, src, nil, h)
		if err != nil {
			t.Fatal(err)
		}
		w.shut(w.open, !before)
		w.sync(src, h)
		if got := open(h); got > 0 {
			t.Errorf("closed %v: %d documents are for everybody", before, got)
		}
		w.shut(w.open, before)
		if _, err := hear(t, src, cursor, h); err != nil {
			t.Fatal(err)
		}
		if got := open(h); before && got > 0 || !before && got != len(h.docs) || len(h.docs) == 0 {
			t.Errorf("closed %v: %d of %d are for everybody", before, got, len(h.docs))
		}
	}
}

// An account that breaks off while it opens or closes two channels is made up for
// by the next.
func TestAccountThatBreaksOff(t *testing.T) {
	for _, before := range []bool{true, false} {
		w := newWorld(t)
		other := w.srv.AddChannel(discordtest.Channel{Name: "general-2"})
		w.srv.Say(w.open, w.ann, "words")
		w.srv.Say(other, w.ann, "words")
		w.sharp()
		both := func(yes bool) { w.shut(w.open, yes); w.shut(other, yes) }
		both(before)
		src, h := w.source(Source{Public: "public", Channels: []string{"general*"}}), newHost()
		cursor, err := hear(t, src, nil, h)
		if err != nil {
			t.Fatal(err)
		}
		w.sync(src, h)
		both(!before)
		asked := 0
		w.relay.meanwhile(func(path string) {
			if !strings.HasSuffix(path, "/messages") {
				return
			}
			if asked++; asked == 2 {
				w.srv.Fail("GET /channels/{channel}/messages", discordtest.Fault{Status: 500, Body: `{}`})
			}
		})
		if cursor, err = hear(t, src, cursor, h); err == nil {
			t.Fatal("the account did not break off")
		}
		w.relay.meanwhile(nil)
		w.srv.Heal()
		both(true)
		if _, err := hear(t, src, cursor, h); err != nil || open(h) > 0 || len(h.docs) != 2 {
			t.Errorf("closed %v: %v, %d of %d documents are for everybody", before, err, open(h), len(h.docs))
		}
	}
}

// A channel that is closed while another one is read is closed in all that is sent.
func TestClosedWhileAnotherIsRead(t *testing.T) {
	w := newWorld(t)
	other := w.srv.AddChannel(discordtest.Channel{Name: "general-2"})
	w.srv.Say(w.open, w.ann, "words")
	w.srv.Say(other, w.ann, "words")
	w.sharp()
	w.relay.meanwhile(func(path string) {
		if strings.HasSuffix(path, "/messages") {
			w.relay.meanwhile(nil)
			w.pass(2 * lookEvery)
			w.shut(w.open, true)
			w.shut(other, true)
		}
	})
	h := newHost()
	w.sync(w.source(Source{Public: "public", Channels: []string{"general*"}}), h)
	if open(h) > 0 || len(h.docs) != 2 {
		t.Errorf("%d of %d documents are for everybody", open(h), len(h.docs))
	}
}
