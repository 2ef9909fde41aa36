package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/model"
)

// ledgerOf is a fakeIndex as the ledger's word on documents.
type ledgerOf struct{ *fakeIndex }

func (l ledgerOf) Readable(_ context.Context, f core.Filter, ids []string) (map[string]bool, error) {
	out := map[string]bool{}
	for _, e := range l.entries {
		d := e.Document
		if slices.Contains(ids, d.ID) && f.Allows(core.Facts{Document: d.ID, Source: d.Source, Access: d.Access}) {
			out[d.ID] = true
		}
	}
	return out, nil
}

func entryOf(id, finds, text string, readers ...core.Principal) entry {
	return entry{For: finds, Coverage: 1, Document: core.Document{ID: id, Title: id, Source: "s", URL: "https://x.example/" + id, Access: core.NewAccess(readers...)},
		Passage: core.Passage{Text: text}}
}

// A turn that is withdrawn while it runs, or as its last event is told, leaves its
// question alone in the ledger and says what it was given.
func TestWithdrawnTurnLeavesNothing(t *testing.T) {
	index := &fakeIndex{entries: []entry{entryOf("s/a", "go", "the secret", core.Public)}}
	for _, at := range []string{"text", "done", "documents"} {
		t.Run(at, func(t *testing.T) {
			rec := &recorder{}
			llm := &scripted{replies: []model.Reply{
				{Calls: []model.ToolCall{{ID: "c", Name: "internal_search", Arguments: `{"queries":["go"]}`}}}, {Text: "The secret [1]."}}}
			a := agent.New(agent.Options{Model: llm, Searcher: index, Recorder: rec, Memory: rec, NewID: func() string { return "t" }})
			ctx, cancel := context.WithCancelCause(t.Context())
			turn, err := a.Answer(ctx, asked("go"), func(e core.Event) {
				if e.EventType() == at {
					cancel(core.ErrWithdrawn)
				}
			})
			if err != core.ErrWithdrawn || turn.Answer.Text != "" || !slices.Equal(turn.Used, []string{"s/a"}) {
				t.Errorf("got %+v, %v", turn, err)
			}
			kept := rec.turns[len(rec.turns)-1]
			if len(rec.turns) != 1 || kept.Question != "go" || kept.Answer.Text != "" || len(kept.Answer.Citations)+len(kept.Used)+len(kept.Calls) > 0 || strings.Contains(string(kept.Trace), "s/a") {
				t.Errorf("the ledger holds %+v", rec.turns)
			}
		})
	}
}

// A turn notes all that it rests on, cited or not, and who asked which agent.
func TestTurnNotesWhatItRestsOn(t *testing.T) {
	index := &fakeIndex{entries: []entry{
		entryOf("s/a", "go", "one", core.Public), entryOf("s/b", "go", "two", core.Public), entryOf("s/c", "other", "three", core.Public)}}
	rec := &recorder{}
	llm := &scripted{replies: []model.Reply{
		{Calls: []model.ToolCall{{ID: "c", Name: "internal_search", Arguments: `{"queries":["go"]}`}}},
		{Calls: []model.ToolCall{{ID: "d", Name: "open_document", Arguments: `{"document":"s/c"}`}}},
		{Text: "One [1]."}}}
	a := agent.New(agent.Options{Model: llm, Searcher: index, Opener: index, Recorder: rec, Documents: ledgerOf{index}, NewID: func() string { return "t" }})
	q := asked("go")
	q.Agent.Name, q.Viewer.Account = "helper", "slack:T/U"
	q.History = []core.Turn{{ID: "old", Class: q.Audience.Class, Asker: q.Viewer.Email, Account: q.Viewer.Account, Used: []string{"s/a", "s/b"}, Question: "q", Answer: core.Answer{Text: "a"}}}
	turn, err := a.Answer(t.Context(), q, func(core.Event) {})
	if err != nil || !slices.Equal(turn.Used, []string{"s/a", "s/b", "s/c"}) || len(turn.Answer.Citations) != 1 {
		t.Errorf("used %v, cited %+v, %v", turn.Used, turn.Answer.Citations, err)
	}
	if turn.Agent != "helper" || turn.Account != "slack:T/U" || turn.Parent != "old" || !slices.Equal(turn.Scope, q.Audience.Scope()) {
		t.Errorf("turn %+v", turn)
	}
}

// Earlier turns whose documents were closed stay out, with the summaries over
// them, wherever the history comes from.
func TestClosedDocumentsTakeTheirTurnsAlong(t *testing.T) {
	index := &fakeIndex{entries: []entry{entryOf("s/open", "x", "x", core.Public), entryOf("s/closed", "x", "x")}}
	for _, given := range []bool{true, false} {
		q := asked("go")
		turn := func(id, parent, text string, used ...string) core.Turn {
			return core.Turn{ID: id, Parent: parent, Thread: q.Place.Thread, Class: q.Audience.Class, Asker: q.Viewer.Email, Used: used, Question: "q", Answer: core.Answer{Text: text}}
		}
		old := []core.Turn{turn("1", "", "KEEP", "s/open"), turn("2", "1", "CLOSED", "s/open", "s/closed"), turn("3", "2", "GONE", "s/nowhere"), turn("4", "3", "PLAIN")}
		rec := &recorder{turns: slices.Clone(old)}
		rec.summaries = []core.Summary{{ID: "s", Last: "2", Covers: []string{"1", "2"}, Text: "SUMMARY", Class: q.Audience.Class, Asker: q.Viewer.Email}}
		llm := &scripted{replies: []model.Reply{{Text: "Yes."}}}
		a := agent.New(agent.Options{Model: llm, Searcher: index, Recorder: rec, Memory: rec, Documents: ledgerOf{index}, NewID: func() string { return "t" }})
		q.Parent = "4"
		if given {
			q.Parent, q.History = "", old
		}
		got, err := a.Answer(t.Context(), q, func(core.Event) {})
		if err != nil || got.Parent != "4" {
			t.Errorf("parent %q, %v", got.Parent, err)
		}
		var seen strings.Builder
		for _, m := range llm.seen[0].Messages {
			seen.WriteString(m.Content)
		}
		for word, want := range map[string]bool{"KEEP": true, "PLAIN": true, "CLOSED": false, "GONE": false, "SUMMARY": false} {
			if strings.Contains(seen.String(), word) != want {
				t.Errorf("given %v: %s in the context: %v", given, word, !want)
			}
		}
		a.Close()
	}
}

// The asker of a shared place is told that there is more, and no more than that:
// not in time, not in the trace, not in what the turn rests on.
func TestOfferIsAllThatIsToldOfMore(t *testing.T) {
	hr := core.Group("s", "hr")
	boss := access.Person("boss@example.com", true, []core.Principal{hr})
	for _, row := range []struct {
		name   string
		viewer core.Viewer
		kind   core.PlaceKind
		class  core.AccountClass
		delay  time.Duration
		query  string // the model's
		offers int
	}{
		{"more for the asker", boss, core.PlacePublic, core.AccountMember, 0, "salaries", 1},
		{"found by the model's words alone", boss, core.PlacePublic, core.AccountMember, 0, "remuneration", 1},
		{"nothing that is worth quoting", boss, core.PlacePublic, core.AccountMember, 0, "weather", 0},
		{"nothing more", access.Person("bob@example.com", true, nil), core.PlacePublic, core.AccountMember, 0, "salaries", 0},
		{"in private", boss, core.PlaceDirect, core.AccountMember, 0, "salaries", 0},
		{"a bot", boss, core.PlacePublic, core.AccountBot, 0, "salaries", 0},
		{"too slow", boss, core.PlacePublic, core.AccountMember, time.Hour, "salaries", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			index := &slowFor{fakeIndex: &fakeIndex{entries: []entry{
				entryOf("s/secret", "salaries", "the salaries of managers", hr), entryOf("s/other", "remuneration", "the remuneration of managers", hr),
				entryOf("s/open", "weather", "the weather", core.Public)}}, whose: hr, by: row.delay}
			llm := &scripted{replies: []model.Reply{
				{Calls: []model.ToolCall{{ID: "c", Name: "internal_search", Arguments: `{"queries":["` + row.query + `"]}`}}}, {Text: "Nothing."}}}
			a := agent.New(agent.Options{Model: llm, Searcher: index, NewID: func() string { return "t" }, Quoting: agent.Quoting{
				Answers: func(_ string, found []core.Result) []core.Result { return found }, // the bar has its own tests
			}})
			q := asked("tell me")
			q.Viewer = row.viewer
			q.Viewer.Class = row.class
			q.Place = core.Place{ID: "p", Kind: row.kind, Home: true}
			q.Audience = access.Audience(q.Place, q.Viewer)
			offers, last := 0, ""
			turn, err := a.Answer(t.Context(), q, func(e core.Event) {
				if _, ok := e.(core.Offered); ok {
					offers++
				}
				if last == "offer" && e.EventType() != "done" {
					t.Errorf("%s after the offer", e.EventType())
				}
				last = e.EventType()
			})
			if err != nil || offers != row.offers {
				t.Errorf("%d offers, %v", offers, err)
			}
			if row.kind == core.PlacePublic && (strings.Contains(string(turn.Trace), "secret") || slices.Contains(turn.Used, "s/secret") || strings.Contains(string(turn.Trace), "s/other")) {
				t.Errorf("the turn knows of more: %v %s", turn.Used, turn.Trace)
			}
			a.Close()
		})
	}
}

// slowFor takes its time with searches for holders of a principal.
type slowFor struct {
	*fakeIndex
	whose core.Principal
	by    time.Duration
}

func (s *slowFor) Search(ctx context.Context, q agent.Query) ([]core.Result, error) {
	if s.by > 0 && slices.Contains(q.Filter.Principals, s.whose) {
		select {
		case <-time.After(s.by):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return s.fakeIndex.Search(ctx, q)
}

// Losing access counts at once, also for an answer that is being made: it is no
// answer any more. So does a document that goes.
func TestSourceClosedWhileAnswering(t *testing.T) {
	for name, change := range map[string]func(*entry){
		"access taken":  func(e *entry) { e.Document.Access = nil },
		"document gone": func(e *entry) { e.Document.ID = "s/other" },
	} {
		for _, quotes := range []bool{false, true} {
			index, rec := &fakeIndex{entries: []entry{entryOf("s/a", "go", "the secret", core.Public), entryOf("s/b", "go", "not it", core.Public)}}, &recorder{}
			o := agent.Options{Searcher: index, Recorder: rec, Documents: ledgerOf{index}, NewID: func() string { return "t" }}
			if !quotes {
				o.Model = &scripted{replies: []model.Reply{
					{Calls: []model.ToolCall{{ID: "c", Name: "internal_search", Arguments: `{"queries":["go"]}`}}}, {Text: "Nothing is cited."}}}
			}
			ended := 0
			turn, err := agent.New(o).Answer(t.Context(), asked("go"), func(e core.Event) {
				switch e.EventType() {
				case "text":
					change(&index.entries[0])
				case "done", "error":
					ended++
				}
			})
			if err != core.ErrWithdrawn || turn.Answer.Text != "" || ended > 0 || !slices.Contains(turn.Used, "s/a") {
				t.Errorf("%s, quotes %v: got %+v, %v, %d ends", name, quotes, turn, err, ended)
			}
			if kept := rec.turns[len(rec.turns)-1]; kept.Answer.Text != "" || len(kept.Used) > 0 {
				t.Errorf("%s, quotes %v: the ledger holds %+v", name, quotes, kept)
			}
		}
	}
}
