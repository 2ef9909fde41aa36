package store

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestFirstSeenOnce(t *testing.T) {
	s := open(t, t.TempDir())
	now := at(2026, 6)
	for _, key := range []string{"slack:T1/C1/1", core.LastingKey + "canned:1:vpn"} {
		var first atomic.Int32
		var work sync.WaitGroup
		for range 50 {
			work.Go(func() {
				ok, err := s.FirstSeen(t.Context(), key, now)
				if err != nil {
					t.Error(err)
				}
				if ok {
					first.Add(1)
				}
			})
		}
		if work.Wait(); first.Load() != 1 {
			t.Errorf("%s is new %d times", key, first.Load())
		}
	}
}

func TestSeenEventsAreForgotten(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	start := at(2026, 6)
	first := func(s *Store, key string, after time.Duration) bool {
		t.Helper()
		ok, err := s.FirstSeen(t.Context(), key, start.Add(after))
		check(t, err)
		return ok
	}
	for i := range 250 {
		first(s, fmt.Sprint("old", i), 0)
	}
	first(s, core.LastingKey+"a", 0)
	if first(s, "old7", seenFor) {
		t.Error("forgotten within the day")
	}
	for range 3 { // a hundred at a time
		first(s, fmt.Sprint("other", start), seenFor+time.Hour)
	}
	if !first(s, "old7", seenFor+time.Hour) || first(s, core.LastingKey+"a", 365*seenFor) {
		t.Error("events are forgotten after a day, lasting ones never")
	}
	var left int
	check(t, s.read(t.Context(), func(tx *session) error {
		return tx.QueryRowContext(t.Context(), `SELECT count(*) FROM seen_events`).Scan(&left)
	}))
	if left > 2 {
		t.Errorf("%d events are left", left)
	}
}

func TestBucketsOutliveTheProcess(t *testing.T) {
	dir := t.TempDir()
	rate := core.Rate{Burst: 2, Every: time.Minute}
	now := at(2026, 6)
	take := func(key string, now time.Time, want time.Duration) {
		t.Helper()
		s := open(t, dir)
		wait, err := s.TakeFrom(t.Context(), key, rate, now)
		check(t, err)
		if wait != want {
			t.Fatalf("wait %v, want %v", wait, want)
		}
	}
	take("person:a", now, 0)
	take("person:a", now, 0)
	take("person:a", now, time.Minute)
	take("person:b", now, 0)
	take("person:a", now.Add(30*time.Second), 30*time.Second)
	take("person:a", now.Add(time.Minute), 0)
	take("person:a", now.Add(48*time.Hour), 0)
}

func TestTakeFromAtOnce(t *testing.T) {
	s := open(t, t.TempDir())
	var taken atomic.Int32
	var work sync.WaitGroup
	for range 30 {
		work.Go(func() {
			if wait, err := s.TakeFrom(t.Context(), "place:c", core.Rate{Burst: 7, Every: time.Hour}, at(2026, 6)); err != nil {
				t.Error(err)
			} else if wait == 0 {
				taken.Add(1)
			}
		})
	}
	if work.Wait(); taken.Load() != 7 {
		t.Errorf("%d of a burst of 7", taken.Load())
	}
}

func TestThreadFacts(t *testing.T) {
	s := open(t, t.TempDir())
	bot := core.Account{Platform: "slack", Team: "T1", ID: "B1", Class: core.AccountBot}
	for _, a := range []core.Account{member("U1", "ann@x.org"), bot} {
		check(t, s.PutAccount(t.Context(), a))
	}
	start := at(2026, 6)
	n := 0
	asked := func(thread string, accounts ...string) {
		t.Helper()
		for _, a := range accounts {
			n++
			check(t, s.SaveTurn(t.Context(), core.Turn{ID: fmt.Sprint("t", n), Thread: thread, Place: "slack:T1/C1", Class: "public_channel",
				Account: a, Question: fmt.Sprint("q", n), Started: start.Add(time.Duration(n) * time.Minute), Answer: core.Answer{Citations: []core.Citation{}}}))
		}
	}
	facts := func(thread string) core.ThreadFacts {
		t.Helper()
		f, err := s.ThreadFacts(t.Context(), thread)
		check(t, err)
		slices.Sort(f.People)
		return f
	}
	diff(t, core.ThreadFacts{}, facts("1"))
	asked("1", "slack:T1/U1", "slack:T1/B1", "slack:T1/B1")
	asked("2", "slack:T1/U9")
	diff(t, core.ThreadFacts{People: []string{"slack:T1/B1", "slack:T1/U1"}, Turns: 3, BotTurns: 2, Last: start.Add(3 * time.Minute)}, facts("1"))
	asked("1", "slack:T1/U9")
	if f := facts("1"); f.BotTurns != 0 || f.Turns != 4 {
		t.Errorf("a person asked after the bots: %+v", f)
	}
	asked("1", "slack:T1/B1", "slack:T1/B1", "slack:T1/B1")
	if f := facts("1"); f.BotTurns != 3 {
		t.Errorf("facts = %+v", f)
	}
	for range 2 {
		check(t, s.SetQuiet(t.Context(), "1", true, start))
	}
	if !facts("1").Stopped || facts("2").Stopped {
		t.Error("one thread is quiet")
	}
	check(t, s.SetQuiet(t.Context(), "1", false, start))
	if facts("1").Stopped {
		t.Error("still quiet")
	}
	recent, err := s.RecentQuestions(t.Context(), "slack:T1/B1", 2)
	check(t, err)
	if len(recent) != 2 || recent[0].Question != "q8" || recent[1].Question != "q7" || recent[0].Thread != "1" || recent[0].Private {
		t.Errorf("recent = %+v", recent)
	}
}

func TestRecentQuestions(t *testing.T) {
	s := open(t, t.TempDir())
	for i, class := range []string{"dm", "ephemeral", "public_channel"} {
		check(t, s.SaveTurn(t.Context(), core.Turn{ID: class, Class: class, Account: "slack:T1/U1", Place: "slack:T1/C1", Question: class,
			Started: at(2026, 6).Add(time.Duration(i) * time.Second), Answer: core.Answer{Citations: []core.Citation{}}}))
	}
	check(t, s.SaveTurn(t.Context(), core.Turn{ID: "console", Question: "no account", Started: at(2026, 7), Answer: core.Answer{Citations: []core.Citation{}}}))
	got, err := s.RecentQuestions(t.Context(), "slack:T1/U1", 10)
	check(t, err)
	private := map[string]bool{}
	for _, q := range got {
		private[q.TurnID] = q.Private
	}
	diff(t, map[string]bool{"dm": true, "ephemeral": true, "public_channel": false}, private)
	for _, account := range []string{"", "slack:T1/U2"} {
		if got, err := s.RecentQuestions(t.Context(), account, 10); err != nil || len(got) != 0 {
			t.Errorf("%q: %v, %v", account, got, err)
		}
	}
}
