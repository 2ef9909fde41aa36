package slack

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

const (
	threadBytes = 24_000 // of a thread's messages that a question brings along, about 6,000 tokens
	threadPages = 50     // of 200 messages
	threadKept  = 1_000  // of the newest messages, beside the first; more never fit
	messageMost = 6_000  // of one message
)

// message is a message of a thread as it is read back.
type message struct {
	event
	raw json.RawMessage
}

// readThread reads a thread from its first message on; of a long one, the first and
// the newest. A message that cannot be read is left out, and nothing else with it.
func (a *app) readThread(ctx context.Context, channel, root string) ([]message, error) {
	var out []message
	cursor := ""
	for range threadPages {
		p, err := a.api.replies(ctx, channel, root, cursor, "200")
		if err != nil {
			return out, err
		}
		for _, raw := range p.Messages {
			var e event
			if json.Unmarshal(raw, &e) == nil {
				out = append(out, message{e, raw})
			}
		}
		if len(out) > 2*threadKept {
			out = slices.Delete(out, 1, len(out)-threadKept)
		}
		if cursor = p.Meta.Next; cursor == "" {
			return out, nil
		}
	}
	return out, nil
}

// context is what the thread says before the question: the messages of people
// and of other bots. The bot's own answers come from the ledger, and so do the
// questions that it answered.
func (a *app) context(ctx context.Context, channel, root, before string) []core.Said {
	if root == "" || root == before {
		return nil
	}
	messages, err := a.readThread(ctx, channel, root)
	if err != nil {
		a.log.Warn("a thread cannot be read; the question is answered without it", "place", placeID(a.own().Team, channel), "error", err)
	}
	asked := a.asked(ctx, channel, root)
	var texts []string
	var kept []message
	for _, m := range messages {
		if m.TS >= before || a.mine(m.event) || m.plain() == "" {
			continue
		}
		kept = append(kept, m)
		texts = append(texts, m.plain())
	}
	var users []string
	for _, m := range kept {
		if m.User != "" {
			users = append(users, string(m.User))
		}
	}
	n := a.name(ctx, texts, users...)
	said := make([]core.Said, 0, len(kept))
	for i, m := range kept {
		text := readable(texts[i], a.own().User, n)
		if asked[text] || text == "" || bot.IsStop(text) {
			continue // it is in the history, or says nothing
		}
		said = append(said, core.Said{Author: firstOf(n.userName(string(m.User)), "a bot"), Text: cutText(text, messageMost)})
	}
	return bot.FitSaid(said, threadBytes)
}

// asked are the questions of the thread that turns were made of, as they were
// asked.
func (a *app) asked(ctx context.Context, channel, root string) map[string]bool {
	turns, err := a.opts.Turns.Thread(ctx, threadID(a.own().Team, channel, root))
	if err != nil {
		a.log.Warn("the turns of a thread cannot be read", "error", err)
	}
	out := map[string]bool{}
	for _, t := range turns {
		out[t.Question] = true
	}
	return out
}

// mine tells whether the bot itself wrote the message. Other bots are not taken
// for it, whatever their name.
func (a *app) mine(e event) bool {
	own := a.own()
	return e.User != "" && string(e.User) == own.User || e.Bot != "" && e.Bot == own.Bot
}

// cutText cuts a text at a whole character.
func cutText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + " …"
}

const mostRoots = 10_000

// roots remembers whether threads began with a question to the bot, or with the
// bot; Slack's own facts decide it, not the ledger.
type roots struct {
	mu    sync.Mutex
	known map[string]bool // by channel/ts
}

func newRoots() *roots { return &roots{known: map[string]bool{}} }

func (r *roots) set(channel, ts string, ours bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) >= mostRoots {
		r.known = map[string]bool{}
	}
	r.known[channel+"/"+ts] = ours
}

func (r *roots) get(channel, ts string) (ours, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ours, known = r.known[channel+"/"+ts]
	return ours, known
}

// began tells whether the thread that a message is in began with the bot. In
// doubt it did not.
func (a *app) began(ctx context.Context, e event) bool {
	channel, root := e.channel(), e.root()
	if ours, known := a.roots.get(channel, root); known {
		return ours
	}
	if e.ParentUser != "" && e.ParentUser == a.own().User {
		a.roots.set(channel, root, true)
		return true
	}
	p, err := a.api.replies(ctx, channel, root, "", "1")
	if err != nil || len(p.Messages) == 0 {
		return false
	}
	var first event
	if json.Unmarshal(p.Messages[0], &first) != nil {
		return false
	}
	ours := a.mine(first) || mentioned(first.plain(), a.own().User)
	a.roots.set(channel, root, ours)
	return ours
}
