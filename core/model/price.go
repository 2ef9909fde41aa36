package model

import "github.com/footnote-bot/footnote/core"

// Price is what a million tokens cost, in any currency.
type Price struct {
	In, Out float64
}

// Cost is the price of the tokens used, in the price's currency. Counts below
// zero, which a faulty server may report, cost nothing.
func (p Price) Cost(u core.Usage) float64 {
	const million = 1e6
	return (float64(max(u.PromptTokens, 0))*p.In + float64(max(u.CompletionTokens, 0))*p.Out) / million
}
