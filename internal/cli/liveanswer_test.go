package cli

import (
	"encoding/json"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// An answer may cite what only the source's own system holds. It is given and
// kept, and known to nobody later, since the ledger cannot say who may know it,
// until a sync has stored the document.
func TestAnswersFromLiveHits(t *testing.T) {
	t.Parallel()
	server := modeltest.Start(modeltest.Script{Replies: []modeltest.Reply{
		{Calls: []modeltest.Call{{ID: "c1", Name: "internal_search", Arguments: json.RawMessage(`{"queries":["stuck crane"]}`)}}},
		{Text: "A crane is stuck [1]."},
	}})
	defer server.Close()
	w := pay()
	ticket := deskDocument{ID: "ticket", Title: "Ticket", Text: "A crane is stuck", Users: []string{"ann@example.com"}}
	w.Hits = []deskDocument{ticket}
	d := withDesk(t, w, "FOOTNOTE_MODEL_BASE_URL="+server.URL, "FOOTNOTE_MODEL_NAME=scripted")
	d.mustSync(syncFlags{})
	q := directly(d, "ann@example.com")
	place := core.Place{ID: "console:dm", Platform: "console", Kind: core.PlaceDirect}
	q.Text, q.Place, q.Audience = "Which crane is stuck?", place, access.Audience(place, q.Viewer)
	turn, err := d.agent.Answer(t.Context(), q, func(core.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	if c := turn.Answer.Citations; len(c) != 1 || c[0].DocumentID != "desk/ticket" || c[0].URL != "https://desk.example.com/ticket" || c[0].PassageID != 0 {
		t.Fatalf("%q with %+v", turn.Answer.Text, c)
	}
	known := func() int {
		turns, err := access.Known(t.Context(), d.store, q.Audience, q.Viewer, []core.Turn{turn})
		if err != nil {
			t.Fatal(err)
		}
		return len(turns)
	}
	if known() != 0 {
		t.Fatal("a turn is known again although nobody can tell who may know it")
	}
	w.Documents = append(w.Documents, ticket)
	d.says(w)
	d.mustSync(syncFlags{})
	if known() != 0 { // the desk decides at reading time, for one reader
		t.Fatal("a turn on a passage that its source decided on is known again")
	}
}
