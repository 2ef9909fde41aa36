package store

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestPostedComesBack(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	now := at(2026, 6)
	p := core.Posted{ID: "a", TurnID: "t1", Platform: "slack", Place: "slack:T1/C1", Thread: "slack:T1/C1/1", Account: "slack:T1/U1",
		Refs: []string{"1.2", "1.3"}, Private: true, Open: true, Extra: json.RawMessage(`{"channel":"C1"}`), Updated: now}
	bare := core.Posted{ID: "b", TurnID: "t1", Platform: "discord", Open: true, Updated: now.Add(time.Second)}
	later := core.Posted{ID: "c", TurnID: "t2", Platform: "slack", Open: true, Updated: now.Add(-time.Second)}
	for _, one := range []core.Posted{p, bare, later} {
		check(t, s.PutPosted(t.Context(), one))
	}
	s = open(t, dir)
	get := func(id string) core.Posted {
		t.Helper()
		got, err := s.Posted(t.Context(), id)
		check(t, err)
		return got
	}
	diff(t, p, get("a"))
	promise := core.Posted{ID: "d", TurnID: "d", Platform: "zulip", Open: true, Updated: now} // nothing is known yet
	check(t, s.PutPosted(t.Context(), promise))
	answer := p
	answer.ID, answer.TurnID, answer.Platform, answer.Open = "d", "t9", "zulip", false
	check(t, s.PutPosted(t.Context(), answer))
	diff(t, answer, get("d"))
	if got := get("b"); got.Extra != nil || len(got.Refs) != 0 || got.Private {
		t.Errorf("bare = %+v", got)
	}
	ids := func(list []core.Posted, err error) (out []string) {
		t.Helper()
		check(t, err)
		for _, p := range list {
			out = append(out, p.ID)
		}
		return out
	}
	diff(t, []string{"c", "a"}, ids(s.Unfinished(t.Context(), "slack")))
	diff(t, []string{"b", "a"}, ids(s.PostedOf(t.Context(), "t1")))
	p.Open, p.Refs, p.Updated = false, append(p.Refs, "1.4"), now.Add(time.Minute)
	check(t, s.PutPosted(t.Context(), p))
	diff(t, p, get("a"))
	diff(t, []string{"c"}, ids(s.Unfinished(t.Context(), "slack")))
	_, err := s.Posted(t.Context(), "nope")
	wantKind(t, err, core.KindNotFound)
}

func TestOneVoteForEach(t *testing.T) {
	s := open(t, t.TempDir())
	now := at(2026, 6)
	up := core.Vote{TurnID: "t1", Account: "slack:T1/U1", Up: true, At: now}
	down := core.Vote{TurnID: "t1", Account: "slack:T1/U2", Reason: "wrong floor", At: now.Add(time.Second)}
	for _, v := range []core.Vote{up, up, down, {TurnID: "t2", Account: "slack:T1/U1", Up: true, At: now}} {
		check(t, s.PutVote(t.Context(), v))
	}
	votes := func() []core.Vote {
		t.Helper()
		got, err := s.Votes(t.Context(), "t1")
		check(t, err)
		return got
	}
	diff(t, []core.Vote{up, down}, votes())
	up.Up, up.Reason, up.At = false, "old", now.Add(time.Minute)
	check(t, s.PutVote(t.Context(), up))
	diff(t, []core.Vote{down, up}, votes())

	// The press of the button may arrive after the form behind it.
	again := up
	again.Reason, again.At = "", now.Add(2*time.Minute)
	check(t, s.PutVote(t.Context(), again))
	again.Reason = "old"
	diff(t, []core.Vote{down, again}, votes())
	again.Up, again.Reason = true, ""
	check(t, s.PutVote(t.Context(), again))
	diff(t, []core.Vote{down, again}, votes())
}

func TestHelp(t *testing.T) {
	s := open(t, t.TempDir())
	h := core.HelpRequest{ID: "h1", TurnID: "t1", Place: "slack:T1/C1", Account: "slack:T1/U1", Opened: at(2026, 6), Extra: json.RawMessage(`{"ts":"1"}`)}
	check(t, s.PutHelp(t.Context(), h))
	get := func() core.HelpRequest {
		t.Helper()
		got, err := s.Help(t.Context(), "h1")
		check(t, err)
		return got
	}
	diff(t, h, get())
	h.Resolved, h.By = at(2026, 7), "slack:T1/U2"
	check(t, s.PutHelp(t.Context(), h))
	diff(t, h, get())
	_, err := s.Help(t.Context(), "nope")
	wantKind(t, err, core.KindNotFound)
}
