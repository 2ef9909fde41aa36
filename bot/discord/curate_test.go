package discord

import (
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// Curators find buttons for each document in the list of sources; for others the
// list is the list, and the buttons do nothing for them.
func TestCuratorsMarkDocuments(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Curation = o.Feedback.(*memory) })
	w.script(step{event: core.Cited{Number: 1, DocumentID: "wiki/1", URL: "https://wiki.example/1"}}, step{event: core.TextDelta{Delta: "Fourteen [[1]](https://wiki.example/1)."}})
	w.Mention(w.general, w.bob, "how many?")
	w.Eventually("the answer", func() bool { return len(w.FromBot(w.general)) == 1 && len(w.FromBot(w.general)[0].Buttons) > 0 })
	w.settled()
	press := func(user, label string) {
		t.Helper()
		list := append(w.FromBot(w.general), w.Ephemerals(user)...)
		for i := len(list) - 1; i >= 0; i-- {
			for _, b := range list[i].Buttons {
				if b.Label == label {
					w.Click(user, list[i].ID, b.CustomID)
					w.settled()
					return
				}
			}
		}
		t.Fatalf("nothing has a button %q", label)
	}
	press(w.bob, "Sources")
	w.Eventually("bob's list", func() bool { return strings.Contains(strings.Join(w.whispers(w.bob), ""), "Title 1") })
	for _, m := range w.Ephemerals(w.bob) {
		if len(m.Buttons) > 0 {
			t.Errorf("bob is no curator: %+v", m.Buttons)
		}
	}
	press(w.ann, "Sources")
	press(w.ann, "[1] Hide")
	press(w.ann, "Undo")
	press(w.ann, "[1] 👎")
	w.mem.mu.Lock()
	defer w.mem.mu.Unlock()
	got := strings.Join(w.mem.changed, "; ")
	if want := "ann marks wiki/1 as hide; ann marks wiki/1 as show; ann marks wiki/1 as down"; got != want {
		t.Errorf("%s", got)
	}
}
