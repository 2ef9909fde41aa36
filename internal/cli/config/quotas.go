package config

import (
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// Quota is a limit on what may be asked of models; beyond it answers are quotes.
type Quota struct {
	Who             string  `yaml:"who" help:"what it is for: user, channel, model or all"`
	Name            string  `yaml:"name" help:"one person by address or account, one place by id, one model by name; each of them if not set"`
	QuestionsPerDay int     `yaml:"questions_per_day" help:"questions in a day; not limited if not set"`
	TokensPerDay    int     `yaml:"tokens_per_day" help:"tokens of context and reply in a day; not limited if not set"`
	CostPerMonth    float64 `yaml:"cost_per_month" help:"cost in a calendar month, in the currency of prices; for model and all with that of reading documents; not limited if not set"`
}

// quotaSubjects are what a limit may be for.
var quotaSubjects = []string{"user", "channel", "model", "all"}

func (c *Config) validatePrices() error {
	seen := map[string]bool{}
	for i, p := range c.Prices {
		switch {
		case strings.TrimSpace(p.Model) == "":
			return core.Errorf(core.KindConfig, "prices[%d]: it names no model; set model to the name that is asked for", i)
		case seen[p.Model]:
			return core.Errorf(core.KindConfig, "prices[%d]: %q has a price before; take one of them out", i, p.Model)
		case p.Input < 0 || p.Output < 0:
			return core.Errorf(core.KindConfig, "prices[%d]: a price of %q is below zero; what costs nothing has 0", i, p.Model)
		}
		seen[p.Model] = true
	}
	return nil
}

func (c *Config) validateQuotas() error {
	for i, q := range c.Quotas {
		wrong := func(format string, args ...any) error {
			return core.Errorf(core.KindConfig, "quotas[%d]: "+format, append([]any{i}, args...)...)
		}
		switch {
		case !slices.Contains(quotaSubjects, q.Who):
			return wrong("who: %q is none of %s", q.Who, strings.Join(quotaSubjects, ", "))
		case q.Who == "all" && q.Name != "":
			return wrong("name: %q has no meaning with who: all; take it out", q.Name)
		case q.QuestionsPerDay < 0 || q.TokensPerDay < 0 || q.CostPerMonth < 0:
			return wrong("a limit is below zero; take it out for none")
		case q.QuestionsPerDay == 0 && q.TokensPerDay == 0 && q.CostPerMonth == 0:
			return wrong("it limits nothing; set questions_per_day, tokens_per_day or cost_per_month")
		case q.CostPerMonth > 0 && len(c.Prices) == 0:
			return wrong("cost_per_month needs to know what models cost; list them under prices")
		}
	}
	return nil
}
