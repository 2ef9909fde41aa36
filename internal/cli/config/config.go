// Package config reads footnote.yaml and the environment. The struct Config is
// the one table of all keys: name, type, default, help and whether it is secret.
//
// Order of precedence: environment, then file, then default. A wrong key or
// value is an error of kind config that names the file, the line, the key and
// what would be right.
package config

import (
	"encoding/json"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Config is everything that footnote.yaml may say. Each key also exists as an
// environment variable: FOOTNOTE_ and the path in capitals joined by "_"; a
// secret one also with _FILE behind it, naming a file that holds the value.
type Config struct {
	DataDir string   `yaml:"data_dir" help:"folder that holds everything Footnote remembers"`
	Model   Model    `yaml:"model" help:"the chat model; without it answers are quotes"`
	Members Members  `yaml:"members" help:"who is a full member"`
	Sources []Source `yaml:"sources" help:"where documents come from"`

	// File is the file that was read, "" if none.
	File string `yaml:"-"`
}

// Model is one OpenAI-compatible chat endpoint.
type Model struct {
	BaseURL       string        `yaml:"base_url" help:"address of the endpoint, up to and with /v1"`
	Name          string        `yaml:"name" help:"the model's name as the endpoint knows it"`
	APIKey        string        `yaml:"api_key" secret:"true" help:"bearer key; may be empty for local servers"`
	ContextWindow int           `yaml:"context_window" help:"tokens the model takes in; 32768 if not set"`
	MaxOutput     int           `yaml:"max_output" help:"tokens an answer may have; 2048 if not set"`
	IdleTimeout   time.Duration `yaml:"idle_timeout" help:"longest silence between two pieces of a stream; 60s if not set"`
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
	Access    Access         `yaml:"access" help:"who may read documents whose connector leaves it open"`
	Every     time.Duration  `yaml:"every" help:"how often to look for changes, such as 15m"`

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
	return core.Source{
		Name: s.Name, Connector: s.Connector, Config: raw,
		Access: access, Every: s.Every, Origin: core.FromConfig,
	}, nil
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
