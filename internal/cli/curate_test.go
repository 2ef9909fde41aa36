package cli

import (
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

func TestCurators(t *testing.T) {
	t.Parallel()
	u, a := office(t)
	if a.curated() != nil {
		t.Error("there are no curators, and still somebody keeps what they say")
	}
	a.cfg.Curators = []string{"ann@example.com", "U9"}
	c := a.curated()
	ann, err := a.rights.person(t.Context(), "ann@example.com")
	if err != nil {
		t.Fatal(err)
	}
	bob, err := a.rights.person(t.Context(), "bob@example.com")
	if err != nil {
		t.Fatal(err)
	}
	account := core.Account{Platform: "slack", Team: "T1", ID: "U1"}
	turn := core.Turn{ID: "t1", Place: "slack:T1/C1", Answer: core.Answer{Citations: []core.Citation{
		{Number: 1, Title: "Team", DocumentID: "wiki/team"}, {Number: 2, DocumentID: "wiki/none"}, {Number: 3},
	}}}
	for _, row := range []struct {
		name   string
		viewer core.Viewer
		number int
		mark   bot.Mark
		want   core.Kind
	}{
		{"no curator", bob, 1, bot.MarkHide, core.KindDenied},
		{"a document that nobody reads", ann, 2, bot.MarkHide, core.KindNotFound},
		{"one without a name", ann, 3, bot.MarkHide, core.KindNotFound},
		{"not cited", ann, 7, bot.MarkUp, core.KindNotFound},
		{"nobody hid it", ann, 1, bot.MarkShow, core.KindNotFound},
		{"up", ann, 1, bot.MarkUp, ""},
		{"down", ann, 1, bot.MarkDown, ""},
		{"hide", ann, 1, bot.MarkHide, ""},
		{"show", ann, 1, bot.MarkShow, ""},
		{"hide again", ann, 1, bot.MarkHide, ""},
	} {
		_, err := c.Mark(t.Context(), account, row.viewer, turn, row.number, row.mark)
		if (err == nil) != (row.want == "") || err != nil && core.KindOf(err) != row.want {
			t.Errorf("%s: %v", row.name, err)
		}
	}
	votes, err := a.store.DocumentVotes(t.Context(), "wiki/team")
	if err != nil || len(votes) != 1 || votes[0].Up || votes[0].TurnID != "t1" {
		t.Errorf("%+v, %v", votes, err)
	}
	if v := u.why(a, "wiki/team", "--as", "ann@example.com"); v.Found || v.Clause != "hidden" {
		t.Errorf("%+v", v)
	}
	if o := u.in(a, "document", "list"); o.code != 0 || !strings.Contains(o.out, "wiki/team, hidden by slack:T1/U1") {
		t.Errorf("%+v", o)
	}
	if o := u.in(a, "document", "show", "wiki/team"); o.code != 0 || !u.why(a, "wiki/team", "--as", "ann@example.com").Found {
		t.Errorf("%+v", o)
	}
	if o := u.in(a, "document", "hide", "wiki/nope"); o.code != exitNotFound {
		t.Errorf("%+v", o)
	}
	if o := u.in(a, "document", "hide", "wiki/pub"); o.code != 0 || u.why(a, "wiki/pub").Found {
		t.Errorf("%+v", o)
	}
	if o := u.in(a, "audit"); strings.Count(o.out, "curate") != 7 {
		t.Errorf("the audit does not tell all of it: %+v", o)
	}
	if !c.Curator(core.Account{ID: "U9"}, core.Viewer{}) || c.Curator(core.Account{Email: "ann@example.com"}, core.Viewer{}) {
		t.Error("who is listed by account counts, who only claims an address does not")
	}
}
