package config

import "github.com/footnote-bot/footnote/core"

// Embeddings is an OpenAI-compatible endpoint that makes vectors of texts.
type Embeddings struct {
	BaseURL       string  `yaml:"base_url" help:"address of the endpoint, up to and with /v1"`
	Name          string  `yaml:"name" help:"the embedding model's name as the endpoint knows it"`
	APIKey        string  `yaml:"api_key" secret:"true" help:"bearer key; may be empty for local servers"`
	Profile       string  `yaml:"profile" help:"what kind of server it is; guessed from the address if not set"`
	Dimensions    int     `yaml:"dimensions" help:"length of its vectors, to be sure of it; what comes if not set"`
	KeywordShare  float64 `yaml:"keyword_share" help:"how much words count beside vectors, above 0 and up to 1; 0.75 if not set"`
	QueryPrefix   string  `yaml:"query_prefix" help:"what the model wants before a query, such as \"query: \""`
	PassagePrefix string  `yaml:"passage_prefix" help:"what the model wants before a passage, such as \"passage: \""`
	Batch         int     `yaml:"batch" help:"passages in a request; 32 if not set"`
	Concurrency   int     `yaml:"concurrency" help:"requests for passages at the same time; 2 if not set"`
}

// Configured tells whether there is a model to ask.
func (e Embeddings) Configured() bool { return e.BaseURL != "" || e.Name != "" || e.APIKey != "" }

func (c *Config) validateEmbeddings() error {
	e := c.Embeddings
	if e.KeywordShare < 0 || e.KeywordShare > 1 {
		return core.Errorf(core.KindConfig, "embeddings.keyword_share: %g is not between 0 and 1", e.KeywordShare)
	}
	for key, n := range map[string]int{"dimensions": e.Dimensions, "batch": e.Batch, "concurrency": e.Concurrency} {
		if n < 0 {
			return core.Errorf(core.KindConfig, "embeddings.%s: %d is below 0", key, n)
		}
	}
	if !e.Configured() {
		return nil
	}
	if e.BaseURL == "" || e.Name == "" {
		return core.Errorf(core.KindConfig,
			"embeddings need both embeddings.base_url and embeddings.name (or FOOTNOTE_EMBEDDINGS_BASE_URL and FOOTNOTE_EMBEDDINGS_NAME); remove all embeddings keys to search by words only")
	}
	return checkURL("embeddings.base_url", e.BaseURL)
}
