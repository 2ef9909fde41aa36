package config

import (
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// Retrieval is how the chat model helps with searches.
type Retrieval struct {
	Planning  string `yaml:"planning" help:"whether the chat model plans searches: auto (where a question is not simple), always or off; auto if not set"`
	Selection string `yaml:"selection" help:"whether the chat model chooses among what was found: auto (where not all of it fits), always or off; auto if not set"`
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
	return nil
}
