package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/internal/cli/control"
	"github.com/footnote-bot/footnote/store"
)

// lockPatience is how long to try while the folder is held by a process that is
// only starting or ending.
const lockPatience = 20 * time.Second

// withFolder runs work on the configured data folder, which must hold something
// already or have sources configured.
func (inv *invocation) withFolder(ctx context.Context, work func(context.Context, *app) error) error {
	cfg, err := inv.config()
	if err != nil {
		return err
	}
	ledger, err := exists(filepath.Join(cfg.DataDir, store.FileName))
	if err != nil {
		return err
	}
	if inv.held == nil && len(cfg.Sources) == 0 && !ledger {
		return core.Errorf(core.KindNotFound,
			"there is nothing in the data folder %s yet; add documents with: footnote source add files FOLDER", cfg.DataDir)
	}
	return inv.inFolder(ctx, cfg, work)
}

// withNewFolder is withFolder for commands that may start from nothing.
func (inv *invocation) withNewFolder(ctx context.Context, work func(context.Context, *app) error) error {
	cfg, err := inv.config()
	if err != nil {
		return err
	}
	return inv.inFolder(ctx, cfg, work)
}

// inFolder runs work here if this process holds the folder or can take it, and
// otherwise sends the whole command to the process that holds it.
func (inv *invocation) inFolder(ctx context.Context, cfg config.Config, work func(context.Context, *app) error) error {
	if inv.held != nil {
		return work(ctx, inv.held)
	}
	log, err := inv.logger()
	if err != nil {
		return err
	}
	lock, err := inv.takeOrSend(ctx, cfg.DataDir)
	if err != nil {
		return err
	}
	return inv.hold(ctx, cfg, log, lock, work)
}

// takeOrSend returns the folder's lock, or sends the command to its holder and
// returns the outcome as an error of type exited.
func (inv *invocation) takeOrSend(ctx context.Context, dir string) (*control.Lock, error) {
	deadline := time.Now().Add(cmp.Or(inv.patience, lockPatience))
	for {
		code, err := control.Call(ctx, dir, inv.Request, inv.streams)
		switch {
		case err == nil:
			return nil, exited(code)
		case errors.Is(err, control.ErrLost):
			return nil, core.Errorf(core.KindUnavailable, "the footnote process that holds %s ended before the command did; run it again", dir)
		case errors.Is(err, control.ErrHeld):
			return nil, locked(dir, err)
		case !errors.Is(err, control.ErrNobody):
			return nil, err // writing to our own streams failed
		}
		lock, err := control.Hold(dir)
		if !errors.Is(err, control.ErrHeld) {
			return lock, err
		}
		if time.Now().After(deadline) {
			return nil, locked(dir, err)
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func locked(dir string, err error) error {
	return core.Wrap(core.KindLocked, err,
		"the data folder "+dir+" is held by another footnote process that does not answer; wait if it builds its search index, which it says when it starts; else end that process, or choose another folder with --data-dir")
}

// hold opens the folder, serves the commands of other processes meanwhile, and
// does the work.
func (inv *invocation) hold(ctx context.Context, cfg config.Config, log *slog.Logger, lock *control.Lock, work func(context.Context, *app) error) (err error) {
	defer func() { err = errors.Join(err, lock.Release()) }()
	a, err := openApp(ctx, cfg, inv.exe, log, inv.canReload(cfg), func(a *app) { a.limit, a.tell = inv.limit, inv.tell })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	server, err := control.Serve(ctx, cfg.DataDir, inv.serveOther(a), log)
	if err != nil {
		return err
	}
	defer server.Close()
	return work(ctx, a)
}

// tell says something that is no result to who started the command.
func (inv *invocation) tell(what string) { fmt.Fprintln(inv.streams.Err, "note: "+what) }

// serveOther runs commands of other processes on the open folder. They come
// with arguments only: configuration and environment are those of the holder.
func (inv *invocation) serveOther(a *app) control.Handler {
	return func(ctx context.Context, req control.Request, streams control.Streams) int {
		other := &invocation{Request: req, streams: streams, lookup: inv.lookup, exe: inv.exe, held: a}
		return other.run(ctx)
	}
}

// exists tells a missing file from one that cannot be looked at.
func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	return false, core.Errorf(core.KindDisk, "cannot look into the data folder: %w; mend its permissions, or choose another with --data-dir", err)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
