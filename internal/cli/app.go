package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"path/filepath"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/extract"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/core/ingest"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/plugins"
	"github.com/footnote-bot/footnote/store"
	"github.com/footnote-bot/footnote/store/index"
)

// app is an open data folder with all parts wired together.
type app struct {
	cfg     config.Config
	log     *slog.Logger
	store   *store.Store
	index   *index.Index
	extract *extract.Extractor
	host    *plugins.Host
	syncer  *ingest.Syncer
	finder  *find.Finder
	agents  *personas
	models  *models
	agent   *agent.Agent
}

// openApp opens the folder; the caller holds its lock and closes the app.
func openApp(ctx context.Context, cfg config.Config, exe string, log *slog.Logger) (_ *app, err error) {
	a := &app{cfg: cfg, log: log}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close())
		}
	}()
	if err := a.openStore(ctx); err != nil {
		return nil, err
	}
	a.extract = extract.New(extract.Options{
		Executable: exe, CacheDir: filepath.Join(cfg.DataDir, "cache", "pdf"), Log: log,
	})
	a.host = plugins.NewHost(plugins.Options{
		Executable: exe, Dir: filepath.Join(cfg.DataDir, "sources"), Log: log,
	})
	a.syncer = ingest.New(ingest.Options{
		Ledger: a.store, Outbox: a.store, Index: a.index, Fresh: a.index.Fresh(), Extractor: a.extract, Log: log,
	})
	if err := a.syncer.Reconcile(ctx); err != nil {
		return nil, err
	}
	if err := a.applySources(ctx); err != nil {
		return nil, err
	}
	return a, a.openAgent(ctx)
}

func (a *app) openStore(ctx context.Context) (err error) {
	if a.store, err = store.Open(ctx, a.cfg.DataDir, a.log); err != nil {
		return err
	}
	install, err := a.store.InstallID(ctx)
	if err != nil {
		return err
	}
	a.index, err = index.Open(ctx, filepath.Join(a.cfg.DataDir, "index"), index.Options{Install: install, Log: a.log})
	return err
}

func (a *app) openAgent(ctx context.Context) (err error) {
	a.finder = find.New(find.Options{Index: a.index, Gate: a.store, Log: a.log})
	if a.agents, err = a.openPersonas(ctx); err != nil {
		return err
	}
	if a.models, err = a.openModels(ctx); err != nil {
		return err
	}
	o := agent.Options{
		Searcher: a.finder, Opener: a.store, Recorder: a.store, Memory: a.store,
		Models: a.models.find, Cost: a.models.cost,
		Schemes: []string{"http", "https", "file"},
		NewID:   newID, Log: a.log,
	}
	if first := a.models.first; first != nil {
		o.Model, o.Profile = first.Model, first.Profile
		o.Window, o.MaxOutput = first.Window, first.MaxOutput
	}
	a.agent = agent.New(o)
	return nil
}

// newID makes an id for a turn or a thread: 26 letters and digits at random.
func newID() string { return rand.Text() }

// applySources writes what footnote.yaml lists into the ledger, so that there is
// one place to look sources up. A source that a command added keeps its name:
// the same name in both is an error.
func (a *app) applySources(ctx context.Context) error {
	known, err := a.store.Sources(ctx)
	if err != nil {
		return err
	}
	byName := map[string]core.Source{}
	for _, s := range known {
		byName[s.Name] = s
	}
	for _, listed := range a.cfg.Sources {
		src, err := listed.Core()
		if err != nil {
			return err
		}
		if old, ok := byName[src.Name]; ok && old.Origin == core.FromCommand {
			return core.Errorf(core.KindConfig,
				"%s, line %d: source %q was also added by command; rename it here, or remove the other with: footnote source remove %s (without this file)",
				a.cfg.File, listed.Line, src.Name, src.Name)
		}
		delete(byName, src.Name)
		if err := a.store.PutSource(ctx, src); err != nil {
			return err
		}
	}
	return a.dropUnlisted(ctx, byName)
}

// dropUnlisted removes sources that footnote.yaml no longer lists.
func (a *app) dropUnlisted(ctx context.Context, left map[string]core.Source) error {
	for name, s := range left {
		if s.Origin != core.FromConfig || a.cfg.File == "" {
			continue // a run without the file says nothing about its sources
		}
		a.log.Warn("a source left the configuration file; its documents are removed", "source", name)
		if err := a.store.RemoveSource(ctx, name); err != nil {
			return err
		}
	}
	return a.syncer.Settle(ctx)
}

// close closes what is open, in the opposite order.
func (a *app) close() error {
	var errs []error
	if a.agent != nil {
		a.agent.Close()
	}
	if a.extract != nil {
		errs = append(errs, a.extract.Close())
	}
	if a.index != nil {
		errs = append(errs, a.index.Close())
	}
	if a.store != nil {
		errs = append(errs, a.store.Close())
	}
	return errors.Join(errs...)
}
