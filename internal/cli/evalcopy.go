package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/footnote-bot/footnote/core/eval"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/store"
)

// askAs asks the questions with another configuration, on a copy of the ledger: the
// data folder stays as it is. The copy gets an index of its own, and vectors where the
// configuration has another model for them.
func (inv *invocation) askAs(ctx context.Context, a *app, file string, questions []eval.Question, k int) (r eval.OwnReport, err error) {
	cfg, err := config.Load(inv.path(file), inv.Dir, inv.lookup)
	if err != nil {
		return r, err
	}
	dir, err := os.MkdirTemp("", "footnote-eval-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := a.copyFolder(ctx, dir); err != nil {
		return r, err
	}
	// Sources, their secrets and where the index is are those of now: it is searching
	// that is compared.
	cfg.DataDir, cfg.Sources, cfg.Secrets, cfg.Index = dir, a.cfg.Sources, a.cfg.Secrets, config.Index{}
	other, err := openApp(ctx, cfg, inv.exe, a.log)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, other.close()) }()
	progress := inv.progress("eval")
	defer progress.done()
	if err := other.embeddings.embedder.CatchUp(ctx, func(n int) { progress.tell(file + ": " + counted(n, "passage") + " embedded") }); err != nil {
		return r, err
	}
	return eval.Ask(ctx, questions, k, seeker{other})
}

// copyFolder copies what another configuration needs of the data folder.
func (a *app) copyFolder(ctx context.Context, dir string) error {
	if err := a.store.CopyTo(ctx, filepath.Join(dir, store.FileName)); err != nil {
		return err
	}
	key, err := readIfThere(filepath.Join(a.cfg.DataDir, keyFile))
	if err != nil || key == nil {
		return err
	}
	_, err = writeWhole(filepath.Join(dir, keyFile), writeBytes(key))
	return err
}
