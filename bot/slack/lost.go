package slack

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// clockRoom is how far the clocks of Slack and of this machine may differ where a
// message is looked for by its time.
const clockRoom = 2 * time.Minute

// found looks for a message that Slack may have taken although the call that posted
// it failed. Posting it again would show it twice, and a draft that nobody knows
// of would stay. The text is what was sent; the message is ours, as new as the
// call, and none of those that are known. Where the thread cannot be read either,
// it counts as not there.
func (l *live) found(ctx context.Context, began time.Time, text string) (ts string, ok bool) {
	r := l.n.req
	if r.root == "" {
		return "", false
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	oldest := fmt.Sprintf("%d.000000", began.Add(-clockRoom).Unix())
	p, err := l.n.app.api.repliesSince(ctx, r.channel, r.root, oldest)
	if err != nil {
		l.n.log.Warn("it is not known whether a message was posted", "request_id", l.n.requestID(), "error", err)
		return "", false
	}
	for i := len(p.Messages) - 1; i >= 0; i-- {
		var e event
		if json.Unmarshal(p.Messages[i], &e) != nil || !l.n.app.mine(e) || e.TS == r.root || l.knows(e.TS) {
			continue
		}
		if age(e.TS, began) <= clockRoom && sameLetters(e.plain(), text) {
			return e.TS, true
		}
	}
	return "", false
}

// knows tells whether the message is one of those of the answer.
func (l *live) knows(ts string) bool {
	for _, p := range l.parts {
		if p.ts == ts {
			return true
		}
	}
	return l.done[ts]
}

// sameLetters compares texts by their letters and digits: Slack gives back other
// marks than it got, and may cut the end.
func sameLetters(shown, sent string) bool {
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsNumber(r) {
				return r
			}
			return -1
		}, s)
	}
	a, b := letters(shown), letters(sent)
	return a == b || len(a) > 200 && strings.HasPrefix(b, a)
}
