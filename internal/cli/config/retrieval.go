package config

import (
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// Retrieval is what helps with searches beside words and vectors.
type Retrieval struct {
	Planning  string `yaml:"planning" help:"whether the chat model plans searches: auto (where a question is not simple), always or off; auto if not set"`
	Selection string `yaml:"selection" help:"whether the chat model chooses among what was found: auto (where not all of it fits), always or off; auto if not set"`

	MinScore float64 `yaml:"min_score" help:"least share of a question's words, weighed by their rarity, that a passage must cover to be found, from 0 to 1; what only its vector finds covers none, and 0 leaves nothing out; 0 if not set"`
	Rerank   Rerank  `yaml:"rerank" help:"a server that puts what was found in a better order"`

	Contexts Contexts `yaml:"contexts" help:"a chat model that says of each passage where it stands in its document, for search; nobody is shown it"`
}

// helps are how often the model may be asked.
var helps = []string{"auto", "always", "off"}

func (c *Config) validateRetrieval() error {
	for _, one := range []struct{ key, value string }{
		{"planning", c.Retrieval.Planning}, {"selection", c.Retrieval.Selection},
	} {
		if one.value != "" && !slices.Contains(helps, one.value) {
			return core.Errorf(core.KindConfig, "retrieval.%s: %q is none of %s", one.key, one.value, strings.Join(helps, ", "))
		}
	}
	if m := c.Retrieval.MinScore; !(m >= 0 && m <= 1) {
		return core.Errorf(core.KindConfig, "retrieval.min_score: %g is not between 0 and 1", m)
	}
	if err := c.Retrieval.Contexts.validate(); err != nil {
		return err
	}
	return c.Retrieval.Rerank.validate()
}
