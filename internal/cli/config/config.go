// Package config reads footnote.yaml and the environment. The struct Config is
// the one table of all keys: name, type, default, help and whether it is secret.
//
// Order of precedence: environment, then file, then default. A wrong key or
// value is an error of kind config that names the file, the line, the key and
// what would be right.
package config

import (
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Config is everything that footnote.yaml may say. Each key also exists as an
// environment variable: FOOTNOTE_ and the path in capitals joined by "_"; a
// secret one also with _FILE behind it, naming a file that holds the value.
type Config struct {
	DataDir    string     `yaml:"data_dir" help:"folder that holds everything Footnote remembers, and --data-dir wins; ./data if not set"`
	Model      Model      `yaml:"model" help:"the chat model; without it answers are quotes"`
	Embeddings Embeddings `yaml:"embeddings" help:"the model that makes vectors of passages and queries; without it search is by words only"`
	Vision     Vision     `yaml:"vision" help:"the model that describes pictures for search; without it they are found by name"`
	Members    Members    `yaml:"members" help:"who is a full member"`
	Curators   []string   `yaml:"curators" help:"who may say of sources that they are good, bad or to be hidden: addresses, or ids of accounts"`
	Sources    []Source   `yaml:"sources" help:"where documents come from"`
	HTTP       HTTP       `yaml:"http" help:"the HTTP interface of footnote serve"`
	Agents     []Agent    `yaml:"agents" help:"named sets of instructions, model, tools and knowledge"`
	Prices     []Price    `yaml:"prices" help:"what models cost, also those that embed and read documents"`
	Quotas     []Quota    `yaml:"quotas" help:"limits on what may be asked of models, beyond which answers are quotes"`
	Tokens     []Token    `yaml:"tokens" help:"who may use the HTTP interface"`

	Collections []Collection `yaml:"collections" help:"named rules over sources, folders and tags"`
	Places      []Place      `yaml:"places" help:"settings of channels and other places"`
	Grants      []Grant      `yaml:"grants" help:"collections that every reader of a place may know"`
	Canned      []Canned     `yaml:"canned" help:"answers that the owner wrote for certain questions"`
	Groups      []Group      `yaml:"groups" help:"groups of people, beside those that sources bring"`
	Index       Index        `yaml:"index" help:"where passages are searched"`
	Slack       []Slack      `yaml:"slack" help:"Slack workspaces to answer in"`
	Discord     []Discord    `yaml:"discord" help:"Discord applications to answer with"`
	Retrieval   Retrieval    `yaml:"retrieval" help:"what helps with searches: the chat model, a reranker"`
	Admin       Admin        `yaml:"admin" help:"the pages for those who run Footnote"`
	Admins      []string     `yaml:"admins" help:"who may sign in to the admin pages with a token, by e-mail address"`
	Digest      Digest       `yaml:"digest" help:"the regular word on what the documents do not tell"`
	Audit       Audit        `yaml:"audit" help:"the record of who learned what where"`
	Secrets     Secrets      `yaml:"secrets" help:"the key that encrypts secrets in the data folder"`

	Traces   Traces `yaml:"traces" help:"where OpenTelemetry traces go"`
	Serve    Serve  `yaml:"serve" help:"how footnote serve runs"`
	LogLevel string `yaml:"log_level" help:"least important log lines of footnote serve: debug, info, warn or error; warn if not set"`

	// File is the file that was read, "" if none.
	File string `yaml:"-"`

	path string            `yaml:"-"` // where the file was looked for
	sum  [sha256.Size]byte `yaml:"-"` // of what was read
}

// Model is one OpenAI-compatible chat endpoint.
type Model struct {
	BaseURL       string        `yaml:"base_url" help:"address of the endpoint, up to and with /v1"`
	Name          string        `yaml:"name" help:"the model's name as the endpoint knows it"`
	APIKey        string        `yaml:"api_key" secret:"true" help:"bearer key; may be empty for local servers"`
	ContextWindow int           `yaml:"context_window" help:"tokens the model takes in; 32768 if not set"`
	MaxOutput     int           `yaml:"max_output" help:"tokens an answer may have; 2048 if not set"`
	IdleTimeout   time.Duration `yaml:"idle_timeout" help:"longest silence between two pieces of a stream; 60s if not set"`
	Profile       string        `yaml:"profile" help:"what kind of server it is, such as openai, ollama, vllm; guessed from the address if not set"`
	Concurrency   int           `yaml:"concurrency" help:"calls at the same time; 8 if not set"`
	Fallback      []Fallback    `yaml:"fallback" help:"models to ask, in order, when this one does not answer"`
}

// Fallback is a model to ask when the first one does not answer. What is empty
// is taken from the first one.
type Fallback struct {
	BaseURL string `yaml:"base_url" help:"address of the endpoint"`
	Name    string `yaml:"name" help:"the model's name"`
	APIKey  string `yaml:"api_key" secret:"true" help:"bearer key"`
	Profile string `yaml:"profile" help:"what kind of server it is"`
}

// HTTP is the HTTP interface.
type HTTP struct {
	Listen string `yaml:"listen" help:"address and port; 127.0.0.1:8080 if not set"`
}

// Agent is a persona.
type Agent struct {
	Name          string   `yaml:"name" help:"unique name; default is used where none is named"`
	Instructions  string   `yaml:"instructions" help:"what the model is told, with {asker}, {place} and {date} filled in"`
	ReplacePrompt bool     `yaml:"replace_prompt" help:"the instructions are the whole system prompt"`
	Reminder      string   `yaml:"reminder" help:"repeated at the end of every context"`
	Model         string   `yaml:"model" help:"another model's name at the same endpoint"`
	Tools         []string `yaml:"tools" help:"names of the tools it may use; all if not set"`
	Sources       []string `yaml:"sources" help:"names of the sources it searches; all if not set"`
	ForceSearch   bool     `yaml:"force_search" help:"search before the first word of an answer"`
	Language      string   `yaml:"language" help:"language of answers, such as de; that of the question if not set"`
	Starters      []string `yaml:"starters" help:"questions to offer"`
}

// Price is what a model costs, in the currency of your choice for each million
// tokens.
type Price struct {
	Model  string  `yaml:"model" help:"the model's name"`
	Input  float64 `yaml:"input" help:"for a million tokens of context, or of texts that are embedded"`
	Output float64 `yaml:"output" help:"for a million tokens of reply"`
}

// Token is a bearer token of the HTTP interface.
type Token struct {
	As        string `yaml:"as" help:"e-mail address of the person it speaks for"`
	TokenHash string `yaml:"token_hash" help:"SHA-256 of the token in hexadecimal, as footnote token create --hash prints it"`
}

// Configured tells whether there is a model to ask.
func (m Model) Configured() bool { return m.BaseURL != "" || m.Name != "" || m.APIKey != "" }

// Members lists the full members of the team.
type Members struct {
	Domains []string `yaml:"domains" help:"e-mail domains whose people are full members"`
	Emails  []string `yaml:"emails" help:"single people who are full members"`
}

// Source is one configured source.
type Source struct {
	Name      string         `yaml:"name" help:"unique name: lower-case letters, digits, - and _"`
	Connector string         `yaml:"connector" help:"the connector program, such as files"`
	Config    map[string]any `yaml:"config" open:"true" help:"the connector's own settings"`
	Access    Access         `yaml:"access" help:"who may read documents whose connector leaves it open; nobody if not set, and workspace with the files connector"`
	Every     time.Duration  `yaml:"every" help:"how often to look for changes, such as 15m; only when asked if not set"`
	Show      string         `yaml:"show" help:"how its documents may be shown at most: link, number or nothing; never more than the place allows"`

	PruneEvery  time.Duration `yaml:"prune_every" help:"how often to list everything, to find out what is gone; where listing is cheap with every look, otherwise 24h if not set"`
	AccessEvery time.Duration `yaml:"access_every" help:"how often to ask who may read what, where the connector tells that by itself; 15m if not set"`
	FreshWithin time.Duration `yaml:"fresh_within" help:"how old what is known may become before status and doctor say so; twice every if not set"`

	// AllowTools names tools that change something.
	AllowTools []string      `yaml:"allow_tools" help:"tools of the connector that may change something, after a person was asked; none if not set"`
	MaxAge     time.Duration `yaml:"access_max_age" help:"how long stated access is trusted without being stated again; 24h if not set, at most 168h"`

	Line int `yaml:"-"` // where it stands in the file, for messages
}

// Access is a list of principals; one string may stand for a list of one.
type Access []string

// Core turns the listed source into the vocabulary's form. Errors are of kind
// config and name the source.
func (s Source) Core() (core.Source, error) {
	raw, err := json.Marshal(s.Config)
	if err != nil {
		return core.Source{}, core.Errorf(core.KindConfig, "source %q: config cannot be written as JSON: %w", s.Name, err)
	}
	if s.Config == nil {
		raw = json.RawMessage("{}")
	}
	access, err := s.access()
	if err != nil {
		return core.Source{}, err
	}
	discretion, err := ParseShow(s.Show)
	if err != nil {
		return core.Source{}, core.Errorf(core.KindConfig, "source %q: show: %w", s.Name, err)
	}
	if s.MaxAge > core.LongestMaxAge {
		return core.Source{}, core.Errorf(core.KindConfig, "source %q: access_max_age: %s is too long; at most %s", s.Name, s.MaxAge, core.LongestMaxAge)
	}
	return core.Source{
		Name: s.Name, Connector: s.Connector, Config: raw,
		Access: access, Every: s.Every, Origin: core.FromConfig,
		Discretion: discretion, MaxAge: s.MaxAge,
		ListEvery: s.PruneEvery, AccessEvery: s.AccessEvery, FreshWithin: s.FreshWithin,
	}, nil
}

// ParseShow reads how a source may be shown at most.
func ParseShow(s string) (core.Discretion, error) {
	switch s {
	case "", "link":
		return core.ShowAsPlace, nil
	case "number":
		return core.NumberOnly, nil
	case "nothing":
		return core.NeverShown, nil
	}
	return 0, core.Errorf(core.KindInvalid, "%q is none of link, number and nothing", s)
}

func (s Source) access() (core.Access, error) {
	var all []core.Principal
	for _, one := range s.Access {
		parsed, err := core.ParseAccess(one)
		if err != nil {
			return nil, core.Errorf(core.KindConfig, "source %q: access: %w", s.Name, err)
		}
		all = append(all, parsed...)
	}
	return core.NewAccess(all...), nil
}
