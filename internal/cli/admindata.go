package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/bot/adminpages"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store"
)

// adminData is what the admin pages show and do.
type adminData struct {
	*app
	ctx     context.Context // of the syncs that pages start
	started time.Time
	work    sync.WaitGroup

	mu      sync.Mutex
	syncing map[string]bool // sources that pages are about to read, by name
}

func newAdminData(ctx context.Context, a *app) *adminData {
	return &adminData{app: a, ctx: ctx, started: a.store.Now(), syncing: map[string]bool{}}
}

// wait returns when the syncs that pages started have ended.
func (d *adminData) wait() { d.work.Wait() }

// Overview is how everything is doing.
func (d *adminData) Overview(ctx context.Context) (adminpages.Overview, error) {
	counts, err := d.store.Counts(ctx)
	if err != nil {
		return adminpages.Overview{}, err
	}
	v := adminpages.Overview{
		Version: thisBuild().String(), Started: d.started, Documents: counts.Documents, Passages: counts.Passages, Backlog: counts.NotIndexed,
	}
	if v.Sources, err = d.Sources(ctx); err != nil {
		return v, err
	}
	today := d.store.Now().UTC().Truncate(24 * time.Hour)
	outcomes, err := d.store.Outcomes(ctx, today)
	if err != nil {
		return v, err
	}
	v.Today = countBy(outcomes, func(o store.DayOutcomes) string { return o.Outcome })
	for _, o := range outcomes {
		v.Questions += o.Turns
	}
	used, err := d.store.ModelUsages(ctx, today)
	if err != nil {
		return v, err
	}
	for _, u := range used {
		v.Cost += u.Cost
		v.Unpriced = v.Unpriced || u.Unpriced > 0
		v.Priced = v.Priced || u.Calls > u.Unpriced
	}
	v.Platforms = d.platformStates()
	for _, k := range d.quickChecks(ctx) {
		v.Checks = append(v.Checks, adminpages.Check{Name: k.Name, Outcome: k.Outcome, Detail: adminpages.Long(k.Detail), Fix: adminpages.Long(k.Fix)})
	}
	return v, nil
}

// quickChecks are those of the doctor that ask nobody outside and start nothing.
func (d *adminData) quickChecks(ctx context.Context) []check {
	out := []check{d.checkConfig(), d.checkFolder(), d.checkLedger(ctx)}
	out = append(out, d.checkPlugins()...)
	out = append(out, d.checkLists(ctx)...)
	return append(out, d.checkModel(ctx))
}

// platformStates tells whether the chat platforms are connected.
func (d *adminData) platformStates() []adminpages.Check {
	var out []adminpages.Check
	add := func(name string, up bool, since time.Time, queued, answers int) {
		k := adminpages.Check{Name: name, Outcome: passed, Detail: adminpages.Long(fmt.Sprintf("%d events wait, %d answers are being written", queued, answers))}
		if !up {
			k.Outcome, k.Fix = failed, "the log says why; footnote doctor looks closer"
			k.Detail = "not connected"
		}
		if !since.IsZero() {
			k.Detail += adminpages.Long(", since " + since.UTC().Format(time.DateTime) + " UTC")
		}
		out = append(out, k)
	}
	if b := d.inSlack.Load(); b != nil {
		for _, s := range b.States() {
			add("Slack "+s.Name, slackUp(s), s.Socket.Since, s.Queued, s.Answers)
		}
	}
	if b := d.inDiscord.Load(); b != nil {
		for _, s := range b.States() {
			add("Discord "+s.Name, s.Gateway.Connected, s.Gateway.Since, s.Queued, s.Answers)
		}
	}
	return out
}

// countBy adds up turns by a name, the most first.
func countBy(outcomes []store.DayOutcomes, name func(store.DayOutcomes) string) []adminpages.Count {
	sums := map[string]int{}
	for _, o := range outcomes {
		sums[name(o)] += o.Turns
	}
	return sortedCounts(sums)
}

func sortedCounts[K ~string](sums map[K]int) []adminpages.Count {
	var out []adminpages.Count
	for _, k := range slices.Sorted(maps.Keys(sums)) {
		out = append(out, adminpages.Count{Name: string(k), N: sums[k]})
	}
	slices.SortStableFunc(out, func(a, b adminpages.Count) int { return b.N - a.N })
	return out
}

// Audit lists entries, newest first, and writes down who looked.
func (d *adminData) Audit(ctx context.Context, by string, q adminpages.AuditQuery) ([]core.AuditEntry, error) {
	list, err := d.store.LatestAudit(ctx, store.AuditQuery{
		Since: q.Since, Until: q.Until, Actor: q.Actor, Place: q.Place, Document: q.Document, Action: q.Action, TurnID: q.Turn, Limit: 100,
	}, q.Before)
	if err != nil {
		return nil, err
	}
	detail, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	return list, d.store.Audit(ctx, core.AuditEntry{
		Action: core.AuditExport, Actor: by, Detail: map[string]string{"entries": fmt.Sprint(len(list)), "asked_for": string(detail)},
	})
}

// readersText says in a few words who may read.
func readersText(a core.Access) string {
	if len(a) == 0 {
		return "nobody"
	}
	const most = 4
	names := make([]string, 0, most)
	for _, p := range a[:min(len(a), most)] {
		names = append(names, string(p))
	}
	text := strings.Join(names, ", ")
	if len(a) > most {
		text += fmt.Sprintf(" and %d more", len(a)-most)
	}
	return text
}
