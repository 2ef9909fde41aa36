package discord

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

func TestClicksAreLimitedForEachPerson(t *testing.T) {
	c, now := newClicks(), time.Now()
	for i := range clickRate.Burst {
		if !c.take("1", now) {
			t.Fatalf("the click %d was refused", i)
		}
	}
	if c.take("1", now) || !c.take("2", now) || !c.take("1", now.Add(clickRate.Every)) {
		t.Error("the limit is not what it should be")
	}
	for i := range 2 * mostClickers {
		c.take(fmt.Sprint(i), now)
	}
	if n := len(c.buckets); n > mostClickers {
		t.Errorf("%d people are remembered", n)
	}
}

func TestTooManyClicksAreToldSo(t *testing.T) {
	w := newWorld(t, nil)
	m := w.answered("how many days of leave?")
	for range 3 * clickRate.Burst { // a slow machine gives some of them back meanwhile
		w.Click(w.bob, m.ID, actUp+":"+idOf(m))
	}
	w.Eventually("a word", func() bool { return strings.Contains(strings.Join(w.whispers(w.bob), ""), "too fast") })
	w.settled()
}

// What the owner changes while answers stand counts for their buttons too.
func TestButtonsFollowTheSettings(t *testing.T) {
	w := newWorld(t, nil)
	m := w.answered("how many days of leave?")
	w.set(w.general, bot.Settings{Mode: bot.ModeOff})
	w.Click(w.ann, m.ID, "Regenerate")
	w.Eventually("a refusal", func() bool { return strings.Contains(strings.Join(w.answers(w.general), ""), "switched off") })
	w.set(w.general, bot.Settings{Private: true})
	w.Click(w.ann, m.ID, "Regenerate")
	w.Eventually("a private answer", func() bool { return strings.Contains(strings.Join(w.whispers(w.ann), ""), "Fourteen") })
	w.settled()
	if n := len(w.questions()); n != 2 || w.question(2).Place.Kind != core.PlaceEphemeral {
		t.Errorf("%d questions", n)
	}
}

// What an event says of its author is newer than what was looked up before.
func TestEventsTellOfTheirAuthors(t *testing.T) {
	_, a := testAPI(t, nil)
	f := newFacts(a, time.Minute)
	f.members.put("1/7", member{memberInfo{Roles: []string{"2"}}, true}, time.Now(), 0)
	old, fresh := "100000000000000000", fmt.Sprint((time.Now().UnixMilli()-epoch)<<22)
	for _, c := range []struct {
		event string
		roles []string
		want  int
	}{{old, []string{}, 1}, {"nonsense", []string{}, 1}, {fresh, nil, 1}, {fresh, []string{}, 0}} {
		f.heard("1", user{ID: "7"}, c.event, memberInfo{Roles: c.roles})
		if m, err := f.member(t.Context(), "1", "7"); err != nil || len(m.Roles) != c.want {
			t.Errorf("%+v: %d roles, %v", c, len(m.Roles), err)
		}
	}
}

func TestCacheDropsWhatBecameDoubtful(t *testing.T) {
	c := newCache[int](time.Minute)
	calls := 0
	look := func(context.Context) (int, error) {
		if calls++; calls == 1 {
			c.drop("x") // an event comes while it is looked up
		}
		return calls, nil
	}
	if got, err := c.get(t.Context(), "x", look); err != nil || got != 2 {
		t.Errorf("got %d, %v", got, err)
	}
	if got, _ := c.get(t.Context(), "x", look); got != 2 {
		t.Errorf("it was looked up again: %d", got)
	}
	if _, err := c.get(t.Context(), "y", func(context.Context) (int, error) { return 0, errDown }); err == nil {
		t.Error("no error")
	}
	if got, err := c.get(t.Context(), "y", look); err != nil || got != 3 {
		t.Errorf("an error was kept: %d, %v", got, err)
	}
}

var errDown = core.Errorf(core.KindUnavailable, "down")

// A command that names somebody else's server, channel or answer gets nothing.
func TestAnswersOfOtherPlacesAreRefused(t *testing.T) {
	w := newWorld(t, nil)
	w.linked(w.ann, "ann@example.com")
	w.Mention(w.secret, w.ann, "what is secret?")
	w.Eventually("an answer", func() bool { return len(w.FromBot(w.secret)) == 1 })
	w.settled()
	id := idOf(w.FromBot(w.secret)[0])
	general := w.answered("something else?")
	a := w.bot.apps[0]
	for action, do := range actions {
		if action == actHelped || action == actHelp {
			continue
		}
		i := interaction{ID: fmt.Sprint(len(action)), Token: "t", Guild: discordtest.Guild, Channel: w.general, Member: &memberInfo{User: &user{ID: w.bob}}, Message: &message{ID: general.ID}}
		r := a.newReply(i, true)
		do(a, t.Context(), press{i, a.requestOf(t.Context(), i, action, r), id})
	}
	w.settled()
	if n := len(w.questions()); n != 2 {
		t.Errorf("%d questions", n)
	}
	if len(w.mem.votes) != 0 {
		t.Errorf("votes %+v", w.mem.votes)
	}
}
