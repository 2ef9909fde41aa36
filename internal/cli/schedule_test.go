package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest/schedule"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
	"github.com/footnote-bot/footnote/store"
)

func TestPlanOf(t *testing.T) {
	t.Parallel()
	const hour, day = time.Hour, 24 * time.Hour
	can := []string{wire.FeatureList, wire.FeatureGrants}
	for _, tt := range []struct {
		name string
		src  core.Source
		can  []string
		want schedule.Plan
	}{
		{"no schedule", core.Source{Connector: "wiki"}, can, schedule.Plan{}},
		{"the defaults", core.Source{Connector: "wiki", Every: hour}, can, schedule.Plan{Sync: hour, List: day, Access: 15 * time.Minute}},
		{"a connector that can do neither", core.Source{Connector: "wiki", Every: hour, ListEvery: hour, AccessEvery: hour}, nil, schedule.Plan{Sync: hour}},
		{"where listing is cheap", core.Source{Connector: "files", Every: hour}, can[:1], schedule.Plan{Sync: hour}},
		{"unless its owner says so", core.Source{Connector: "files", Every: hour, ListEvery: 2 * hour}, can[:1], schedule.Plan{Sync: hour, List: 2 * hour}},
		{"access alone", core.Source{Connector: "wiki", AccessEvery: hour}, can, schedule.Plan{Access: hour}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Connector = tt.src.Connector
			if got := planOf(tt.src, tt.can); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestScheduleAt(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	src := core.Source{Name: "wiki", Connector: "wiki", Every: 15 * time.Minute}
	job := func(began time.Duration) core.Job {
		return core.Job{Source: "wiki", Kind: core.JobSync, Due: now.Add(5 * time.Minute), Started: now.Add(-began), Succeeded: now.Add(-began)}
	}
	failing := job(2 * time.Hour)
	failing.Attempts, failing.Error, failing.ErrorKind = 3, "down", core.KindUnavailable
	for _, tt := range []struct {
		name   string
		st     store.Status
		want   string // of the rows
		behind bool
	}{
		{"never read", store.Status{Source: src}, "is read: at the next look, every 15m\nfreshness: not read yet; the target is 30m\n", true},
		{"fresh", store.Status{Source: src, Jobs: []core.Job{job(10 * time.Minute)}, Checkpoint: now},
			"is read: in 5 min, every 15m\nfreshness: read 10 min ago, the target is 30m\nlast checkpoint: ", false},
		{"behind", store.Status{Source: src, Jobs: []core.Job{failing}},
			"is read: in 5 min, every 15m; failed 3 times in a row\nfreshness: behind: read 2 h 0 min ago, the target is 30m\n", true},
		{"read by hand since", store.Status{Source: src, Jobs: []core.Job{failing}, LastRun: &core.SyncRun{Started: now.Add(-time.Minute), Finished: now}},
			"is read: in 5 min, every 15m; failed 3 times in a row\nfreshness: read 1 min ago, the target is 30m\n", false},
		{"parked", store.Status{Source: core.Source{}, Failures: []store.Failed{{Parked: true}, {}}},
			"documents that are not tried again: 1; try them with: footnote sync SOURCE --retry\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := scheduleAt(tt.st, planOf(tt.st.Source, nil), now)
			var got strings.Builder
			for _, row := range v.rows(now) {
				got.WriteString(row[0] + ": " + row[1] + "\n")
			}
			if !strings.HasPrefix(got.String(), tt.want) || v.Behind != tt.behind {
				t.Errorf("behind %v, and says\n%s", v.Behind, got.String())
			}
		})
	}
}

func TestServeReadsSourcesThatAreDue(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(map[string]string{
		"docs/leave.md": "# Leave\n\nEvery employee has 28 days of annual leave.\n",
		"other/x.md":    "# Other\n\nNobody asked to read this.\n",
		"footnote.yaml": "sources:\n" +
			"  - {name: wiki, connector: files, access: workspace, every: 1h, config: {dir: docs}}\n" +
			"  - {name: idle, connector: files, access: workspace, config: {dir: other}}\n",
	})
	u.serving()
	eventually(t, "wiki is read", func() bool { return strings.Contains(u.run("search", "annual", "leave").out, "28 days") })
	if out := u.must("source", "show", "idle"); !strings.Contains(out, "never") {
		t.Errorf("a source without a schedule was read: %s", out)
	}
}
