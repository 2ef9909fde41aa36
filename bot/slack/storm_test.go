package slack

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/core"
)

// TestSignsHoldNothingUp has Slack limit or swallow the signs of life. The answer
// comes all the same, and no sign stays.
func TestSignsHoldNothingUp(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]slacktest.Fault{
		"limited":    {Status: 429, RetryAfter: 3600, Times: 1},
		"swallowed":  {Hang: true, Times: -1},
		"landed":     {Status: 500, After: true, Times: 3},
		"slow":       {Delay: time.Hour, Times: 1},
		"landed mum": {Hang: true, After: true, Times: 3},
	} {
		for _, direct := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " in a direct message", false: ""}[direct], func(t *testing.T) {
				w := newWorld(t, func(o *Options) { o.signTime = 300 * time.Millisecond })
				w.Fail("reactions.add", f)
				w.Fail("assistant.threads.setStatus", f)
				w.Fail("assistant.threads.setTitle", f)
				channel, ts := "C1", ""
				if direct {
					channel, ts = w.DM("U1", "tell me")
				} else {
					ts = w.Mention("C1", "U1", "tell me")
				}
				w.Eventually("the answer", func() bool {
					m := w.standing(channel)
					return len(m) > 0 && strings.Contains(m[0].Shown, "Fourteen")
				})
				if m, _ := w.MessageAt(channel, ts); !direct && strings.HasPrefix(name, "landed") {
					w.Eventually("no sign", func() bool { m, _ = w.MessageAt(channel, ts); return len(m.Reactions["eyes"]) == 0 })
				}
				w.Heal()
			})
		}
	}
}

// TestAWithdrawalThatFailsIsTriedAgain has Slack fail while an answer has to be
// taken back. It goes as soon as Slack works again.
func TestAWithdrawalThatFailsIsTriedAgain(t *testing.T) {
	w := newWorld(t, nil, slacktest.NoStreamsIn(slacktest.Public))
	w.script(says("First secret part, long enough.")[0], step{wait: "go"})
	w.Mention("C1", "U1", "tell me")
	w.Eventually("a draft", func() bool { return len(w.standing("C1")) == 1 })
	w.Fail("chat.update", slacktest.Fault{Status: 503, Times: 8})
	w.Fail("chat.delete", slacktest.Fault{Status: 503, Times: 8})
	w.script(says("For all.")...)
	w.JoinChannel("C1", "U3", "U1")
	w.Eventually("the answer for all", func() bool {
		for _, m := range w.standing("C1") {
			if strings.Contains(m.Shown, "For all.") {
				return true
			}
		}
		return false
	})
	w.settled()
	for _, m := range w.standing("C1") {
		if strings.Contains(m.Shown, "secret") {
			t.Errorf("this was not taken back: %q", m.Shown)
		}
	}
}

// TestAFileGoesWithItsAnswer makes the place wider when the file of a long answer
// is there and the rest of it is not.
func TestAFileGoesWithItsAnswer(t *testing.T) {
	w := newWorld(t, nil)
	w.script(says(strings.Repeat("secret words. ", 3500))...)
	upload := w.stick("files.completeUploadExternal", slacktest.Fault{})
	w.Mention("C1", "U1", "tell me everything")
	upload.caught()
	w.JoinChannel("C1", "U3", "U1")
	w.arrived()
	upload.release()
	w.settled()
	for _, m := range w.standing("C1") {
		if len(m.Files) > 0 || strings.Contains(m.Shown, "secret") {
			t.Errorf("this was not taken back: %s", m.Shown)
		}
	}
}

// TestSomebodyBecomesAGuest makes a member a guest while an answer is being
// written in a channel of theirs.
func TestSomebodyBecomesAGuest(t *testing.T) {
	w := newWorld(t, nil, slacktest.NoStreamsIn(slacktest.Public))
	w.script(says("First secret part, long enough.")[0], step{wait: "go"})
	w.Mention("C1", "U1", "tell me")
	w.Eventually("a draft", func() bool { return len(w.standing("C1")) == 1 })
	w.script(says("For all.")...)
	w.ChangeUser("U2", func(u *slacktest.User) { u.Guest = true })
	w.Eventually("the answer for all", func() bool {
		for _, m := range w.standing("C1") {
			if strings.Contains(m.Shown, "For all.") {
				return true
			}
		}
		return false
	})
	q := w.questions()
	if got := q[len(q)-1].Audience.Class; got != string(core.PlaceGuests) {
		t.Errorf("answered for %s", got)
	}
}

// TestTheBooksKnowAQuestionFromItsStart holds up the look-ups before a turn
// begins: a crash at that moment must not lose the question.
func TestTheBooksKnowAQuestionFromItsStart(t *testing.T) {
	w := newWorld(t, nil)
	root := w.Message("C1", "U2", "a talk")
	lookUp := w.stick("conversations.replies", slacktest.Fault{})
	w.MentionIn("C1", root, "U1", "tell me")
	lookUp.caught()
	if open, _ := w.mem.Unfinished(context.Background(), platform); len(open) != 1 || len(w.questions()) != 0 {
		t.Errorf("%d lines in the books, %d questions", len(open), len(w.questions()))
	}
	lookUp.release()
	w.Eventually("closed books", func() bool {
		open, _ := w.mem.Unfinished(context.Background(), platform)
		return len(open) == 0
	})
}

// TestAClosingQueueIsNotSilent ends the program while questions wait behind one
// whose look-up is slow.
func TestAClosingQueueIsNotSilent(t *testing.T) {
	w := newWorld(t, nil)
	w.Fail("users.info", slacktest.Fault{Delay: 1500 * time.Millisecond})
	w.bot.apps[0].people.forget("U1")
	var asked []string
	for range 4 {
		asked = append(asked, w.Mention("C1", "U1", "tell me"))
	}
	w.Slash("C1", "U2", "/ask", "tell me alone")
	w.Eventually("acknowledged events", func() bool {
		n := 0
		for _, d := range w.Deliveries("app_mention") {
			if d.Acked {
				n++
			}
		}
		return n == len(asked)
	})
	w.stop()
	open, _ := w.mem.Unfinished(context.Background(), platform)
	noted := map[string]bool{}
	for _, p := range open {
		noted[p.Thread] = true
	}
	for _, ts := range asked {
		if len(w.InThread("C1", ts)) < 2 && !noted[threadID(slacktest.Team, "C1", ts)] {
			t.Errorf("nobody knows of the question %s\n%s", ts, w.Dump())
		}
	}
}

// TestLongWordsAreNotSilent has people say more than a message of ours can repeat.
func TestLongWordsAreNotSilent(t *testing.T) {
	long := strings.Repeat("word <> ", 4900)
	for _, text := range []string{"config helpers " + long, "config " + long + " on", "link " + long} {
		t.Run(text[:9], func(t *testing.T) {
			w := newWorld(t, nil)
			w.Slash("C1", "U1", "/footnote", text)
			w.Eventually("a word", func() bool { return len(w.Ephemerals("U1")) > 0 })
		})
	}
	w := newWorld(t, nil)
	w.Slash("C1", "U1", "/ask", "--show "+long)
	w.Eventually("the answer", func() bool {
		for _, m := range w.standing("C1") {
			if strings.Contains(m.Shown, "Fourteen") {
				return true
			}
		}
		return false
	})
}

// TestTheEndHasALimit ends the program while the last words of an answer wait for
// a limit of Slack's that is over much later.
func TestTheEndHasALimit(t *testing.T) {
	w := newWorld(t, nil, slacktest.NoStreamsIn(slacktest.Public))
	w.Fail("chat.postMessage", slacktest.Fault{Status: 429, RetryAfter: 3600})
	w.Mention("C1", "U1", "tell me")
	w.Eventually("a finished turn", func() bool {
		w.mem.mu.Lock()
		defer w.mem.mu.Unlock()
		return len(w.mem.turns) > 0
	})
	w.stop() // not for an hour
	if open, _ := w.mem.Unfinished(context.Background(), platform); len(open) != 1 {
		t.Errorf("the next start has %d answers to mend", len(open))
	}
}
