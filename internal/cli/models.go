package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// models are the language models of the configuration: the default one with its
// fallbacks, and those that agents name at the same endpoint, made when needed.
type models struct {
	app   *app
	first *agent.Setup       // nil without a model
	known model.Capabilities // of the default model, as doctor model found them

	mu   sync.Mutex
	made map[string]agent.Setup
}

func (a *app) openModels(ctx context.Context) (*models, error) {
	m := &models{app: a, made: map[string]agent.Setup{}}
	if !a.cfg.Model.Configured() {
		return m, nil
	}
	var err error
	if m.known, err = a.capabilities(ctx); err != nil {
		return nil, err
	}
	first, err := m.setup(a.cfg.Model.Name)
	if err != nil {
		return nil, err
	}
	m.first = &first
	m.made[a.cfg.Model.Name] = first
	return m, nil
}

// setup makes the model of the name, with the configured fallbacks behind it.
func (m *models) setup(name string) (agent.Setup, error) {
	a := m.app
	var rest []model.Config
	for _, f := range a.cfg.Model.Fallback {
		rest = append(rest, a.fallback(f))
	}
	first := a.modelConfig()
	first.Name = name
	tried := name == m.known.Model
	if tried {
		first.TextTools = m.known.Check(model.CheckTools).Outcome == model.CheckFailed
		first.ContextWindow = cmp.Or(first.ContextWindow, m.known.Window)
	}
	chain, err := model.NewChain(first, rest)
	if err != nil {
		return agent.Setup{}, err
	}
	profile := chain.Profile()
	return agent.Setup{
		Model: chain, Name: name,
		Window: chain.Window(), MaxOutput: chain.MaxOutput(),
		Profile: agent.Profile{
			DropToolsAtEnd: profile.DropToolsAtEnd, ReminderInResult: profile.ReminderInResult,
			Vision: tried && m.known.Check(model.CheckVision).Outcome == model.CheckOK,
			Factor: chain.Counter().Factor,
		},
	}, nil
}

// modelConfig is the default model as the client wants it.
func (a *app) modelConfig() model.Config {
	m := a.cfg.Model
	return model.Config{
		BaseURL: m.BaseURL, Name: m.Name, APIKey: m.APIKey, Profile: m.Profile,
		IdleTimeout: m.IdleTimeout, MaxOutput: m.MaxOutput, ContextWindow: m.ContextWindow,
		Concurrency: m.Concurrency, Log: a.log,
	}
}

// fallback takes from the first model what the listed one leaves open. The key
// and profile go with the address: a key is never sent to another endpoint.
func (a *app) fallback(f config.Fallback) model.Config {
	out := a.modelConfig()
	out.Name = cmp.Or(f.Name, out.Name)
	if f.BaseURL != "" && f.BaseURL != out.BaseURL {
		out.BaseURL, out.APIKey, out.Profile = f.BaseURL, "", ""
	}
	out.APIKey = cmp.Or(f.APIKey, out.APIKey)
	out.Profile = cmp.Or(f.Profile, out.Profile)
	return out
}

// cost is what a model call cost, if the configuration has its price.
func (m *models) cost(name string, u core.Usage) (float64, bool) {
	for _, p := range m.app.current().Prices {
		if p.Model == name {
			return model.Price{In: p.Input, Out: p.Output}.Cost(u), true
		}
	}
	return 0, false
}

// find returns the model that an agent names. The names come from the owner's
// configuration and commands, so there are few.
func (m *models) find(name string) (agent.Setup, bool) {
	if m.first == nil {
		return agent.Setup{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.made[name]; ok {
		return s, true
	}
	s, err := m.setup(name)
	if err != nil {
		m.app.log.Error("an agent's model cannot be used", "model", name, "error", err)
		return agent.Setup{}, false
	}
	m.made[name] = s
	return s, true
}

// capabilities is what doctor model found out about the configured model; the
// zero value if it was not asked, or about another one.
func (a *app) capabilities(ctx context.Context) (model.Capabilities, error) {
	raw, err := a.store.Note(ctx, capabilitiesKey)
	if err != nil || raw == "" {
		return model.Capabilities{}, err
	}
	var known model.Capabilities
	if json.Unmarshal([]byte(raw), &known) != nil || known.Model != a.cfg.Model.Name || known.Endpoint != a.cfg.Model.BaseURL {
		return model.Capabilities{}, nil
	}
	return known, nil
}
