package slack

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// interrupted lists the answers that were being written when the program ended
// the last time. It is read before new ones begin.
func (a *app) interrupted(ctx context.Context) []core.Posted {
	all, err := a.opts.Posts.Unfinished(ctx, platform)
	if err != nil {
		a.log.Warn("answers that were interrupted cannot be found", "error", err)
		return nil
	}
	var mine []core.Posted
	for _, p := range all {
		if strings.HasPrefix(p.Place, platform+":"+a.own().Team+"/") {
			mine = append(mine, p)
		}
	}
	return mine
}

// mend finishes interrupted answers: their askers learn that they have to ask
// again, and nothing looks as if it were still being written.
func (a *app) mend(ctx context.Context, list []core.Posted) {
	for _, p := range list {
		if ctx.Err() != nil {
			return
		}
		bot.Guarded(a.log, "mend", func() { a.mendOne(ctx, p) })
	}
}

func (a *app) mendOne(ctx context.Context, p core.Posted) {
	var s standing
	if json.Unmarshal(p.Extra, &s) != nil || s.Channel == "" {
		return
	}
	who := a.people.of(ctx, s.User)
	form := notice(who.say("I was interrupted before this was complete. Please ask again."))
	if _, unknown := a.opts.Turns.Turn(ctx, p.TurnID); s.TS != "" || unknown == nil { // else nobody knows the question any more
		form.blocks = append(form.blocks, slack.NewActionBlock("", slack.NewButtonBlockElement(actAgain, p.ID, plainText(who.say("Ask again")))))
	}
	var err error
	alone := request{channel: s.Channel, root: s.Root, who: who, direct: strings.HasPrefix(s.Channel, "D")}
	if p.Private || len(p.Refs) == 0 && a.outsiders(ctx, s.Channel) {
		err = a.reach(ctx, alone, form)
	} else if err = a.mendShown(ctx, p, s, form); shut(err) {
		err = a.reach(ctx, alone, form)
	}
	if strings.HasPrefix(s.Channel, "D") && s.Root != "" {
		a.api.status(ctx, s.Channel, s.Root, "") //nolint:errcheck // it goes by itself
	}
	if s.TS != "" {
		a.api.react(ctx, s.Channel, s.TS, eyes, false) //nolint:errcheck // it may not be there
	}
	if err != nil && !gone(err) && !shut(err) {
		return // the next start tries again
	}
	p.Open, p.Updated = false, time.Now()
	if err := a.opts.Posts.PutPosted(ctx, p); err != nil {
		a.log.Warn("an interrupted answer cannot be marked as mended", "error", err)
	}
}

// mendShown puts the notice in the place of the last message of the answer, or
// posts it where there is none. An answer that was complete stays.
func (a *app) mendShown(ctx context.Context, p core.Posted, s standing, form payload) error {
	last, complete := a.stands(ctx, p, s)
	if complete {
		return nil
	}
	if last != "" {
		a.api.stopStream(ctx, s.Channel, last, "", nil) //nolint:errcheck // it is none, or Slack ended it
		if err := a.api.update(ctx, s.Channel, last, form, false); !gone(err) {
			return err
		}
	}
	_, err := a.api.post(ctx, s.Channel, s.Root, form)
	return err
}

// stands finds the last message of an answer, "" if there is none, and whether it
// is complete, or was mended. Slack knows more than the books where the program
// ended between posting a message and writing that down. A message of the answer
// carries a button of it or, as a native stream, is what follows the question and
// has no button at all.
func (a *app) stands(ctx context.Context, p core.Posted, s standing) (last string, complete bool) {
	if n := len(p.Refs); n > 0 {
		last = p.Refs[n-1]
	}
	if s.Root == "" || s.TS == "" {
		return last, false
	}
	got, err := a.api.repliesSince(ctx, s.Channel, s.Root, s.TS)
	if err != nil {
		return last, false
	}
	next := true
	for _, raw := range got.Messages {
		var e event
		if json.Unmarshal(raw, &e) != nil || e.TS <= s.TS || e.TS == s.Root {
			continue
		}
		switch values := buttonValues(e.Blocks); {
		case !a.mine(e):
		case values[p.ID] != "":
			last, complete = e.TS, values[p.ID] != actStop
		case next && len(p.Refs) == 0 && len(values) == 0:
			last = e.TS
		}
		next = false
	}
	return last, complete
}

// buttonValues are the answers whose buttons blocks carry, with one of the actions.
func buttonValues(blocks json.RawMessage) map[string]string {
	out := map[string]string{}
	var walk func(v any, action string)
	walk = func(v any, action string) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				walk(one, action)
			}
		case map[string]any:
			if id, ok := v["action_id"].(string); ok {
				action = id
			}
			if value, ok := v["value"].(string); ok {
				id, _, _ := strings.Cut(value, ":")
				out[id] = firstOf(action, "button")
			}
			for _, one := range v {
				walk(one, action)
			}
		}
	}
	var v any
	if json.Unmarshal(blocks, &v) == nil {
		walk(v, "")
	}
	return out
}

// close notes that nothing more comes of a question that was expected.
func (a *app) close(ctx context.Context, id string) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	p, err := a.opts.Posts.Posted(ctx, id)
	if err == nil {
		p.Open, p.Updated = false, time.Now()
		err = a.opts.Posts.PutPosted(ctx, p)
	}
	if err != nil && id != "" {
		a.log.Warn("a question cannot be marked as done", "request_id", id, "error", err)
	}
}
