package cli

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/bot/httpapi"
	"github.com/footnote-bot/footnote/bot/slack"
	"github.com/footnote-bot/footnote/core"
)

// scrapePatience is how long a scrape waits for the ledger.
const scrapePatience = 3 * time.Second

// openMetrics counts for Prometheus from now on.
func (a *app) openMetrics(ctx context.Context) *httpapi.Metrics {
	m := httpapi.NewMetrics(thisBuild().String(), func() httpapi.State { return a.metricsState(ctx) })
	var c counter = m
	a.meters.count.Store(&c)
	return m
}

// metricsState is what is not counted as it happens.
func (a *app) metricsState(ctx context.Context) httpapi.State {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.within(scrapePatience))
	defer cancel()
	s := httpapi.State{Running: int(a.meters.running.Load()), Up: a.platformsUp(), Waiting: map[string]int{}}
	if b := a.inSlack.Load(); b != nil {
		for _, w := range b.States() {
			s.Waiting["slack"] += w.Queued
		}
	}
	if b := a.inDiscord.Load(); b != nil {
		for _, g := range b.States() {
			s.Waiting["discord"] += g.Queued
		}
	}
	counts, err := a.store.SourceCounts(ctx)
	if err != nil {
		a.log.Warn("the sources could not be counted", "error", err)
		return s
	}
	s.Known = true
	states := a.states(ctx)
	for _, c := range counts {
		s.Sources = append(s.Sources, httpapi.SourceState{
			Name: c.Source, Documents: c.Documents, NotIndexed: c.NotIndexed, Failed: c.Failed, Crashes: states[c.Source].Crashes,
		})
	}
	return s
}

// ready is nil where ledger, index and all chat platforms are up.
func (a *app) ready(ctx context.Context) error {
	if err := a.reads(ctx); err != nil {
		return err
	}
	if _, _, err := a.index.Count(ctx); err != nil { // waits for whoever holds the index
		return err
	}
	for name, up := range a.platformsUp() {
		if !up {
			return core.Errorf(core.KindUnavailable, "%s is not connected", name)
		}
	}
	return nil
}

// reads tells whether the ledger can be read, by one row: it is asked every few
// seconds, and counting a million documents would take longer than an answer.
func (a *app) reads(ctx context.Context) error {
	_, err := a.store.InstallID(ctx)
	return err
}

// platformsUp tells which of the served chat platforms are connected, with all of
// their workspaces or applications.
func (a *app) platformsUp() map[string]bool {
	up := map[string]bool{}
	if b := a.inSlack.Load(); b != nil {
		up["slack"] = true
		for _, w := range b.States() {
			up["slack"] = up["slack"] && slackUp(w)
		}
	}
	if b := a.inDiscord.Load(); b != nil {
		up["discord"] = true
		for _, g := range b.States() {
			up["discord"] = up["discord"] && g.Gateway.Connected
		}
	}
	return up
}

// slackUp is true also where events come over HTTP: there is no socket then that
// could be lost.
func slackUp(w slack.State) bool {
	return w.Socket.Connected || w.Socket.Since.IsZero() && w.Socket.Failures == 0
}

// metricsForAdmins lets only admins' tokens read the metrics at the address of the
// HTTP interface, which others may reach.
func metricsForAdmins(tokens adminTokens, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secret, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if ok {
			_, err := tokens.Admin(r.Context(), strings.TrimSpace(secret))
			ok = err == nil
		}
		if !ok {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "Metrics are for the tokens of admins here; at admin.listen this machine needs none.", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
