package store

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestAccessReport(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	start := at(2026, 6)
	s.Now = func() time.Time { return start }
	check(t, s.PutSource(t.Context(), handbookSource(core.Workspace)))
	host := page("host", nil, "x")
	host.HostAccess = true
	entries := []core.Entry{host, page("team", []core.Principal{core.Workspace, "user:ana@example.com"}, "x"),
		page("hr", []core.Principal{"group:handbook/hr", "group:handbook/none"}, "x"), page("ops", []core.Principal{"group:Config/Ops", "group:handbook/none"}, "x")}
	for i := range 12 {
		entries = append(entries, page(fmt.Sprintf("nobody%02d", i), nil, "x"))
	}
	put(t, s, entries...)
	src := handbookSource(core.Workspace)
	src.Name, src.MaxAge = "wiki", 1000*time.Hour
	check(t, s.PutSource(t.Context(), src))
	other := page("a", []core.Principal{"user:ana@example.com"}, "x")
	other.Document.Source, other.Document.ID = "wiki", "wiki/a"
	check(t, s.Commit(t.Context(), core.Batch{Source: "wiki", Content: []core.Entry{other}}))
	// The groups' own code is another's: only what the table says counts here.
	raw(t, filepath.Join(dir, FileName), `INSERT INTO group_sources (source) VALUES ('handbook'), ('config')`,
		`INSERT INTO groups (principal, source, name, sum) VALUES ('group:handbook/hr', 'handbook', 'HR', x''), ('group:config/ops', 'config', 'Ops', x'')`)

	want := AccessReport{
		Unread: []UnreadDocuments{{Source: "handbook", Documents: 12}},
		Groups: []UnknownGroup{{Group: "group:handbook/none", Documents: 2}},
	}
	for i := range unreadExamples {
		want.Unread[0].Examples = append(want.Unread[0].Examples, fmt.Sprintf("handbook/nobody%02d", i))
	}
	report := func(after time.Duration) AccessReport {
		r, err := s.AccessReport(t.Context(), start.Add(after))
		check(t, err)
		return r
	}
	diff(t, want, report(core.DefaultMaxAge))
	want.Stale = []StaleAccess{{Source: "handbook", Checked: start, MaxAge: core.DefaultMaxAge, Closed: 2}}
	diff(t, want, report(core.DefaultMaxAge+time.Second))
	want.Stale = append(want.Stale, StaleAccess{Source: "wiki", Checked: start, MaxAge: core.LongestMaxAge, Closed: 1})
	diff(t, want, report(core.LongestMaxAge+time.Second))

	check(t, s.Commit(t.Context(), core.Batch{Source: "wiki", Failures: []core.FailedRead{{Untold: true, Failure: core.Failure{ExternalID: "a"}}}}))
	later := start.Add(core.LongestMaxAge)
	for _, source := range []string{"handbook", "wiki"} {
		check(t, s.Commit(t.Context(), core.Batch{Source: source, AccessChecked: &later}))
	}
	want.Stale = []StaleAccess{{Source: "wiki", Checked: later, MaxAge: core.LongestMaxAge, Closed: 1, Untold: 1}}
	s.Now = func() time.Time { return later }
	diff(t, want.Unread, report(core.LongestMaxAge).Unread)
	diff(t, []StaleAccess(nil), report(core.LongestMaxAge).Stale)
	diff(t, want, report(core.LongestMaxAge+time.Second))
}
