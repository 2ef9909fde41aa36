package config

import "github.com/footnote-bot/footnote/core"

// Contexts is an OpenAI-compatible chat endpoint whose model places passages in their
// documents.
type Contexts struct {
	BaseURL string `yaml:"base_url" help:"address of the endpoint, up to and with /v1"`
	Name    string `yaml:"name" help:"the model's name as the endpoint knows it; a small one will do"`
	APIKey  string `yaml:"api_key" secret:"true" help:"bearer key; may be empty for local servers"`
	Profile string `yaml:"profile" help:"what kind of server it is; guessed from the address if not set"`

	DocumentTokens int `yaml:"document_tokens" help:"tokens of a document that the model is shown; of a longer one its headings and the part around the passage; 6000 if not set"`
	PerDay         int `yaml:"per_day" help:"calls in a day, in UTC; not limited if not set"`
	Concurrency    int `yaml:"concurrency" help:"calls at the same time; 2 if not set"`
}

// Configured tells whether there is a model to ask.
func (c Contexts) Configured() bool { return c.BaseURL != "" || c.Name != "" || c.APIKey != "" }

func (c Contexts) validate() error {
	for _, one := range []struct {
		key string
		n   int
	}{{"document_tokens", c.DocumentTokens}, {"per_day", c.PerDay}, {"concurrency", c.Concurrency}} {
		if one.n < 0 {
			return core.Errorf(core.KindConfig, "retrieval.contexts.%s: %d is below 0", one.key, one.n)
		}
	}
	if !c.Configured() {
		return nil
	}
	if c.BaseURL == "" || c.Name == "" {
		return core.Errorf(core.KindConfig,
			"retrieval.contexts needs both base_url and name (or FOOTNOTE_RETRIEVAL_CONTEXTS_BASE_URL and FOOTNOTE_RETRIEVAL_CONTEXTS_NAME); remove all its keys to index passages without a context")
	}
	return checkURL("retrieval.contexts.base_url", c.BaseURL)
}
