package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/bot/discord"
	"github.com/footnote-bot/footnote/bot/slack"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/extract"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/core/ingest"
	"github.com/footnote-bot/footnote/core/ingest/embed"
	"github.com/footnote-bot/footnote/core/ingest/schedule"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/plugins"
	"github.com/footnote-bot/footnote/store"
	"github.com/footnote-bot/footnote/store/typesense"
)

// app is an open data folder with all parts wired together.
type app struct {
	cfg      config.Config // as it was at the start; see current
	log      *slog.Logger
	store    *store.Store
	index    searchIndex
	facts    *readAhead // the ledger, for the start; nil where no index needs it
	extract  *extract.Extractor
	host     *plugins.Host
	shelf    plugins.Shelf // of installed connectors
	sources  *connectors
	syncer   *ingest.Syncer
	finder   *find.Finder
	reranker *model.Reranker // nil if there is none
	agents   *personas
	rights   *rights
	models   *models

	limit time.Duration // for what searches and requests wait for; each part's own if 0

	contexts   *contexts
	embeddings *embeddings
	vectors    func(model.Config) (embed.Model, error) // stands in for the configured endpoint; nil asks it

	meters     *meters
	freshIndex bool             // the embedded index came up empty
	tell       func(string)     // says something to whoever waits for the start; nil for nobody
	many       int              // documents whose indexing is told before; 0 for the usual
	cluster    *typesense.Index // nil where the index is embedded
	catching   sync.Mutex       // held by who brings the cluster up to date
	vectorsDue bool             // the cluster lacks vectors; guarded by catching

	unlisted atomic.Pointer[[]string] // sources that left the configuration file
	agent    *agent.Agent
	desk     *bot.Desk
	front    *bot.Front

	// What was read of the configuration since the start; see reload.
	reloaded   atomic.Pointer[config.Config]
	reloading  sync.Mutex
	readConfig func() (config.Config, error) // nil where it is not read again
	logLevel   *slog.LevelVar                // nil where a flag decides
	schedule   atomic.Pointer[schedule.Runner]

	// What footnote serve serves, for commands that run beside it.
	inSlack   atomic.Pointer[slack.Bot]
	inDiscord atomic.Pointer[discord.Bot]

	adminAddress atomic.Pointer[string] // of the admin pages, while they are served
	httpAddress  atomic.Pointer[string] // of the HTTP interface, likewise
}

// sourcesDir is the folder inside the data folder that holds one private folder
// for each source's connector.
const sourcesDir = "sources"

// openApp opens the folder; the caller holds its lock and closes the app.
func openApp(ctx context.Context, cfg config.Config, exe string, log *slog.Logger, with ...func(*app)) (_ *app, err error) {
	a := &app{cfg: cfg, log: log}
	for _, change := range with {
		change(a)
	}
	a.meters = newMeters(a)
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close())
		}
	}()
	if _, err := finishRestore(cfg.DataDir, os.Rename); err != nil {
		return nil, err
	}
	if err := a.openStore(ctx); err != nil {
		return nil, err
	}
	eyes, err := a.describer()
	if err != nil {
		return nil, err
	}
	a.extract = extract.New(extract.Options{
		Executable: exe, CacheDir: pdfCache(cfg.DataDir), Describer: eyes, Log: log,
	})
	a.shelf = shelfOf(cfg)
	hosting := plugins.Options{
		Executable: exe, Dir: filepath.Join(cfg.DataDir, sourcesDir), Log: log,
		Pin: a.shelf.Pin, Command: startOf(exe, a.shelf),
	}
	a.limitConnectors(&hosting)
	a.host = plugins.NewHost(hosting)
	a.sources = newConnectors(a)
	a.syncer = ingest.New(ingest.Options{
		Ledger: countedRuns{a.store, a.meters}, Outbox: a.outbox(), Access: a.store, Index: a.index, Fresh: a.freshIndex, Extractor: a.extract, Log: log,
	})
	if err := a.reconcile(ctx); err != nil {
		return nil, err
	}
	if err := a.applySources(ctx); err != nil {
		return nil, err
	}
	if err := a.restoreVectors(ctx); err != nil {
		return nil, err
	}
	if err := a.openContexts(); err != nil {
		return nil, err
	}
	return a, a.openAgent(ctx)
}

func (a *app) openStore(ctx context.Context) (err error) {
	if a.store, err = store.Open(ctx, a.cfg.DataDir, a.log); err != nil {
		return err
	}
	if err := a.openKeys(ctx); err != nil {
		return err
	}
	if err := a.cutAudit(ctx); err != nil {
		return err
	}
	if a.cfg.Index.Kind != config.IndexTypesense {
		a.facts = newReadAhead(ctx, a.store)
	}
	return a.openIndex(ctx)
}

// outbox is the ledger as what feeds the index sees it.
func (a *app) outbox() ingest.Outbox {
	if a.facts == nil {
		return a.store
	}
	return a.facts
}

func (a *app) openAgent(ctx context.Context) (err error) {
	if err := a.openReranker(); err != nil {
		return err
	}
	a.finder = find.New(a.finding(a.cfg.Embeddings.KeywordShare))
	if a.agents, err = a.openPersonas(ctx); err != nil {
		return err
	}
	if a.rights, err = a.openRights(ctx); err != nil {
		return err
	}
	if a.models, err = a.openModels(ctx); err != nil {
		return err
	}
	o := agent.Options{
		Searcher: a.finder, Planner: a.openPlanner(), Opener: a.finder, Recorder: a.store, Memory: a.store, Documents: a.store,
		Models: a.models.find, Cost: a.models.cost, Toolbox: a.sources.toolbox,
		Schemes: []string{"http", "https", "file"},
		NewID:   newID, Log: a.log,
	}
	if first := a.models.first; first != nil {
		o.Model, o.Profile = first.Model, first.Profile
		o.Window, o.MaxOutput = first.Window, first.MaxOutput
	}
	a.agent = agent.New(o)
	a.openDesk()
	return nil
}

// pdfCache is where compiled PDF code is kept, which takes seconds to make: with
// the user, so that it is made once and not for each data folder.
func pdfCache(dataDir string) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = filepath.Join(dataDir, "cache")
	}
	return filepath.Join(dir, "footnote", "pdf")
}

// newID makes an id for a turn or a thread: 26 letters and digits at random.
func newID() string { return rand.Text() }

// close closes what is open, in the opposite order.
func (a *app) close() error {
	errs := []error{a.closeDesk()}
	a.meters.wait()
	a.meters.closeTraces()
	if a.agent != nil {
		a.agent.Close()
	}
	if a.finder != nil {
		a.finder.Close()
	}
	if a.embeddings != nil {
		a.embeddings.searched.close()
	}
	if a.host != nil {
		errs = append(errs, a.host.Close())
	}
	if a.extract != nil {
		errs = append(errs, a.extract.Close())
	}
	if a.facts != nil {
		a.facts.close()
	}
	if a.index != nil {
		errs = append(errs, a.index.Close())
	}
	if a.store != nil {
		errs = append(errs, a.store.Close())
	}
	return errors.Join(errs...)
}
