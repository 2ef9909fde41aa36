package discord

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

func TestDocuments(t *testing.T) {
	w := newWorld(t)
	w.sharp()
	one := w.srv.Say(w.open, w.ann, "Where is the **coffee**, <@"+w.bob+">? See <#"+w.open+"> <#"+w.closed+"> <@&"+w.staff+"> <:cup:123>")
	w.pass(time.Minute)
	w.srv.Say(w.open, w.bob, "# Second floor", discordtest.WithFiles(discordtest.File{Name: "map.pdf", Type: "application/pdf", Data: []byte("x")}))
	w.srv.SayWebhook(w.open, "alerts", "disk full")
	w.srv.Say(w.open, w.bob, "", discordtest.OfType(7))
	w.pass(20 * time.Minute)
	later := w.srv.Say(w.open, w.bob, "Thanks")
	thread := w.srv.StartThread(w.ann, later, "the machine")
	w.srv.Say(thread, w.ann, "It is broken.")
	post := w.srv.Post(w.forum, w.bob, "How to travel", "By train?")
	secret := w.srv.AddChannel(discordtest.Channel{Name: "private talk", Kind: discordtest.PrivateThread, Parent: w.open, Members: []string{w.ann, discordtest.BotUser}})
	w.srv.Say(secret, w.ann, "a secret")

	h := hosttest.NewHost()
	w.sync(w.source(Source{}), h)
	want := []string{w.open + "/" + one, w.open + "/" + later, w.open + "/thread/" + thread, w.forum + "/thread/" + post}
	slices.Sort(want)
	if got := hosttest.IDs(h.Docs); !slices.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	d := h.Docs[w.open+"/"+one]
	address := "https://discord.com/channels/" + discordtest.Guild + "/" + w.open + "/" + one
	if d.Title != "#general: Where is the coffee, @bob? See #general #a channel @staff :cup:" || d.URL != address || d.Author != "ann" {
		t.Errorf("%q %q %q", d.Title, d.URL, d.Author)
	}
	for _, want := range []string{"[permalink](" + address + ")", `\# Second floor`, "### bob on ", "File: map.pdf"} {
		if !strings.Contains(d.Body, want) {
			t.Errorf("%q is not in %s", want, d.Body)
		}
	}
	if strings.Contains(d.Body, "disk full") || strings.Contains(d.Body, "plans") {
		t.Errorf("%s", d.Body)
	}
	if d := h.Docs[w.open+"/thread/"+thread]; d.Title != "#general: the machine" || !strings.Contains(d.Body, "It is broken.") || !strings.Contains(d.Body, "Thanks") {
		t.Errorf("%q %s", d.Title, d.Body)
	}
	if diff := cmp.Diff(sdk.Access{Groups: []string{w.forum}}, h.Docs[w.forum+"/thread/"+post].Access); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(hosttest.IDs(h.Docs), listed(t, w.source(Source{}))); diff != "" {
		t.Error(diff)
	}
	h = hosttest.NewHost()
	w.sync(w.source(Source{PrivateThreads: true}), h)
	if d := h.Docs[w.open+"/thread/"+secret]; !slices.Equal(d.Access.Groups, []string{secret}) || !strings.Contains(d.Body, "a secret") {
		t.Errorf("%+v", d)
	}
}

// A channel for people of age is read only when told to.
func TestAgeRestricted(t *testing.T) {
	w := newWorld(t)
	w.srv.Say(w.open, w.ann, "hello")
	w.age = w.open
	for _, row := range []struct {
		src  Source
		want int
	}{{Source{}, 0}, {Source{AgeRestricted: true}, 1}} {
		h := hosttest.NewHost()
		w.sync(w.source(row.src), h)
		if len(h.Docs) != row.want {
			t.Errorf("%v: %d documents", row.src.AgeRestricted, len(h.Docs))
		}
	}
}

// Edits, deletions, new answers and archived threads are seen without reading every
// thread again.
func TestChanges(t *testing.T) {
	w := newWorld(t)
	w.sharp()
	w.fill(w.open, 30)
	old := w.srv.Post(w.forum, w.ann, "An old question", "Anybody?")
	lost := w.srv.Post(w.forum, w.ann, "To be deleted", "Soon.")
	w.pass(10 * 24 * time.Hour)
	w.sharp()
	gone := w.srv.Say(w.open, w.ann, "Delete me")
	w.pass(time.Minute)
	w.srv.Say(w.open, w.bob, "I stay")
	w.pass(20 * time.Minute)
	edited := w.srv.Say(w.open, w.ann, "Tae is in the kitchen")
	h := hosttest.NewHost()
	w.sync(w.source(Source{}), h)
	before := len(h.Docs)

	w.srv.Delete(gone)
	w.srv.Edit(edited, "Tea is in the kitchen")
	w.srv.Say(old, w.bob, "Solved.")
	w.srv.DeleteChannel(lost)
	w.relay.Count("/messages")
	h.Sent = 0
	w.pass(time.Hour)
	w.sync(w.source(Source{}), h)
	if want := []string{w.open + "/" + gone, w.forum + "/thread/" + lost}; len(h.Gone) != 2 || !slices.Contains(h.Gone, want[0]) || !slices.Contains(h.Gone, want[1]) {
		t.Errorf("removed %v, want %v", h.Gone, want)
	}
	if d := h.Docs[w.open+"/"+edited]; !strings.Contains(d.Body, "Tea is") {
		t.Errorf("%s", d.Body)
	}
	if d := h.Docs[w.forum+"/thread/"+old]; !strings.Contains(d.Body, "Solved.") {
		t.Errorf("%s", d.Body)
	}
	if n := w.relay.Count("/messages"); n > 5 || h.Sent != 3 {
		t.Errorf("%d requests for messages, %d documents", n, h.Sent)
	}
	w.srv.ChangeChannel(old, func(c *discordtest.Channel) { c.Archived = true })
	w.sync(w.source(Source{}), h)
	if got := listed(t, w.source(Source{})); len(got) != before-1 || cmp.Diff(hosttest.IDs(h.Docs), got) != "" {
		t.Error(cmp.Diff(hosttest.IDs(h.Docs), got))
	}
}

// A channel that shrinks while it is read loses nothing of the rest.
func TestShrinkingChannel(t *testing.T) {
	w := newWorld(t)
	var sent []string
	for range 300 {
		sent = append(sent, w.srv.Say(w.open, w.ann, "some words"))
		w.pass(11 * time.Minute)
	}
	pages := 0
	w.relay.Meanwhile(func(path string) {
		if strings.HasSuffix(path, w.open+"/messages") {
			if pages++; pages == 2 {
				w.srv.Purge(w.open, sent[210:250]...)
			}
		}
	})
	h := hosttest.NewHost()
	w.sync(w.source(Source{}), h)
	if len(h.Docs) != 300 {
		t.Errorf("%d documents of the first pass", len(h.Docs))
	}
	w.sync(w.source(Source{}), h)
	if diff := cmp.Diff(hosttest.IDs(h.Docs), listed(t, w.source(Source{}))); diff != "" || len(h.Docs) != 260 {
		t.Errorf("%d documents, %s", len(h.Docs), diff)
	}
}
