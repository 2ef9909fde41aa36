package cli

import (
	"slices"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

// What the audience can read nothing of does not exist for filters, and a channel is
// that of the sources of its own workspace.
func TestFiltersKnowWhatTheAudienceMayRead(t *testing.T) {
	t.Parallel()
	_, a := office(t)
	inFolder, byTag, written := entry("in-folder", core.Workspace), tagged(entry("by-tag", core.Workspace), "channel", "C2"), entry("written", core.User("ann@example.com"))
	inFolder.Document.Folders, written.Document.Authors = []string{"C2"}, []string{"Zoe"}
	fill(t, a, core.Source{Name: "chan"}, inFolder, byTag, entry("talk", core.Group("chan", "C1")), written)
	f := filters{a}
	member, stranger := access.Audience(core.Place{Kind: core.PlacePublic, Team: "T1", Home: true}, core.Viewer{}), access.Audience(core.Place{Kind: core.PlaceUnknown}, core.Viewer{})
	for _, row := range []struct {
		source   string
		audience core.Audience
		want     bool
	}{
		{"wiki", member, true}, {"wiki", stranger, true}, {"chan", member, true}, {"chan", stranger, false}, {"nope", member, false}, {"WIKI", member, false},
	} {
		if got, err := f.KnownSource(t.Context(), row.source, row.audience); err != nil || got != row.want {
			t.Errorf("%s for %s: %v, %v", row.source, row.audience.Class, got, err)
		}
	}
	here := core.Place{Platform: "slack", Team: "T1"}
	for _, row := range []struct {
		place    core.Place
		channel  string
		audience core.Audience
		want     int
	}{
		{here, "C2", member, 2}, {here, "C9", member, 0}, {here, "C2", stranger, 0},
		{core.Place{Platform: "slack", Team: "T2"}, "C2", member, 0}, {core.Place{Platform: "discord", Team: "T1"}, "C2", member, 0},
	} {
		got, err := f.ChannelRules(t.Context(), row.place, row.channel, row.audience)
		if err != nil || len(got) != row.want {
			t.Errorf("%+v: %+v, %v", row, got, err)
		}
		for _, rule := range got {
			if !slices.Equal(rule.Sources, []string{"chan"}) {
				t.Errorf("%+v", rule)
			}
		}
	}
	ann := access.Audience(core.Place{Kind: core.PlaceDirect}, core.Viewer{Principals: []core.Principal{core.User("ann@example.com")}})
	for _, row := range []struct {
		name     string
		audience core.Audience
		want     []string
	}{
		{"zoe", ann, []string{"chan/written"}}, {"zoe", member, nil}, {"nobody", ann, nil},
	} {
		if got, err := f.Authored(t.Context(), []string{row.name}, row.audience); err != nil || !slices.Equal(got, row.want) {
			t.Errorf("%s for %s: %q, %v", row.name, row.audience.Class, got, err)
		}
	}
}
