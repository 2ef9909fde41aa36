package store

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestStale(t *testing.T) {
	now := at(2026, 6)
	ago := func(d time.Duration) told { return told{checked: micros(now.Add(-d))} }
	with := func(how told, change func(*told)) told { change(&how); return how }
	for name, row := range map[string]struct {
		how  told
		want bool
	}{
		"told just now":          {ago(0), false},
		"at the limit":           {ago(core.DefaultMaxAge), false},
		"past the limit":         {ago(core.DefaultMaxAge + time.Microsecond), true},
		"never":                  {told{}, true},
		"never, said by host":    {told{host: true}, false},
		"long ago, said by host": {with(ago(1000*time.Hour), func(h *told) { h.host = true }), false},
		"shorter":                {with(ago(2*time.Hour), func(h *told) { h.maxAge = time.Hour }), true},
		"longer":                 {with(ago(48*time.Hour), func(h *told) { h.maxAge = 72 * time.Hour }), false},
		"longest":                {with(ago(core.LongestMaxAge), func(h *told) { h.maxAge = 1000 * time.Hour }), false},
		"past the longest":       {with(ago(core.LongestMaxAge+time.Second), func(h *told) { h.maxAge = 1000 * time.Hour }), true},
		"one untold for long":    {with(ago(0), func(h *told) { h.untold = micros(now.Add(-25 * time.Hour)) }), true},
		"one untold just now":    {with(ago(time.Hour), func(h *told) { h.untold = micros(now) }), false},
		"all for longer":         {with(ago(25*time.Hour), func(h *told) { h.untold = micros(now) }), true},
		"clock set back":         {ago(-time.Hour), false},
		"clock was far ahead":    {ago(-time.Hour - time.Second), true},
		"it was, said by host":   {with(ago(-1000*time.Hour), func(h *told) { h.host = true }), false},
	} {
		if got := row.how.stale(now); got != row.want {
			t.Errorf("%s: stale is %v", name, got)
		}
	}
}

func TestEffectiveAccess(t *testing.T) {
	all := core.NewAccess(core.Public, core.Workspace, core.WorkspaceOf("T1"), core.User("ana@example.com"), core.Group("wiki", "hr"),
		"workspaces:x")
	kept := slices.Clone(all)
	diff(t, all, told{host: true}.effective(all, at(2026, 6)))
	diff(t, core.NewAccess(core.Public, core.Workspace, core.WorkspaceOf("T1")), told{}.effective(all, at(2026, 6)))
	diff(t, kept, all)
	diff(t, core.Access{}, told{}.effective(core.NewAccess(core.User("ana@example.com")), at(2026, 6)))
	diff(t, core.Access(nil), told{}.effective(nil, at(2026, 6)))
}

// aging is a ledger whose clock stands at now, with documents of all kinds of
// access that are told at now.
type aging struct {
	*Store
	t   *testing.T
	now time.Time
}

func newAging(t *testing.T) *aging {
	a := &aging{Store: handbook(t), t: t, now: at(2026, 6)}
	a.Now = func() time.Time { return a.now }
	host := page("host", nil, "host")
	host.HostAccess = true
	secret := page("ana", []core.Principal{"user:ana@example.com", "group:wiki/hr"}, "ana")
	secret.Document.Folders = []string{"hr"}
	put(t, a.Store, page("pub", []core.Principal{core.Public, "user:ana@example.com"}, "pub"), secret,
		page("team", []core.Principal{core.Workspace, core.WorkspaceOf("t1")}, "team"), host)
	check(t, a.PutSource(t.Context(), handbookSource("user:ana@example.com")))
	return a
}

// seen is what the gate lets out, checked against Readable.
func (a *aging) seen(f core.Filter) (out []string) {
	a.t.Helper()
	ids := []core.PassageID{1, 2, 3, 4}
	found, err := a.Visible(a.t.Context(), f, ids)
	check(a.t, err)
	readable, err := a.Readable(a.t.Context(), f, []string{"handbook/pub", "handbook/ana", "handbook/team", "handbook/host", "handbook/none"})
	check(a.t, err)
	for _, r := range found {
		out = append(out, r.Passage.Text)
		if !readable[r.Document.ID] {
			a.t.Errorf("%s is visible and not readable", r.Document.ID)
		}
	}
	if len(readable) != len(found) {
		a.t.Errorf("readable %v, visible %v", readable, out)
	}
	return out
}

func (a *aging) told() {
	a.t.Helper()
	now := a.now
	check(a.t, a.Commit(a.t.Context(), core.Batch{Source: "handbook", AccessChecked: &now}))
}

func TestStaleAccessCloses(t *testing.T) {
	a := newAging(t)
	ana := core.Filter{Principals: []core.Principal{"user:ana@example.com", "workspace:t1"}}
	everything := []string{"pub", "ana", "team", "host"}
	diff(t, everything, a.seen(ana))
	a.now = a.now.Add(core.DefaultMaxAge)
	diff(t, everything, a.seen(ana))
	a.now = a.now.Add(time.Microsecond)
	diff(t, []string{"pub", "team", "host"}, a.seen(ana))
	diff(t, []string{"pub"}, a.seen(core.Filter{}))

	open := ana
	open.Granted = []core.Collection{{Folders: []string{"handbook/hr"}}}
	diff(t, everything, a.seen(open))
	diff(t, everything, a.seen(core.Filter{Bypass: true}))
	found, err := a.Visible(t.Context(), core.Filter{Bypass: true}, []core.PassageID{1, 2, 3, 4})
	check(t, err)
	var access []core.Access
	for _, r := range found {
		access = append(access, r.Document.Access)
	}
	diff(t, []core.Access{{core.Public}, {}, {core.Workspace, "workspace:t1"}, {"user:ana@example.com"}}, access)

	src := handbookSource("user:ana@example.com")
	src.MaxAge = 48 * time.Hour
	check(t, a.PutSource(t.Context(), src))
	diff(t, everything, a.seen(ana))
	a.now = a.now.Add(25 * time.Hour)
	diff(t, []string{"pub", "team", "host"}, a.seen(ana))
	a.told()
	diff(t, everything, a.seen(ana))
	src.MaxAge = -1
	wantKind(t, a.PutSource(t.Context(), src), core.KindInvalid)
	src.MaxAge, src.Discretion = 0, 9
	wantKind(t, a.PutSource(t.Context(), src), core.KindInvalid)
}

// A document of which the connector cannot tell the readers ages although the
// others are told again and again.
func TestUntoldDocumentsAge(t *testing.T) {
	a := newAging(t)
	ana := core.Filter{Principals: []core.Principal{"user:ana@example.com"}}
	untold := core.Batch{Source: "handbook"}
	for _, id := range []string{"ana", "host", "pub"} {
		untold.Failures = append(untold.Failures, core.FailedRead{Untold: true, Failure: core.Failure{ExternalID: id, Kind: core.KindDenied}})
	}
	for range 25 {
		check(t, a.Commit(t.Context(), untold))
		a.told()
		diff(t, []string{"pub", "ana", "host"}, a.seen(ana))
		a.now = a.now.Add(core.DefaultMaxAge / 24)
		if len(a.seen(ana)) == 2 {
			break
		}
	}
	diff(t, []string{"pub", "host"}, a.seen(ana))
	known, err := a.Known(t.Context(), "handbook", []string{"ana"})
	check(t, err)
	diff(t, core.Hash{}, known["ana"].Facts) // so that the next telling is not taken for old news
	check(t, a.Commit(t.Context(), core.Batch{Source: "handbook", Facts: []core.Entry{page("ana", []core.Principal{"user:ana@example.com"}, "ana")}}))
	diff(t, []string{"pub", "ana", "host"}, a.seen(ana))
}

func TestClosedFolders(t *testing.T) {
	a := newAging(t)
	e := page("host", nil, "host")
	e.HostAccess, e.Document.Folders = true, []string{"it", "hr"}
	check(t, a.Commit(t.Context(), core.Batch{Source: "handbook", Facts: []core.Entry{e}}))
	check(t, a.Confirm(t.Context(), backlog(t, a.Store)))
	ana := core.Filter{Principals: []core.Principal{"user:ana@example.com"}}
	diff(t, []string{"pub", "ana", "host"}, a.seen(ana))
	shut := core.Batch{Source: "handbook", Closed: []string{"h", "hr"}}
	check(t, a.Commit(t.Context(), shut))
	diff(t, []string{"pub"}, a.seen(ana))
	check(t, a.PutSource(t.Context(), handbookSource(core.Public))) // it gives nothing back
	diff(t, []string{"pub"}, a.seen(ana))
	diff(t, "[] facts handbook/ana [] facts handbook/host []", shape(backlog(t, a.Store)))
	check(t, a.Confirm(t.Context(), backlog(t, a.Store)))
	check(t, a.Commit(t.Context(), shut))
	diff(t, "[]", shape(backlog(t, a.Store))) // a second time is no news
	check(t, a.Commit(t.Context(), core.Batch{Source: "handbook", Facts: []core.Entry{e}}))
	diff(t, []string{"pub", "host"}, a.seen(ana))
}

func TestReadableTakesThousands(t *testing.T) {
	if testing.Short() {
		t.Skip("stores thousands of documents")
	}
	s := handbook(t)
	var entries []core.Entry
	var ids []string
	for i := range 3000 {
		e := page(fmt.Sprint(i), []core.Principal{core.Public}, "x")
		e.Document.Hidden = i%3 == 0
		if i%3 == 1 {
			e.Document.Access = nil
		}
		entries, ids = append(entries, e), append(ids, e.Document.ID, e.Document.ID+"x")
	}
	put(t, s, entries...)
	got, err := s.Readable(t.Context(), core.Filter{Sources: []string{}, Documents: []string{}, IncludeHidden: true}, ids)
	check(t, err)
	if len(got) != 1000 || !got["handbook/2"] || got["handbook/0"] || got["handbook/1"] {
		t.Fatalf("%d readable", len(got))
	}
	got, err = s.Readable(t.Context(), core.Filter{}, nil)
	check(t, err)
	diff(t, map[string]bool{}, got)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Readable(ctx, core.Filter{}, ids)
	wantKind(t, err, core.KindCancelled)
}
