package discord

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

// Channels and people that a question refers to narrow the search; a channel that
// not everybody sees is not even named.
func TestFiltersOfAQuestion(t *testing.T) {
	w := newWorld(t, nil)
	w.Mention(w.general, w.ann, "in:wiki in:payroll news of <#"+w.general+"> from <@"+w.bob+"> and <#"+w.secret+">")
	got := w.question(1)
	want := core.Narrow{
		Sources: []string{"wiki"}, Documents: []string{"wiki/1"},
		Channels: []core.Collection{{Folders: []string{"chat/" + w.general}}},
		Text:     "in:payroll news of #general from @bob and #a-channel",
		Said:     []string{"in:wiki", "#general", "from @bob"},
	}
	if d := cmp.Diff(want, got.Narrow); d != "" {
		t.Errorf("narrowed (-want +got):\n%s", d)
	}
	w.settled()
}
