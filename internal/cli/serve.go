package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/bot/httpapi"
	"github.com/footnote-bot/footnote/bot/slack"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/internal/cli/control"
)

const (
	defaultListen = "127.0.0.1:8080"
	// shutdownPatience is how long running answers may take to stop and be stored.
	shutdownPatience = 10 * time.Second
	leastRunning     = 64   // turns at the same time, where the model takes fewer calls
	mostRunning      = 1024 // where its calls are not limited
	mostWaiting      = 256  // turns that wait for a place
	// ownPatience is how long to try for a folder that another command has open.
	ownPatience = 5 * time.Second
)

func (inv *invocation) serveCommand() *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Answer in Slack, Discord and over HTTP until stopped",
		Long: `Answer in the configured chat platforms and over HTTP until stopped by Ctrl-C or
SIGTERM, as docs/slack.md, docs/discord.md and docs/http.md describe.
Other footnote commands on the same data folder work meanwhile.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withOwnFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.serve(ctx, a, cmp.Or(listen, a.cfg.HTTP.Listen, defaultListen))
			})
		},
	}
	c.Flags().StringVar(&listen, "listen", "", "address and port of the HTTP interface (default http.listen, or "+defaultListen+")")
	return c
}

// withOwnFolder runs work on the data folder in this process; it is never sent
// to another one that holds the folder.
func (inv *invocation) withOwnFolder(ctx context.Context, work func(context.Context, *app) error) error {
	cfg, err := inv.config()
	if err != nil {
		return err
	}
	log, err := inv.logger()
	if err != nil {
		return err
	}
	lock, err := takeOwn(ctx, cfg.DataDir, cmp.Or(inv.patience, ownPatience))
	if err != nil {
		return err
	}
	return inv.hold(ctx, cfg, log, lock, work)
}

// takeOwn takes the folder's lock, waiting for a command that is just ending.
func takeOwn(ctx context.Context, dir string, patience time.Duration) (*control.Lock, error) {
	for deadline := time.Now().Add(patience); ; {
		lock, err := control.Hold(dir)
		if !errors.Is(err, control.ErrHeld) {
			return lock, err
		}
		if time.Now().After(deadline) {
			return nil, core.Wrap(core.KindLocked, err,
				"the data folder "+dir+" is held by another footnote process, perhaps another footnote serve; end that process, or choose another folder with --data-dir")
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// serve answers until ctx ends.
func (inv *invocation) serve(ctx context.Context, a *app, address string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	holders, err := a.holders()
	if err != nil {
		return err
	}
	inSlack, err := a.openSlack()
	if err != nil {
		return err
	}
	inDiscord, err := a.openDiscord()
	if err != nil {
		return err
	}
	l, err := listenOn(ctx, address)
	if err != nil {
		return err
	}
	api := httpapi.New(httpapi.Options{
		Desk: a.desk, Turns: a.store, Searcher: passages{a.finder, a.store}, Tokens: holders, Agents: a.agents,
		NewID: newID, Log: a.log, Mount: mounted(inSlack),
		Audit: a.noteAudit,
		Ready: func(ctx context.Context) error { _, err := a.store.Counts(ctx); return err },
	})
	inv.noteTokens(ctx, a, l.Addr())
	fmt.Fprintf(inv.streams.Out, "listening on http://%s\n", l.Addr())
	inv.notePlatforms(a.cfg)
	var platforms sync.WaitGroup
	platforms.Go(func() { a.runSchedules(ctx) })
	if inSlack != nil {
		platforms.Go(func() { a.runSlack(ctx, inSlack) })
	}
	if inDiscord != nil {
		platforms.Go(func() { a.runDiscord(ctx, inDiscord) })
	}
	defer platforms.Wait()
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownPatience)
		defer cancel()
		stopped <- a.desk.Close(limited)
	}()
	err = api.Serve(ctx, l, shutdownPatience)
	cancel()
	return errors.Join(err, <-stopped)
}

// notePlatforms says which chat platforms are served; what does not connect is
// in the log.
func (inv *invocation) notePlatforms(cfg config.Config) {
	for _, s := range cfg.Slack {
		fmt.Fprintf(inv.streams.Err, "answering in Slack: %s\n", console.Clean(s.Name))
	}
	for _, d := range cfg.Discord {
		fmt.Fprintf(inv.streams.Err, "answering in Discord: %s\n", console.Clean(d.Name))
	}
}

// slackPath is where Slack posts events for apps without Socket Mode.
const slackPath = "/slack/events"

func mounted(b *slack.Bot) map[string]http.Handler {
	if b == nil {
		return nil
	}
	return map[string]http.Handler{slackPath: b.Handler()}
}

// turnsAtOnce is how many turns run at the same time: as many as there may be
// model calls, and not fewer than leastRunning, since turns also search.
func turnsAtOnce(modelCalls int) int {
	if modelCalls < 0 {
		return mostRunning
	}
	return min(max(modelCalls, leastRunning), mostRunning)
}

// listenOn opens the port. The errors name the address and the key.
func listenOn(ctx context.Context, address string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, core.Wrap(core.KindConfig, err, fmt.Sprintf(
			"cannot listen on %s: another program uses that port; choose another with http.listen or --listen", address))
	case errors.Is(err, syscall.EACCES):
		return nil, core.Wrap(core.KindConfig, err, fmt.Sprintf(
			"cannot listen on %s: the system does not allow it; choose a port above 1023 with http.listen or --listen", address))
	}
	return nil, core.Errorf(core.KindConfig, "cannot listen on %q: %w; set http.listen or --listen to an address and port such as %s", address, err, defaultListen)
}

// noteTokens says on standard error what is missing before anybody can ask.
func (inv *invocation) noteTokens(ctx context.Context, a *app, at net.Addr) {
	tokens, err := a.tokens(ctx)
	if err != nil || len(tokens) > 0 {
		return // an error will come again with the first request
	}
	reach := ""
	if tcp, ok := at.(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		reach = " (and http.listen lets other machines connect)"
	}
	fmt.Fprintf(inv.streams.Err, "note: nobody can ask over HTTP yet: there is no token%s; make one with: footnote token create --as EMAIL\n", reach)
}
