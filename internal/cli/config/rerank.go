package config

import "github.com/footnote-bot/footnote/core"

// Rerank is a server with a /rerank endpoint as Cohere, Jina, vLLM and TEI have it.
type Rerank struct {
	BaseURL string `yaml:"base_url" help:"address of the endpoint, up to but without /rerank"`
	Name    string `yaml:"name" help:"the reranking model's name as the endpoint knows it"`
	APIKey  string `yaml:"api_key" secret:"true" help:"bearer key; may be empty for local servers"`
}

// Configured tells whether there is a reranker to ask.
func (r Rerank) Configured() bool { return r.BaseURL != "" || r.Name != "" || r.APIKey != "" }

func (r Rerank) validate() error {
	if !r.Configured() {
		return nil
	}
	if r.BaseURL == "" || r.Name == "" {
		return core.Errorf(core.KindConfig,
			"retrieval.rerank needs both base_url and name (or FOOTNOTE_RETRIEVAL_RERANK_BASE_URL and FOOTNOTE_RETRIEVAL_RERANK_NAME); remove all its keys to search without a reranker")
	}
	return checkURL("retrieval.rerank.base_url", r.BaseURL)
}
