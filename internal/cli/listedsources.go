package cli

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// applySources writes what footnote.yaml lists into the ledger, so that there is
// one place to look sources up. A source that a command added keeps its name:
// the same name in both is an error.
func (a *app) applySources(ctx context.Context) error {
	listed, left, err := a.listedSources(ctx, *a.current())
	if err != nil {
		return err
	}
	for _, src := range listed {
		if err := a.store.PutSource(ctx, src); err != nil {
			return err
		}
	}
	a.unlisted.Store(&left)
	return a.settle(ctx)
}

// listedSources are those of the configuration, and the names of those that left it.
func (a *app) listedSources(ctx context.Context, cfg config.Config) (out []core.Source, left []string, err error) {
	known, err := a.store.Sources(ctx)
	if err != nil {
		return nil, nil, err
	}
	byName := map[string]core.Source{}
	for _, s := range known {
		byName[s.Name] = s
	}
	for _, listed := range cfg.Sources {
		src, err := a.listedSource(listed)
		if err != nil {
			return nil, nil, err
		}
		if old, ok := byName[src.Name]; ok && old.Origin == core.FromCommand {
			return nil, nil, core.Errorf(core.KindConfig,
				"%s, line %d: source %q was also added by command; give it another name here, or take it out here, run footnote source remove %s, and list it again",
				cfg.File, listed.Line, src.Name, src.Name)
		}
		delete(byName, src.Name)
		out = append(out, src)
	}
	return out, unlisted(byName), nil
}

// listedSource reads paths in a source's settings as seen from the file.
func (a *app) listedSource(listed config.Source) (core.Source, error) {
	if a.cfg.File != "" {
		listed.Config = maps.Clone(listed.Config) // the configuration stays as it was read
		for _, field := range bundledConnectors()[listed.Connector].paths {
			if p, ok := listed.Config[field].(string); ok && p != "" && !filepath.IsAbs(p) {
				listed.Config[field] = filepath.Join(filepath.Dir(a.cfg.File), p)
			}
		}
	}
	return listed.Core()
}

// hasLeft tells whether a source was taken out of the configuration file. A run
// without a file says nothing about that.
func (a *app) hasLeft(name string) bool {
	return a.cfg.File != "" && slices.Contains(a.leftFile(), name)
}

// leftFile names the sources that the configuration file once listed.
func (a *app) leftFile() []string {
	if left := a.unlisted.Load(); left != nil {
		return *left
	}
	return nil
}

// unlisted names the sources that footnote.yaml once listed and no longer does.
// They stay as they are until they are removed by command: a slip in the file
// must not cost anybody's documents.
func unlisted(left map[string]core.Source) []string {
	var names []string
	for name, s := range left {
		if s.Origin == core.FromConfig {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
