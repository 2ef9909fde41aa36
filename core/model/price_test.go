package model_test

import (
	"math"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
)

func TestCost(t *testing.T) {
	for _, row := range []struct {
		price model.Price
		usage core.Usage
		want  float64
	}{
		{model.Price{In: 2.5, Out: 10}, core.Usage{PromptTokens: 1_000_000, CompletionTokens: 100_000}, 3.5},
		{model.Price{In: 2.5, Out: 10}, core.Usage{PromptTokens: 1200, CompletionTokens: 300}, 0.006},
		{model.Price{}, core.Usage{PromptTokens: 1200, CompletionTokens: 300}, 0},
		{model.Price{In: 1, Out: 1}, core.Usage{PromptTokens: -5, CompletionTokens: 1_000_000}, 1},
	} {
		if got := row.price.Cost(row.usage); math.Abs(got-row.want) > 1e-12 {
			t.Errorf("%+v at %+v: got %v, want %v", row.usage, row.price, got, row.want)
		}
	}
}
