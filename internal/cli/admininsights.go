package cli

import (
	"context"
	"time"

	"github.com/footnote-bot/footnote/bot/adminpages"
	"github.com/footnote-bot/footnote/core/gaps"
	"github.com/footnote-bot/footnote/store"
)

const (
	shownGroups  = 60
	shownInGroup = 12
	shownVotes   = 200
)

// askedSince are the questions of a time with what is needed to find gaps.
func (a *app) askedSince(ctx context.Context, since time.Time) ([]gaps.Question, map[string]store.Asked, error) {
	all, err := a.store.Asked(ctx, store.AskedQuery{Since: since})
	byID := make(map[string]store.Asked, len(all))
	var out []gaps.Question
	for _, one := range all {
		byID[one.TurnID] = one
		out = append(out, gaps.Question{
			TurnID: one.TurnID, Text: one.Question, At: one.At, Place: one.Place, Class: one.Class,
			Outcome: one.Outcome, Coverage: one.Coverage, Down: one.Down, Help: one.Help,
		})
	}
	return out, byID, err
}

// Gaps is what the documents do not tell.
func (d *adminData) Gaps(ctx context.Context, since time.Time) (adminpages.GapsPage, error) {
	asked, byID, err := d.askedSince(ctx, since)
	if err != nil {
		return adminpages.GapsPage{}, err
	}
	digest := gaps.DigestFor(asked, gaps.Reader{})
	v := adminpages.GapsPage{Asked: digest.Asked, Hidden: digest.Hidden, Gaps: digest.Hidden, Reasons: sortedCounts(digest.Reasons)}
	for i, g := range digest.Groups {
		v.Gaps += len(g.Questions)
		if i >= shownGroups {
			continue
		}
		group := adminpages.GapGroup{Terms: g.Terms, N: len(g.Questions), Reasons: sortedCounts(g.Reasons)}
		for _, q := range g.Questions[:min(len(g.Questions), shownInGroup)] {
			group.Questions = append(group.Questions, shownQuestion(byID[q.TurnID]))
		}
		v.Groups = append(v.Groups, group)
	}
	return v, nil
}

// Feedback is what people think of answers. Why somebody was not content with an
// answer that only they read tells of it, and is left out.
func (d *adminData) Feedback(ctx context.Context, since time.Time) (adminpages.FeedbackPage, error) {
	var v adminpages.FeedbackPage
	votes, err := d.store.VotesSince(ctx, since, shownVotes)
	if err != nil {
		return v, err
	}
	for _, one := range votes {
		row := adminpages.VoteRow{At: one.Vote.At, Who: one.Account, Up: one.Vote.Up, Reason: one.Reason, QuestionRow: shownQuestion(one.Asked)}
		if row.Private && row.Reason != "" {
			row.Reason = "given in private"
		}
		if row.Up {
			v.Up++
		} else {
			v.Down++
		}
		v.Votes = append(v.Votes, row)
	}
	help, err := d.store.HelpSince(ctx, since, shownVotes)
	if err != nil {
		return v, err
	}
	for _, one := range help {
		v.Help = append(v.Help, adminpages.HelpRow{Opened: one.Opened, Resolved: one.Resolved, By: one.By, QuestionRow: shownQuestion(one.Asked)})
	}
	hidden, err := d.store.HiddenDocuments(ctx)
	for _, h := range hidden {
		v.Hidden = append(v.Hidden, adminpages.DocumentRow{ID: adminpages.ID(h.Document), Readers: h.Account, Updated: h.At})
	}
	return v, err
}

// Usage is what Footnote was used for, day by day.
func (d *adminData) Usage(ctx context.Context, since time.Time) (adminpages.UsagePage, error) {
	var v adminpages.UsagePage
	outcomes, err := d.store.Outcomes(ctx, since)
	if err != nil {
		return v, err
	}
	used, err := d.store.ModelUsages(ctx, since)
	if err != nil {
		return v, err
	}
	reading, err := d.store.UsageBy(ctx, store.UsageQuery{From: since, To: d.store.Now().Add(24 * time.Hour)}, "purpose")
	if err != nil {
		return v, err
	}
	for _, u := range reading {
		v.Reading = append(v.Reading, adminpages.ReadingRow{Purpose: u.Key, Model: u.Model, Calls: u.Calls, Tokens: u.Tokens, Cost: u.Cost, UnpricedOnly: u.Calls == u.Unpriced})
	}
	v.ByWay = countBy(outcomes, func(o store.DayOutcomes) string { return o.Outcome })
	v.ByPlace = countBy(outcomes, func(o store.DayOutcomes) string { return o.Platform })
	byDay := map[string]*adminpages.UsageDay{}
	for day := since.UTC(); !day.After(d.store.Now()); day = day.AddDate(0, 0, 1) {
		v.Days = append(v.Days, adminpages.UsageDay{Day: day.Format(time.DateOnly)})
	}
	for i := range v.Days {
		byDay[v.Days[i].Day] = &v.Days[i]
	}
	took := map[string]int64{}
	for _, o := range outcomes {
		one, ok := byDay[o.Day]
		if !ok {
			continue // the clock was set
		}
		one.Questions += o.Turns
		took[o.Day] += o.TookMS
		switch o.Outcome {
		case gaps.Failed:
			one.Failed += o.Turns
		case gaps.Unanswered, gaps.Unsourced:
			one.Gaps += o.Turns
		}
	}
	for day, ms := range took {
		if one := byDay[day]; one.Questions > 0 {
			one.MeanMS = ms / int64(one.Questions)
		}
	}
	v.Models, v.Unpriced = modelRows(used, byDay)
	for _, one := range v.Days {
		v.Total.Questions += one.Questions
		v.Total.Gaps += one.Gaps
		v.Total.Failed += one.Failed
		v.Total.Tokens += one.Tokens
		v.Total.Cost += one.Cost
	}
	v.Priced = v.Total.Cost > 0
	return v, nil
}

// modelRows adds up by model, and tokens and cost by day. It also tells how many
// calls have no known price.
func modelRows(used []store.ModelUsage, byDay map[string]*adminpages.UsageDay) ([]adminpages.ModelRow, int) {
	var out []adminpages.ModelRow
	at, priced, unpriced := map[string]int{}, map[string]bool{}, 0
	for _, u := range used {
		if day, ok := byDay[u.Day]; ok {
			day.Tokens += u.PromptTokens + u.OutputTokens
			day.Cost += u.Cost
		}
		i, ok := at[u.Model]
		if !ok {
			i = len(out)
			at[u.Model] = i
			out = append(out, adminpages.ModelRow{Model: u.Model})
		}
		m := &out[i]
		m.Calls += u.Calls
		m.Failed += u.Failed
		m.In += u.PromptTokens
		m.Out += u.OutputTokens
		m.Cost += u.Cost
		priced[u.Model] = priced[u.Model] || u.Calls > u.Unpriced
		unpriced += u.Unpriced
	}
	for i := range out {
		out[i].UnpricedOnly = !priced[out[i].Model]
	}
	return out, unpriced
}
