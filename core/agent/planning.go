package agent

import (
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/core/model"
)

// planSearches makes the planning of the turn's searches, with what the turn may
// know of the conversation. Its model calls are the turn's.
func (t *turn) planSearches() *find.Planning {
	if t.opts.Planner == nil {
		return nil
	}
	return t.opts.Planner.Begin(find.Turn{
		Model: t.setup.Model, ModelName: t.setup.Name, Message: t.q.Text, Earlier: t.earlier(),
		Now: t.started.In(zone(t.q.Viewer)), Named: func(d core.Document) bool { return t.q.Audience.TitleOf(d) },
		Note: func(purpose string, reply model.Reply, took time.Duration, err error) {
			t.traceModel(purpose, contextBuilt{}, reply, took, err)
		},
	})
}

// earlier is what was said before the question: turns of the branch, then the
// messages of the platform's thread.
func (t *turn) earlier() []find.Exchange {
	var out []find.Exchange
	for _, e := range t.memory.exchanges {
		out = append(out, find.Exchange{Question: e.question, Answer: e.answer})
	}
	for _, s := range t.q.Context {
		out = append(out, find.Exchange{Question: untagged(s.Text)})
	}
	return out
}

// leastRoom is what a result may always take, in tokens: the context makes room for
// it by leaving out older things.
const leastRoom = 512

// resultRoom is what one more result may take: half of what is left when the parts
// that never give way and the results so far have their place.
func (t *turn) resultRoom() int {
	left := room(t.window, t.setup.MaxOutput, t.definitions(free)) - callTokens(t.rounds) -
		tokens(t.systemPrompt(free)) - tokens(t.persona.Instructions) - tokens(t.q.Text)
	for _, o := range outcomes(t.rounds) {
		left -= tokens(o.write(t.q.Audience))
	}
	return max(left/2, leastRoom)
}
