package cli

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/quota"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/store"
)

// limited holds the questions of an answerer to the owner's quotas, and notes what
// each used. A question beyond a quota is answered with quotes, which cost nothing;
// one that runs is never cut off for it.
type limited struct {
	bot.Answerer
	app *app
}

// Answer answers, and has noted what that used when it returns: the next question
// counts it.
func (k limited) Answer(ctx context.Context, q core.Question, emit func(core.Event)) (core.Turn, error) {
	stop, err := k.app.quotaStop(ctx, q)
	if err != nil {
		return core.Turn{}, err
	}
	q.Quota = stop
	t, err := k.Answerer.Answer(ctx, q, emit)
	k.app.noteSpent(context.WithoutCancel(ctx), q, t)
	return t, err
}

// quotaStop is the first limit that leaves nothing for the question; nil if none does.
func (a *app) quotaStop(ctx context.Context, q core.Question) (*core.QuotaStop, error) {
	if a.models.first == nil {
		return nil, nil
	}
	for _, n := range a.needsOf(a.askerOf(q)) {
		if reached, err := a.reached(ctx, n); err != nil {
			return nil, err
		} else if reached {
			a.meters.writing.Go(func() { a.tellQuota(context.WithoutCancel(ctx), n) })
			return &core.QuotaStop{Who: string(n.Who), Until: n.Window.To}, nil
		}
	}
	return nil, nil
}

func (a *app) needsOf(asker quota.Asker) []quota.Need {
	return quota.Needs(limitsOf(a.current().Quotas), asker, a.store.Now(), time.Local)
}

func (a *app) reached(ctx context.Context, n quota.Need) (bool, error) {
	u, err := a.store.Used(ctx, usageQuery(n))
	return err == nil && n.Reached(quota.Used{Questions: u.Questions, Tokens: u.Tokens, Cost: u.Cost}), err
}

func usageQuery(n quota.Need) store.UsageQuery {
	return store.UsageQuery{From: n.Window.From, To: n.Window.To, Person: n.Person, Place: n.Place, Model: n.Model, Reading: n.Reading()}
}

func limitsOf(list []config.Quota) []quota.Limit {
	var out []quota.Limit
	for _, q := range list {
		out = append(out, quota.Limit{
			Who: quota.Who(q.Who), Name: strings.TrimSpace(q.Name),
			Questions: q.QuestionsPerDay, Tokens: q.TokensPerDay, Cost: q.CostPerMonth,
		})
	}
	return out
}

// askerOf is who asks, under the names by which usage is kept.
func (a *app) askerOf(q core.Question) quota.Asker {
	out := quota.Asker{Person: cmp.Or(strings.ToLower(q.Viewer.Email), q.Viewer.Account), Account: q.Viewer.Account, Place: q.Place.ID}
	if q.Viewer.Operator {
		out.Person = cmp.Or(out.Person, operatorName)
	}
	if a.models.first != nil {
		out.Model = cmp.Or(q.Agent.Model, a.models.first.Name)
	}
	return out
}

// noteSpent keeps what a turn used. Where that fails, the quotas count too little and
// the log says so; the answer is there.
func (a *app) noteSpent(ctx context.Context, q core.Question, t core.Turn) {
	ctx, cancel := context.WithTimeout(ctx, outcomePatience)
	defer cancel()
	asker := a.askerOf(q)
	row := store.Spent{Turn: cmp.Or(t.ID, q.TurnID), At: a.store.Now(), Person: asker.Person, Place: asker.Place}
	if row.Turn == "" {
		return // nothing began
	}
	rows := []store.Spent{row}
	if trace, err := agent.ParseTrace(t.Trace); err == nil && len(trace.Models) > 0 {
		rows = spentOf(row, usageOf(trace.Models), append(a.modelNames(), asker.Model))
	}
	if err := a.store.PutSpent(ctx, rows...); err != nil {
		a.log.Error("what a question used was not counted; quotas count too little", "turn_id", row.Turn, "error", err)
	}
}

// spentOf gives each model of a turn its row, under the name that the configuration
// has for it.
func spentOf(row store.Spent, used []store.ModelUsage, configured []string) []store.Spent {
	var out []store.Spent
	for _, u := range used {
		row.Model, row.Calls, row.Tokens = quota.ModelName(u.Model, configured), u.Calls, u.PromptTokens+u.OutputTokens
		row.Cost = nil
		if cost := u.Cost; u.Unpriced < u.Calls {
			row.Cost = &cost
		}
		out = append(out, row)
	}
	return out
}

// modelNames are the names that the configuration has for models.
func (a *app) modelNames() []string {
	cfg := a.current()
	names := []string{cfg.Model.Name}
	for _, f := range cfg.Model.Fallback {
		names = append(names, f.Name)
	}
	for _, p := range cfg.Prices {
		names = append(names, p.Model)
	}
	for _, q := range cfg.Quotas {
		if q.Who == string(quota.Model) {
			names = append(names, q.Name)
		}
	}
	return names
}

// quotaNote begins the ledger's notes of which limits were told of.
const quotaNote = "quota_told "

// tellQuota tells those who run Footnote, once for each limit and day or month: in the
// log, in the audit, and in the digest's channel, where no person is named.
func (a *app) tellQuota(ctx context.Context, n quota.Need) {
	ctx, cancel := context.WithTimeout(ctx, outcomePatience)
	defer cancel()
	until := n.Window.To.UTC().Format(time.RFC3339)
	// The note holds for months; the event is for two questions at the same moment.
	if noted, err := a.store.Note(ctx, quotaNote+n.Key()); err != nil || noted == until {
		return
	}
	first, err := a.store.FirstSeen(ctx, quotaNote+n.Key()+" "+until, a.store.Now())
	if err != nil || !first || a.store.SetNote(ctx, quotaNote+n.Key(), until) != nil {
		return
	}
	a.log.WarnContext(ctx, "a quota is reached: models are not asked until it ends", "quota", n.Key(), "until", until)
	if err := a.audit(ctx, core.AuditConfig, map[string]string{"quota reached": n.Key(), "until": until}); err != nil {
		a.log.WarnContext(ctx, "that a quota is reached was not noted in the audit", "error", err)
	}
	if err := a.announceQuota(ctx, n, until); err != nil {
		a.log.WarnContext(ctx, "that a quota is reached was not posted to digest.place", "kind", core.KindOf(err), "error", err)
	}
}

func (a *app) announceQuota(ctx context.Context, n quota.Need, until string) error {
	to := a.current().Digest.Place
	if to == "" {
		return nil
	}
	platform, rest, _ := strings.Cut(to, ":")
	team, channel, _ := strings.Cut(rest, "/")
	board, err := a.announcer(platform)
	if err != nil {
		return err
	}
	subject := map[quota.Who]string{
		quota.User: "One person", quota.Channel: "One channel", quota.Model: "A language model", quota.All: "This install",
	}[n.Who]
	return board.Announce(ctx, team, channel, subject+" has reached a quota. Until "+until+" answers there are quotes only. `footnote usage` shows more.")
}
