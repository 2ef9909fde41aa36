package cli

import (
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// A question that points at something is planned, and explain tells how; switched
// off, the same question costs no further call.
func TestPlannedQuestionIsExplained(t *testing.T) {
	t.Parallel()
	script := func() modeltest.Script {
		return modeltest.Script{Think: func(c modeltest.Chat) modeltest.Reply {
			switch last := c.Messages[len(c.Messages)-1]; {
			case strings.HasPrefix(c.Messages[0].Content, "You prepare a search"):
				return modeltest.Reply{Text: `{"rewrite":"On which level do visitors park?","keywords":["visitors parking level"],"time":{"field":"updated","start":"2020-01-01","end":null}}`}
			case last.Role == "tool" || strings.Contains(last.Content, "footnote-reminder"):
				return modeltest.Reply{Text: "On level minus two [1]."}
			}
			return searchFor("visitors parking")
		}}
	}
	u, server := withModel(t, script())
	a := u.ask("ask", "And since last year, on which level is it?")
	if a.Mode != core.ModeModel || len(a.Citations) != 1 || len(server.Requests()) != 3 {
		t.Fatalf("%d calls, answer %+v", len(server.Requests()), a)
	}
	explained := u.run("explain").out
	for _, want := range []string{
		"query: On which level do visitors park? (weight 1.3)", "query: visitors parking level (weight 1.0, keywords)",
		"query: visitors parking (weight 0.7)", "query: And since last year, on which level is it? (weight 0.5)",
		"only what was changed from 2020-01-01 to any day", "not selected by the model: all fit", "to plan a search",
	} {
		if !strings.Contains(explained, want) {
			t.Errorf("explain lacks %q:\n%s", want, explained)
		}
	}

	u, server = withModel(t, script())
	u.env["FOOTNOTE_RETRIEVAL_PLANNING"] = "off"
	u.ask("ask", "And since last year, on which level is it?")
	if explained := u.run("explain").out; len(server.Requests()) != 2 || !strings.Contains(explained, "not planned: switched off") {
		t.Errorf("%d calls:\n%s", len(server.Requests()), explained)
	}
}
