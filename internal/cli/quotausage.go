package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/quota"
	"github.com/footnote-bot/footnote/store"
)

func (inv *invocation) usageCommand() *cobra.Command {
	var since, by string
	var asJSON bool
	c := &cobra.Command{
		Use:   "usage",
		Short: "Say what questions used, and reading documents: tokens and cost",
		Long: `Say what questions used: tokens and cost by person, place, model or day, then what
reading documents used models for, and which quotas are reached. Days begin at midnight
of this machine's time zone (TZ). Cost is that of the calls whose price stands under
prices. It is kept for 400 days.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			from, err := momentOrDays("--since", since, time.Now())
			if err != nil {
				return err
			}
			if _, ok := usageKeys[by]; !ok {
				return badChoice("--by", by, "user", "place", "model", "day")
			}
			return inv.withFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.showUsage(ctx, a, from, by, asJSON)
			})
		},
	}
	c.Flags().StringVar(&since, "since", "30d", "from when on: a length of time such as 7d or 24h, or a date such as 2026-05-31")
	c.Flags().StringVar(&by, "by", "day", "user, place, model or day")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

// usageKeys are the columns of the ledger by what people call them.
var usageKeys = map[string]string{"user": "person", "place": "place", "model": "model", "day": ""}

// usageView is one line of usage as --json prints it.
type usageView struct {
	By        string  `json:"by"`
	Key       string  `json:"key"`
	Questions int     `json:"questions"`
	Calls     int     `json:"calls"`
	Tokens    int     `json:"tokens"`
	Cost      float64 `json:"cost"`
	Unpriced  int     `json:"unpriced"` // questions with a call whose price is not known; for reading such calls
	Model     string  `json:"model,omitempty"`
}

// usageLine leaves out what adding up floating point numbers leaves behind in a cost.
func usageLine(by string, u store.Usage) usageView {
	return usageView{by, u.Key, u.Questions, u.Calls, u.Tokens, math.Round(u.Cost*1e9) / 1e9, u.Unpriced, u.Model}
}

func (inv *invocation) showUsage(ctx context.Context, a *app, from time.Time, by string, asJSON bool) error {
	list, err := a.usageSince(ctx, from, by)
	if err != nil {
		return err
	}
	out := tabwriter.NewWriter(inv.streams.Out, 0, 0, 2, ' ', 0)
	switch {
	case asJSON:
	case len(list) == 0:
		fmt.Fprintf(out, "no questions since %s\n", from.In(time.Local).Format("2006-01-02 15:04 MST"))
	default:
		fmt.Fprintf(out, "%s\tquestions\tcalls\ttokens\tcost\n", by)
	}
	for _, u := range list {
		if asJSON {
			if err := inv.printJSON(usageLine(by, u)); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(out, "%s\t%d\t%d\t%d\t%s\n", console.Clean(usageName(by, u.Key)), u.Questions, u.Calls, u.Tokens, costWords(u.Cost, u.Unpriced, "question"))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := inv.showReading(ctx, a, from, asJSON); err != nil || asJSON {
		return err
	}
	return inv.showReached(ctx, a)
}

func usageName(by, key string) string {
	if key == "" && by == "model" {
		return "(quotes)"
	}
	return cmp.Or(key, "(unknown)")
}

func (a *app) usageSince(ctx context.Context, from time.Time, by string) ([]store.Usage, error) {
	to := quota.Day(a.store.Now(), time.Local).To
	if by != "day" {
		return a.store.UsageBy(ctx, store.UsageQuery{From: from, To: to}, cmp.Or(usageKeys[by], by))
	}
	var out []store.Usage
	for w := quota.Day(maxTime(from, to.AddDate(0, 0, -400)), time.Local); w.From.Before(to); w = quota.Day(w.To, time.Local) {
		u, err := a.store.Used(ctx, store.UsageQuery{From: maxTime(w.From, from), To: w.To})
		if err != nil {
			return nil, err
		}
		if u.Questions > 0 {
			u.Key = w.From.Format(time.DateOnly)
			out = append(out, u)
		}
	}
	return out, nil
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (inv *invocation) showReached(ctx context.Context, a *app) error {
	reached, err := a.reachedQuotas(ctx)
	for _, n := range reached {
		fmt.Fprintf(inv.streams.Out, "quota reached: %s, until %s\n", console.Clean(n.Key()), n.Window.To.Format("2006-01-02 15:04 MST"))
	}
	return err
}

// reachedQuotas are the limits that stop somebody at the moment. A limit that each
// person, place or model has is held against all who used anything.
func (a *app) reachedQuotas(ctx context.Context) ([]quota.Need, error) {
	now := a.store.Now()
	askers := map[quota.Who][]quota.Asker{quota.All: {{}}}
	month := quota.Month(now, time.Local)
	for who, key := range map[quota.Who]string{quota.User: "person", quota.Channel: "place", quota.Model: "model"} {
		used, err := a.store.UsageBy(ctx, store.UsageQuery{From: month.From, To: month.To, Reading: who == quota.Model}, key)
		if err != nil {
			return nil, err
		}
		for _, u := range used {
			one := quota.Asker{}
			switch who {
			case quota.User:
				one.Person = u.Key
			case quota.Channel:
				one.Place = u.Key
			default:
				one.Model = u.Key
			}
			askers[who] = append(askers[who], one)
		}
	}
	var out []quota.Need
	for _, l := range limitsOf(a.current().Quotas) {
		for _, one := range askers[l.Who] {
			for _, n := range quota.Needs([]quota.Limit{l}, one, now, time.Local) {
				if reached, err := a.reached(ctx, n); err != nil {
					return nil, err
				} else if reached {
					out = append(out, n)
				}
			}
		}
	}
	return out, nil
}

// checkQuotas is what doctor says of the limits.
func (a *app) checkQuotas(ctx context.Context) []check {
	quotas := a.current().Quotas
	if len(quotas) == 0 {
		return nil
	}
	k := check{Name: "quotas", Outcome: passed, Detail: counted(len(quotas), "quota") + ", none is reached"}
	reached, err := a.reachedQuotas(ctx)
	switch {
	case err != nil:
		k.Outcome, k.Detail = failed, err.Error()
	case len(reached) > 0:
		k.Outcome = warned
		k.Detail = fmt.Sprintf("%s reached, the first is: %s; %s until %s",
			counted(len(reached), "quota"), reached[0].Key(), a.whatStops(reached[0]), reached[0].Window.To.Format("2006-01-02 15:04 MST"))
		k.Fix = "footnote usage --by user says who used what; raise the limit under quotas in footnote.yaml, then: footnote reload"
	default:
		unpriced, err := a.unpriced(ctx)
		if err != nil {
			k.Outcome, k.Detail = failed, err.Error()
		} else if len(unpriced) > 0 {
			k.Outcome, k.Detail = warned, "no cost_per_month counts models without a price: "+strings.Join(unpriced, ", ")
			k.Fix = "list them under prices in footnote.yaml, with input: 0 where they cost nothing, then: footnote reload"
		}
	}
	return []check{k}
}

// unpriced are the models that were asked this month and have no price, and the
// embedding model if it has none, where a limit of money would count them.
func (a *app) unpriced(ctx context.Context) (names []string, err error) {
	cost, reading := a.limitsCost()
	if !cost {
		return nil, nil
	}
	month := quota.Month(a.store.Now(), time.Local)
	used, err := a.store.UsageBy(ctx, store.UsageQuery{From: month.From, To: month.To, Reading: reading}, "model")
	for _, u := range used {
		if u.Unpriced > 0 {
			names = append(names, u.Key)
		}
	}
	if e := a.cfg.Embeddings; reading && e.Configured() && !slices.Contains(names, e.Name) {
		names = append(names, e.Name)
	}
	// One that got its price later warns no longer.
	return slices.DeleteFunc(names, func(name string) bool {
		_, known := a.models.cost(name, core.Usage{})
		return known
	}), err
}

// whatStops is what a limit that is reached means. A model that only reads documents
// answers nobody.
func (a *app) whatStops(n quota.Need) string {
	cfg := a.current()
	reads := n.Model != "" && (n.Model == cfg.Embeddings.Name || n.Model == cfg.Retrieval.Contexts.Name)
	if reads && n.Model != cfg.Model.Name {
		return "passages wait for it"
	}
	if n.Reading() && n.Model == "" && (cfg.Embeddings.Configured() || cfg.Retrieval.Contexts.Configured()) {
		return "answers are quotes and passages wait"
	}
	return "answers are quotes"
}

// limitsCost tells whether a limit is one of money, and whether what reading documents
// costs counts for one.
func (a *app) limitsCost() (cost, reading bool) {
	for _, l := range limitsOf(a.current().Quotas) {
		if l.Cost > 0 {
			cost, reading = true, reading || l.Who == quota.All || l.Who == quota.Model
		}
	}
	return cost, reading
}
