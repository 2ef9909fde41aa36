package slack

import (
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
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
		if d.Access.Workspace {
			n++
		}
	}
	return n
}

// A channel that is shared with outsiders in two accounts and not while a sync lies
// between them is for its members in all documents. One that was shared for a
// moment is for everybody again.
func TestAnotherStateForAMoment(t *testing.T) {
	for _, before := range []bool{true, false} {
		w := newWorld(t)
		w.fill("C1", 6)
		shared := func(yes bool) { w.srv.ChangeChannel("C1", func(c *slacktest.Channel) { c.ExtShared = yes }) }
		shared(before)
		src, h := w.source(Source{}), newHost()
		cursor, err := hear(t, src, nil, h)
		if err != nil {
			t.Fatal(err)
		}
		shared(!before)
		w.sync(src, h)
		if got := open(h); got > 0 {
			t.Errorf("shared %v: %d documents are for everybody", before, got)
		}
		shared(before)
		if _, err := hear(t, src, cursor, h); err != nil {
			t.Fatal(err)
		}
		want := map[bool]int{true: 0, false: 6}[before]
		if got := open(h); got != want || len(h.docs) != 6 {
			t.Errorf("shared %v: %d of %d are for everybody, want %d", before, got, len(h.docs), want)
		}
	}
}

// An account that breaks off while it opens one channel, or closes two, is made up
// for by the next.
func TestAccountThatBreaksOff(t *testing.T) {
	for _, shared := range []bool{true, false} {
		w := newWorld(t)
		w.srv.AddChannel(slacktest.Channel{ID: "C4", Name: "more", Members: []string{"U1", slacktest.BotUser}})
		w.fill("C1", 6)
		w.fill("C4", 6)
		share := func(yes bool) {
			for _, id := range []string{"C1", "C4"} {
				w.srv.ChangeChannel(id, func(c *slacktest.Channel) { c.ExtShared = yes })
			}
		}
		share(shared)
		src, h := w.source(Source{}), newHost()
		cursor, err := hear(t, src, nil, h)
		if err != nil {
			t.Fatal(err)
		}
		w.sync(src, h)
		share(!shared)
		asked := 0
		w.relay.meanwhile(func(method string) {
			if method != "conversations.history" {
				return
			}
			if asked++; asked == 2 {
				w.srv.Fail(method, slacktest.Fault{Error: "internal_error"})
			}
		})
		if cursor, err = hear(t, src, cursor, h); err == nil {
			t.Fatal("the account did not break off")
		}
		w.relay.meanwhile(nil)
		share(true)
		if _, err := hear(t, src, cursor, h); err != nil || open(h) > 0 {
			t.Errorf("shared %v: %v, %d documents are for everybody", shared, err, open(h))
		}
	}
}

// A channel that was closed as out of reach, and is back before a sync saw it go, is
// for everybody again.
func TestBackBeforeASync(t *testing.T) {
	w := newWorld(t)
	w.fill("C1", 6)
	src, h := w.source(Source{}), newHost()
	cursor, err := hear(t, src, nil, h)
	if err != nil {
		t.Fatal(err)
	}
	w.sync(src, h)
	for range 2 {
		w.srv.ChangeChannel("C1", func(c *slacktest.Channel) { c.Kind = slacktest.Private })
		if cursor, err = hear(t, src, cursor, h); err != nil || open(h) > 0 {
			t.Errorf("away: %v, %d documents are for everybody", err, open(h))
		}
	}
	w.srv.ChangeChannel("C1", func(c *slacktest.Channel) { c.Kind = slacktest.Public })
	if _, err = hear(t, src, cursor, h); err != nil || open(h) != 6 {
		t.Errorf("back: %v, %d documents are for everybody", err, open(h))
	}
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
