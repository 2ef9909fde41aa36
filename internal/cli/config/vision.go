package config

// Vision is an OpenAI-compatible chat endpoint whose model sees pictures.
type Vision struct {
	BaseURL string `yaml:"base_url" help:"address of the endpoint, up to and with /v1"`
	Name    string `yaml:"name" help:"the name of a model that sees pictures, as the endpoint knows it"`
	APIKey  string `yaml:"api_key" secret:"true" help:"bearer key; may be empty for local servers"`
	Profile string `yaml:"profile" help:"what kind of server it is; guessed from the address if not set"`
}

// Configured tells whether pictures are to be described.
func (v Vision) Configured() bool { return v.BaseURL != "" || v.Name != "" }
