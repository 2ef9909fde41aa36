package eval

// Verdict is how a question went in comparison with before.
type Verdict string

// The verdicts.
const (
	Gained Verdict = "better" // what was expected and did not come does now
	Lost   Verdict = "worse"  // the other way round
	Higher Verdict = "higher" // it comes, and stands further up
	Lower  Verdict = "lower"
	Same   Verdict = "same"
	New    Verdict = "new" // was not asked before
)

// Change is one question, before and now.
type Change struct {
	Question string  `json:"question"`
	As       string  `json:"as,omitempty"`
	Verdict  Verdict `json:"verdict"`
	Before   *Seen   `json:"before,omitempty"`
	Now      Seen    `json:"now"`
}

// Seen is how a question went, in short.
type Seen struct {
	Rank     int    `json:"rank"`
	Answered *bool  `json:"in_context,omitempty"`
	First    string `json:"first,omitempty"` // id of the first document
}

// Comparison is two reports beside each other. Questions that are no longer asked
// are left out.
type Comparison struct {
	Compared int      `json:"compared"`
	Better   int      `json:"better"`
	Worse    int      `json:"worse"`
	Before   Figures  `json:"before"`
	Now      Figures  `json:"now"`
	Changes  []Change `json:"changes"` // those that are not the same
	Failed   bool     `json:"regression"`
}

// Figures are the figures of a report over all of its questions.
type Figures struct {
	Found    float64  `json:"found_at_k"`
	MRR      float64  `json:"mrr"`
	Answered *float64 `json:"in_context,omitempty"`
}

// Compare holds a report against an earlier one. It is a regression where a larger
// share of the compared questions than tolerate lost what they had, between 0 and 1.
// That others gained does not make up for it; a changed rank among the first K is
// told and counts as neither.
func Compare(before, now OwnReport, tolerate float64) Comparison {
	c := Comparison{Before: before.shares(), Now: now.shares(), Changes: []Change{}}
	earlier := map[string]Result{}
	for _, r := range before.Results {
		earlier[r.key()] = r
	}
	for _, r := range now.Results {
		change := Change{Question: r.Question.Question, As: r.As, Verdict: New, Now: r.seen()}
		if old, ok := earlier[r.key()]; ok {
			c.Compared++
			seen := old.seen()
			change.Before, change.Verdict = &seen, verdict(old, r)
		}
		switch change.Verdict {
		case Gained:
			c.Better++
		case Lost:
			c.Worse++
		}
		if change.Verdict != Same {
			c.Changes = append(c.Changes, change)
		}
	}
	c.Failed = float64(c.Worse) > tolerate*float64(c.Compared)
	return c
}

func (r OwnReport) shares() Figures { return Figures{r.Found, r.MRR, r.Answered} }

func (r Result) seen() Seen {
	s := Seen{Rank: r.Rank, Answered: r.Answered}
	if len(r.Found) > 0 {
		s.First = r.Found[0].ID
	}
	return s
}

// verdict judges by today's expectations where they changed.
func verdict(before, now Result) Verdict {
	lost := func(a, b Result) bool {
		gone := a.Rank > 0 && b.Rank == 0 && len(b.Expect) > 0
		return gone || a.Answered != nil && b.Answered != nil && *a.Answered && !*b.Answered
	}
	switch {
	case lost(before, now):
		return Lost // also where it gained something else
	case lost(now, before) || now.good() && !before.good():
		return Gained
	case before.Rank == 0 || now.Rank == 0 || before.Rank == now.Rank:
		return Same
	case now.Rank < before.Rank:
		return Higher
	}
	return Lower
}
