package cli

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
	"github.com/footnote-bot/footnote/plugins"
)

// connectors is what questions need of the sources' connectors. What a connector
// can do is remembered in the ledger since it was opened last, so that a search
// starts no process only to find out.
type connectors struct {
	app *app

	mu      sync.Mutex
	known   map[string]abilities // by source
	vain    map[string]vain      // sources of which it could not be found out
	tools   map[string]*toolList // by source
	asking  map[string]*sync.Mutex
	silent  map[string]silence // sources that did not answer live searches
	patient time.Duration      // how long finding out may take
}

// abilities is what a source's connector said that it can do.
type abilities struct {
	Connector string   `json:"connector"` // another one is to be asked anew
	Can       []string `json:"can"`       // features, as plugins.Description has them
}

// vain is an attempt that failed.
type vain struct {
	at  time.Time
	err error
}

const (
	describePatience = 10 * time.Second
	vainFor          = time.Minute // until a failed attempt is made again
)

func newConnectors(a *app) *connectors {
	return &connectors{
		app: a, known: map[string]abilities{}, vain: map[string]vain{}, tools: map[string]*toolList{},
		asking: map[string]*sync.Mutex{}, silent: map[string]silence{}, patient: a.within(describePatience),
	}
}

func abilitiesKey(source string) string { return "abilities_" + source }

// use lends the source's connector and takes note of what it can do.
func (c *connectors) use(ctx context.Context, src core.Source) (*plugins.Lease, error) {
	if src.Connector == pushConnector {
		return nil, notRead(src.Name)
	}
	l, err := c.app.host.Use(ctx, src)
	if err != nil {
		return nil, err
	}
	c.learn(ctx, src, l.About().Features)
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.tools[src.Name]; t != nil && t.of != l.Connection {
		delete(c.tools, src.Name) // the process is another one
	}
	return l, nil
}

// learn remembers what a source's connector can do.
func (c *connectors) learn(ctx context.Context, src core.Source, can []string) {
	now := abilities{Connector: src.Connector, Can: append([]string{}, can...)}
	slices.Sort(now.Can)
	c.mu.Lock()
	old, known := c.known[src.Name]
	c.known[src.Name] = now
	delete(c.vain, src.Name)
	c.mu.Unlock()
	if known && old.Connector == now.Connector && slices.Equal(old.Can, now.Can) {
		return
	}
	raw, err := json.Marshal(now)
	if err == nil {
		err = c.app.store.SetNote(ctx, abilitiesKey(src.Name), string(raw))
	}
	if err != nil {
		c.app.log.WarnContext(ctx, "what a connector can do was not noted", "source", src.Name, "error", err)
	}
}

// forget ends the source's connector and forgets what it could do.
func (c *connectors) forget(ctx context.Context, source string) error {
	c.mu.Lock()
	delete(c.known, source)
	delete(c.vain, source)
	delete(c.tools, source)
	c.mu.Unlock()
	if err := c.app.store.SetNote(ctx, abilitiesKey(source), ""); err != nil {
		return err
	}
	return c.app.host.Forget(ctx, source)
}

// remembered is what is known without asking a connector.
func (c *connectors) remembered(ctx context.Context, src core.Source) (abilities, bool) {
	if src.Connector == pushConnector {
		return abilities{Connector: pushConnector}, true // it has no process that could do anything
	}
	c.mu.Lock()
	one, ok := c.known[src.Name]
	c.mu.Unlock()
	if ok && one.Connector == src.Connector {
		return one, true
	}
	text, err := c.app.store.Note(ctx, abilitiesKey(src.Name))
	if err != nil || text == "" || json.Unmarshal([]byte(text), &one) != nil || one.Connector != src.Connector {
		return abilities{}, false
	}
	c.mu.Lock()
	c.known[src.Name] = one
	c.mu.Unlock()
	return one, true
}

// can tells whether the source's connector has the feature. One that was never
// opened is asked, once by all who want to know.
func (c *connectors) can(ctx context.Context, src core.Source, feature string) (bool, error) {
	one, ok := c.remembered(ctx, src)
	if !ok {
		var err error
		if one, err = c.describe(ctx, src); err != nil {
			return false, err
		}
	}
	return slices.Contains(one.Can, feature), nil
}

func (c *connectors) describe(ctx context.Context, src core.Source) (abilities, error) {
	c.mu.Lock()
	turn := c.asking[src.Name]
	if turn == nil {
		turn = &sync.Mutex{}
		c.asking[src.Name] = turn
	}
	c.mu.Unlock()
	turn.Lock()
	defer turn.Unlock()
	if one, ok := c.remembered(ctx, src); ok {
		return one, nil
	}
	c.mu.Lock()
	last, tried := c.vain[src.Name]
	c.mu.Unlock()
	if tried && time.Since(last.at) < vainFor {
		return abilities{}, last.err
	}
	ctx, cancel := context.WithTimeout(ctx, c.patient)
	defer cancel()
	about, err := c.app.host.Describe(ctx, src.Connector)
	if err != nil {
		c.mu.Lock()
		c.vain[src.Name] = vain{time.Now(), err}
		c.mu.Unlock()
		return abilities{}, err
	}
	c.learn(ctx, src, about.Features)
	one, _ := c.remembered(ctx, src)
	return one, nil
}

// CensorOf finds the censor of a source. Where it cannot be found out whether the
// source has one, its passages are dropped.
func (c *connectors) CensorOf(source string) (core.Censor, bool) {
	c.mu.Lock()
	one, known := c.known[source]
	c.mu.Unlock()
	if known && !slices.Contains(one.Can, wire.FeatureCensor) {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.patient)
	defer cancel()
	src, err := c.app.store.Source(ctx, source)
	if err != nil {
		return noCensor{err}, true
	}
	has, err := c.can(ctx, src, wire.FeatureCensor)
	switch {
	case err != nil:
		return noCensor{err}, true
	case !has:
		return nil, false
	}
	return sourceCensor{c, src}, true
}

// noCensor is the censor that there may be and that nobody reaches.
type noCensor struct{ err error }

// Censor fails.
func (n noCensor) Censor(context.Context, core.Viewer, []core.Result) ([]core.Verdict, error) {
	return nil, n.err
}

// sourceCensor asks a source's connector, which is started if it does not run.
type sourceCensor struct {
	connectors *connectors
	src        core.Source
}

// Censor asks what of the passages the viewer may read. A connector that does not
// censor any more has nothing against any.
func (s sourceCensor) Censor(ctx context.Context, viewer core.Viewer, passages []core.Result) ([]core.Verdict, error) {
	l, err := s.connectors.use(ctx, s.src)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	if !l.CanCensor() {
		return slices.Repeat([]core.Verdict{{Keep: true}}, len(passages)), nil
	}
	return l.Censor(ctx, viewer, passages)
}

// with are the sources whose connectors are known to have the feature.
func (c *connectors) with(ctx context.Context, feature string) []core.Source {
	sources, err := c.app.store.Sources(ctx)
	if err != nil {
		c.app.log.WarnContext(ctx, "sources not listed", "error", err)
		return nil
	}
	return slices.DeleteFunc(sources, func(s core.Source) bool {
		one, ok := c.remembered(ctx, s)
		return !ok || c.app.hasLeft(s.Name) || !slices.Contains(one.Can, feature)
	})
}

// LiveSources names the sources that can be searched in their own systems.
func (c *connectors) LiveSources(ctx context.Context) []string {
	var names []string
	for _, s := range c.with(ctx, wire.FeatureSearch) {
		names = append(names, s.Name)
	}
	return names
}

// silence is live searches in a row that a source did not answer.
type silence struct {
	times int
	last  time.Time
}

const (
	mostSilent = 2           // after so many it rests
	silentFor  = time.Minute // and everybody's answers are quicker
)

// silentNow tells whether the source is not to be asked for a while.
func (c *connectors) silentNow(source string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.silent[source]
	return s.times >= mostSilent && time.Since(s.last) < silentFor
}

func (c *connectors) answered(ctx context.Context, source string, err error) {
	if err != nil && context.Cause(ctx) == context.Canceled {
		return // nobody waited for it
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		delete(c.silent, source)
		return
	}
	c.silent[source] = silence{c.silent[source].times + 1, time.Now()}
}

// SearchLive asks one source. One that did not answer several times is not asked
// for a while, so that not every search waits for it.
func (c *connectors) SearchLive(ctx context.Context, source, text string, viewer core.Viewer, limit int, updated core.Range) (found []core.Result, err error) {
	if c.silentNow(source) {
		return nil, core.Errorf(core.KindUnavailable, "source %q did not answer its last live searches; it is asked again within a minute", source)
	}
	defer func() { c.answered(ctx, source, err) }()
	src, err := c.app.store.Source(ctx, source)
	if err != nil {
		return nil, err
	}
	l, err := c.use(ctx, src)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return l.Search(ctx, text, viewer, limit, updated)
}

// Stored tells which documents are in the ledger.
func (c *connectors) Stored(ctx context.Context, documents []string) (map[string]bool, error) {
	return c.app.store.Stored(ctx, documents)
}
