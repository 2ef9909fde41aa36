package cli

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// personas are the agents of footnote.yaml and those that commands added.
type personas struct {
	mu     sync.RWMutex
	byName map[string]persona
}

type persona struct {
	core.Agent
	origin core.Origin
}

// openPersonas joins both kinds; the same name in both is an error.
func (a *app) openPersonas(ctx context.Context) (*personas, error) {
	joined, err := a.joinPersonas(ctx, a.cfg)
	return &personas{byName: joined}, err
}

func (a *app) joinPersonas(ctx context.Context, cfg config.Config) (map[string]persona, error) {
	byName := map[string]persona{}
	added, err := a.store.Agents(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range added {
		byName[one.Name] = persona{one, core.FromCommand}
	}
	for _, c := range cfg.Agents {
		if _, both := byName[c.Name]; both {
			return nil, core.Errorf(core.KindConfig,
				"%s: agent %q was also added by command; give it another name here, or take it out here, run footnote agent remove %s, and list it again",
				cfg.File, c.Name, c.Name)
		}
		byName[c.Name] = persona{agentOf(c), core.FromConfig}
	}
	return byName, nil
}

// replace puts others in their place.
func (p *personas) replace(byName map[string]persona) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byName = byName
}

func agentOf(c config.Agent) core.Agent {
	return core.Agent{
		Name: c.Name, Instructions: c.Instructions, ReplacePrompt: c.ReplacePrompt, Reminder: c.Reminder,
		Model: c.Model, Tools: c.Tools, Sources: c.Sources, ForceSearch: c.ForceSearch,
		Language: c.Language, Starters: c.Starters,
	}
}

// Agent finds an agent by name.
func (p *personas) Agent(name string) (core.Agent, bool) {
	one, ok := p.find(name)
	return one.Agent, ok
}

func (p *personas) find(name string) (persona, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	one, ok := p.byName[name]
	return one, ok
}

// chosen is the agent that a person names; without a name the one called
// default, or the built-in one.
func (p *personas) chosen(name string) (core.Agent, error) {
	if name == "" {
		one, _ := p.Agent("default")
		return one, nil
	}
	if one, ok := p.Agent(name); ok {
		return one, nil
	}
	names := p.names()
	hint := "there is none yet; add one with: footnote agent add NAME --instructions TEXT"
	if len(names) > 0 {
		hint = "the agents are: " + strings.Join(names, ", ")
	}
	if near := config.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return core.Agent{}, core.Errorf(core.KindNotFound, "there is no agent %q; %s", name, hint)
}

func (p *personas) names() []string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return slices.Sorted(maps.Keys(p.byName))
}

func (p *personas) all() []persona {
	p.mu.RLock()
	defer p.mu.RUnlock()
	out := make([]persona, 0, len(p.byName))
	for _, name := range slices.Sorted(maps.Keys(p.byName)) {
		out = append(out, p.byName[name])
	}
	return out
}

func (p *personas) put(one core.Agent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byName[one.Name] = persona{one, core.FromCommand}
}

func (p *personas) drop(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.byName, name)
}
