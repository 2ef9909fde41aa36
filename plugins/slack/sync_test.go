package slack

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

func TestDocuments(t *testing.T) {
	w := newWorld(t)
	w.sharp()
	first := w.say("C1", "U1", "Where is the *coffee*, <@U2>? See <https://example.com/a|the page> &amp; <#C1|x>, <!subteam^S1>")
	w.pass(time.Minute)
	w.say("C1", "U2", "# Second floor")
	w.srv.Say(slacktest.Say{Channel: "C1", User: "U1", Files: []slacktest.FileData{{Name: "map.pdf", Data: []byte("x")}}})
	w.say("C1", "UB", "build 17 failed")
	w.srv.Say(slacktest.Say{Channel: "C1", Webhook: "alerts", Text: "disk full"})
	w.pass(20 * time.Minute)
	root := w.say("C1", "U2", "Who has the key?")
	w.pass(time.Minute)
	w.srv.Reply("C1", root, "U1", "Me.")
	w.srv.Reply("C1", root, "UB", "I am a bot.")
	later := w.say("C1", "U3", "Thanks")
	w.say("C3", "U1", "nobody reads this")
	w.say("C2", "U1", "secret plan")

	h := hosttest.NewHost()
	w.sync(w.source(Source{}), h)
	if got, want := hosttest.IDs(h.Docs), []string{"C1/" + first, "C1/" + root, "C1/" + later}; !slices.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	d := h.Docs["C1/"+first]
	link := "https://acme.slack.com/archives/C1/p" + strings.Replace(first, ".", "", 1)
	if d.Title != "#general: Where is the coffee, @bob? See the page & #general, @support" || d.URL != link || d.Author != "Ann" || d.Kind != "messages" {
		t.Errorf("%q %q %q %q", d.Title, d.URL, d.Author, d.Kind)
	}
	for _, want := range []string{"[permalink](" + link + ")", "@bob? See [the page](<https://example.com/a>) &amp; #general, @support", `\# Second floor`, "### bob on ", "File: map.pdf"} {
		if !strings.Contains(d.Body, want) {
			t.Errorf("%q is not in %s", want, d.Body)
		}
	}
	for _, not := range []string{"build 17", "disk full", "<@", "joined"} {
		if strings.Contains(d.Body, not) {
			t.Errorf("%q is in %s", not, d.Body)
		}
	}
	if diff := cmp.Diff(sdk.Access{Workspace: true, Groups: []string{"C1"}}, d.Access); diff != "" {
		t.Error(diff)
	}
	thread := h.Docs["C1/"+root]
	if thread.Kind != "thread" || !strings.Contains(thread.Body, "?thread_ts="+root+"&cid=C1)\n\nMe.") || strings.Contains(thread.Body, "bot") {
		t.Errorf("%s", thread.Body)
	}
	if len(h.Notes) != 1 || !strings.Contains(h.Notes[0], "#lunch") {
		t.Errorf("%q", h.Notes)
	}
	if diff := cmp.Diff(hosttest.IDs(h.Docs), listed(t, w.source(Source{}))); diff != "" {
		t.Error(diff)
	}
}

// A private channel is read where it is allowed, a public one joined when told to.
func TestChoice(t *testing.T) {
	w := newWorld(t)
	w.say("C1", "U1", "one")
	w.say("C2", "U1", "two")
	w.say("C3", "U1", "three")
	for _, row := range []struct {
		name string
		src  Source
		want []string
	}{
		{"as it comes", Source{}, []string{"C1"}},
		{"private", Source{Private: []string{"plans"}}, []string{"C1", "C2"}},
		{"private by its id", Source{Channels: []string{"nothing*"}, Private: []string{"C2"}}, []string{"C2"}},
		{"left out", Source{Private: []string{"*"}, Exclude: []string{"/^gen/"}}, []string{"C2"}},
		{"a private one is not public", Source{Channels: []string{"pla*", "general"}}, []string{"C1"}},
		{"join", Source{Join: true}, []string{"C1", "C3"}},
	} {
		if row.src.Join {
			w.srv.SetScopes(slacktest.BotToken, append(scopes, "channels:join")...)
		}
		h := hosttest.NewHost()
		w.sync(w.source(row.src), h)
		var got []string
		for _, d := range h.Docs {
			got = append(got, d.Folders[0])
		}
		slices.Sort(got)
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %v", row.name, got)
		}
	}
}

var scopes = []string{"channels:read", "channels:history", "groups:read", "groups:history", "users:read", "users:read.email", "usergroups:read"}

// Edits, deletions and new replies are seen without reading every thread again.
func TestChanges(t *testing.T) {
	w := newWorld(t)
	w.sharp()
	gone := w.say("C1", "U1", "Delete me")
	w.pass(time.Minute)
	stays := w.say("C1", "U2", "I stay")
	w.pass(20 * time.Minute)
	edited := w.say("C1", "U1", "Tae is in the kitchen")
	w.sharp()
	w.fill("C1", 30)
	old := w.say("C1", "U2", "An old question")
	w.srv.Reply("C1", old, "U1", "wait")
	w.pass(8 * 24 * time.Hour)
	w.srv.Reply("C1", old, "U1", "still waiting")
	h, src := hosttest.NewHost(), w.source(Source{})
	w.sync(src, h)
	w.relay.Count("conversations.replies")

	w.srv.Delete("C1", gone)
	w.srv.Edit("C1", edited, "Tea is in the kitchen")
	w.pass(time.Hour)
	w.sync(w.source(Source{}), h)
	if _, ok := h.Docs["C1/"+gone]; ok || !slices.Equal(h.Gone, []string{"C1/" + gone}) {
		t.Errorf("removed %v", h.Gone)
	}
	if d := h.Docs["C1/"+stays]; !strings.Contains(d.Body, "I stay") || strings.Contains(d.Body, "Delete me") {
		t.Errorf("%s", d.Body)
	}
	if d := h.Docs["C1/"+edited]; !strings.Contains(d.Body, "Tea is") {
		t.Errorf("%s", d.Body)
	}
	if n := w.relay.Count("conversations.replies"); n != 1 {
		t.Errorf("%d threads were read again, want the one that is recent", n)
	}

	// A thread that is older than what is looked at again, and lives.
	w.pass(9 * 24 * time.Hour)
	w.srv.Reply("C1", old, "U2", "solved now")
	w.sync(w.source(Source{}), h)
	w.pass(9 * 24 * time.Hour)
	w.srv.Reply("C1", old, "U1", "thank you")
	w.sync(w.source(Source{}), h)
	if d := h.Docs["C1/"+old]; !strings.Contains(d.Body, "solved now") || !strings.Contains(d.Body, "thank you") {
		t.Errorf("%s", d.Body)
	}
	if diff := cmp.Diff(hosttest.IDs(h.Docs), listed(t, src)); diff != "" {
		t.Error(diff)
	}
}

// A channel that shrinks while it is read loses nothing of the rest.
func TestShrinkingChannel(t *testing.T) {
	w := newWorld(t)
	var sent []string
	for range 500 {
		sent = append(sent, w.say("C1", "U1", "some words"))
		w.pass(11 * time.Minute)
	}
	pages := 0
	w.relay.Meanwhile(func(method string) {
		if method != "conversations.history" {
			return
		}
		if pages++; pages == 2 {
			for _, ts := range sent[400:450] {
				w.srv.Delete("C1", ts)
			}
		}
	})
	h := hosttest.NewHost()
	w.sync(w.source(Source{}), h)
	if len(h.Docs) != 500 {
		t.Errorf("%d documents of the first pass", len(h.Docs))
	}
	w.relay.Meanwhile(nil)
	w.sync(w.source(Source{}), h)
	if diff := cmp.Diff(hosttest.IDs(h.Docs), listed(t, w.source(Source{}))); diff != "" || len(h.Docs) != 450 {
		t.Errorf("%d documents, %s", len(h.Docs), diff)
	}
}
