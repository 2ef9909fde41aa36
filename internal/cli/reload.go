package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// current is the configuration in use: the one that was read at start, with what was
// read again since. It is not changed by those who hold it.
func (a *app) current() *config.Config {
	if now := a.reloaded.Load(); now != nil {
		return now
	}
	return &a.cfg
}

func (inv *invocation) reloadCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reload",
		Short: "Let the running footnote read its configuration file again",
		Long: `Let the running footnote serve read its configuration file again, as SIGHUP does.
What can change counts at once, without dropping a connection or an answer; what
cannot is named. A file with a mistake changes nothing.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				if inv.held == nil {
					return core.Errorf(core.KindNotFound, "no footnote process holds the data folder %s, so that there is none to read its configuration again; each one reads it when it starts", a.cfg.DataDir)
				}
				now, later, err := a.reload(ctx)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(inv.streams.Out, reloadedText(a.current().File, now, later))
				return err
			})
		},
	}
}

// reloadOnHangup reads the configuration again at each SIGHUP until the returned
// function is called.
func (inv *invocation) reloadOnHangup(ctx context.Context, a *app) (stop func()) {
	asked, done := make(chan struct{}, 1), make(chan struct{})
	release := inv.hangups.Catch(func() {
		select {
		case asked <- struct{}{}:
		default: // it is about to be read anyway
		}
	})
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer close(done)
		for {
			select {
			case <-ctx.Done():
				return
			case <-asked:
				now, later, err := a.reload(ctx)
				if err != nil {
					a.log.ErrorContext(ctx, "the configuration was not read again; what it said before still counts", "error", err)
					continue
				}
				fmt.Fprintln(inv.streams.Err, reloadedText(a.current().File, now, later))
			}
		}
	}()
	return func() {
		release()
		cancel()
		<-done
	}
}

func reloadedText(file string, now, later []string) string {
	text := "read " + file + " again; nothing changed"
	if file == "" {
		text = "there is no configuration file; nothing changed"
	}
	if len(now) > 0 {
		text = "read " + file + " again; changed: " + strings.Join(now, ", ")
	}
	if len(later) > 0 {
		text += "; counts once footnote serve is started again: " + strings.Join(later, ", ")
	}
	return text
}

// reload reads the configuration again. Nothing of it counts unless all of it can.
// It tells the keys that changed and those whose change has to wait.
func (a *app) reload(ctx context.Context) (now, later []string, err error) {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	if a.readConfig == nil {
		return nil, nil, core.Errorf(core.KindInvalid, "this footnote process has no configuration file to read again")
	}
	read, err := a.readConfig()
	if err != nil {
		return nil, nil, err
	}
	old := a.current()
	_, later = differences(a.cfg, read)
	now, _ = differences(*old, read)
	next := inUse(a.cfg, read)
	if err := a.fits(ctx, next); err != nil {
		return nil, nil, err
	}
	a.reloaded.Store(&next)
	a.setLogLevel(next)
	if err := a.apply(ctx); err != nil {
		return now, later, errors.Join(err, core.Errorf(core.KindInternal, "some of the changed configuration could not be applied; run footnote reload again, or start footnote again"))
	}
	if runner := a.schedule.Load(); runner != nil {
		runner.Wake()
	}
	if slices.Contains(now, "quotas") || slices.Contains(now, "prices") {
		a.embeddings.embedder.Wake()
		a.contexts.situator.Wake()
	}
	return now, later, nil
}

// fits tells what of a configuration collides with what commands added, before
// anything of it is written.
func (a *app) fits(ctx context.Context, cfg config.Config) error {
	if _, _, err := a.listedSources(ctx, cfg); err != nil {
		return err
	}
	if _, err := a.joinPersonas(ctx, cfg); err != nil {
		return err
	}
	if _, err := listedTokens(cfg); err != nil {
		return err
	}
	return errors.Join(a.rights.checkCollections(cfg), a.rights.checkGrants(ctx, cfg))
}

// apply writes the current configuration to where it is looked up.
func (a *app) apply(ctx context.Context) error {
	joined, err := a.joinPersonas(ctx, *a.current())
	if err != nil {
		return err
	}
	a.agents.replace(joined)
	return errors.Join(a.rights.applyCollections(ctx), a.rights.applyGroups(ctx), a.applySources(ctx))
}

// setLogLevel follows log_level where no flag says otherwise.
func (a *app) setLogLevel(cfg config.Config) {
	if a.logLevel == nil {
		return
	}
	level := slog.LevelWarn
	if cfg.LogLevel != "" && level.UnmarshalText([]byte(cfg.LogLevel)) != nil {
		return // was checked when it was read
	}
	a.logLevel.Set(level)
}

// canReload lets an open folder read the configuration again as this command did.
func (inv *invocation) canReload(cfg config.Config) func(*app) {
	return func(a *app) {
		a.readConfig = inv.config
		if inv.flags.logLevel == "" && len(inv.Args) > 0 && inv.Args[0] == "serve" {
			a.logLevel = inv.level
			a.setLogLevel(cfg)
		}
	}
}
