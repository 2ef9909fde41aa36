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
)

const (
	defaultListen = "127.0.0.1:8080"
	// shutdownPatience is how long answers that were cut may take to be stored.
	shutdownPatience = 10 * time.Second
	leastRunning     = 64   // turns at the same time, where the model takes fewer calls
	mostRunning      = 1024 // where its calls are not limited
	mostWaiting      = 256  // turns that wait for a place
	// ownPatience is how long to try for a folder that another command has open.
	ownPatience = 5 * time.Second
)

func (inv *invocation) serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Answer in Slack, Discord and over HTTP until stopped",
		Long: `Answer in the configured chat platforms and over HTTP until stopped by Ctrl-C or
SIGTERM, as docs/slack.md, docs/discord.md and docs/http.md describe.
Other footnote commands on the same data folder work meanwhile.

Told to stop, it takes no more questions and lets running answers end, for
--stop-after at most; syncs stop at their next checkpoint. SIGHUP, or footnote
reload, reads the configuration file again. docs/operations.md says more.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withOwnFolder(c.Context(), f.wait, func(ctx context.Context, a *app) error {
				return inv.serve(ctx, a, f)
			})
		},
	}
	c.Flags().BoolVar(&f.wait, "wait", false, "where another process holds the data folder, wait until it ends and take over")
	c.Flags().DurationVar(&f.stopAfter, "stop-after", 0, "how long running answers may go on once it is told to stop (default serve.stop_after, or 20s)")
	c.Flags().StringVar(&f.listen, "listen", "", "address and port of the HTTP interface (default http.listen, or "+defaultListen+")")
	return c
}

// serveFlags are those of footnote serve.
type serveFlags struct {
	listen    string
	wait      bool
	stopAfter time.Duration
}

// withOwnFolder runs work on the data folder in this process; it is never sent
// to another one that holds the folder. With wait that one's end is waited for.
func (inv *invocation) withOwnFolder(ctx context.Context, wait bool, work func(context.Context, *app) error) error {
	cfg, err := inv.config()
	if err != nil {
		return err
	}
	log, err := inv.logger()
	if err != nil {
		return err
	}
	lock, err := inv.takeOwn(ctx, cfg.DataDir, wait, managerOf(inv.lookup, log))
	if err != nil {
		return err
	}
	if wait {
		if cfg, err = inv.config(); err != nil { // it may have been waited for long
			return errors.Join(err, lock.Release())
		}
	}
	return inv.hold(ctx, cfg, log, lock, work)
}

// serve answers until ctx ends.
func (inv *invocation) serve(ctx context.Context, a *app, f serveFlags) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	limit := cmp.Or(f.stopAfter, a.cfg.Serve.Patience())
	m := managerOf(inv.lookup, a.log)
	defer inv.reloadOnHangup(ctx, a)()
	holders, err := a.holders()
	if err != nil {
		return err
	}
	if err := a.openTraces(); err != nil {
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
	l, err := listenOn(ctx, cmp.Or(f.listen, a.cfg.HTTP.Listen, defaultListen))
	if err != nil {
		return err
	}
	at := l.Addr().String()
	a.httpAddress.Store(&at)
	pages, outside, err := inv.openAdmin(ctx, a)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	metrics := a.openMetrics(ctx).Handler()
	mount := mounted(inSlack)
	mount["/metrics"] = metricsForAdmins(adminTokens{holders}, metrics)
	api := httpapi.New(httpapi.Options{
		Desk: a.desk, Turns: a.store, Searcher: passages{a.finder, a.store}, Tokens: holders, Agents: a.agents, Pushes: pushes{holders},
		NewID: newID, Log: a.log, Mount: mount,
		Audit: a.noteAudit,
		Ready: a.ready,
	})
	if pages != nil {
		inv.noteAdmin(a, pages, outside)
	}
	inv.noteTokens(ctx, a, l.Addr())
	fmt.Fprintf(inv.streams.Out, "listening on http://%s\n", l.Addr())
	inv.notePlatforms(a.cfg)
	m.tell("READY=1\nSTATUS=listening on " + l.Addr().String())
	// What is at work goes on for a while after ctx has ended.
	working, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	var platforms sync.WaitGroup
	synced := make(chan struct{})
	runner := a.newSchedule()
	a.schedule.Store(runner)
	platforms.Go(func() {
		defer close(synced)
		runner.Run(working, ctx.Done())
	})
	platforms.Go(func() {
		m.watchdog(working, a.reads)
	})
	platforms.Go(func() { a.keepIndex(ctx) })
	platforms.Go(func() { a.shed(ctx) })
	platforms.Go(func() { a.syncer.RenewFacts(ctx) }) // of syncs that were killed
	platforms.Go(func() { a.runDigests(ctx) })
	if pages != nil {
		platforms.Go(func() { a.serveAdmin(ctx, pages, outside, holders, metrics) })
	}
	platforms.Go(func() { a.embeddings.run(ctx) })
	platforms.Go(func() { a.contexts.run(ctx) })
	if inSlack != nil {
		platforms.Go(func() { a.runSlack(working, inSlack) })
	}
	if inDiscord != nil {
		platforms.Go(func() { a.runDiscord(working, inDiscord) })
	}
	defer platforms.Wait()
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		stopped <- inv.stop(ctx, a, m, limit, synced, cut)
	}()
	err = api.Serve(ctx, l, limit+shutdownPatience)
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
		return map[string]http.Handler{}
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
