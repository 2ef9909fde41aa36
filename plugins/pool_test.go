package plugins_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugins"
)

// clock is moved by the test and by nothing else.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time {
	return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(c.ahead.Load()))
}
func (c *clock) advance(d time.Duration) { c.ahead.Add(int64(d)) }
func source(connector, config string) core.Source {
	return core.Source{Name: "s", Connector: connector, Config: []byte(config)}
}

func newPool(t *testing.T, o plugins.Options) (*plugins.Host, *clock) {
	t.Helper()
	c := &clock{}
	o.Now = c.now
	host := newHost(t, o)
	t.Cleanup(func() { host.Close() })
	return host, c
}

// pidOf asks the process of a lease who it is.
func pidOf(t *testing.T, host *plugins.Host, src core.Source) string {
	t.Helper()
	l, err := host.Use(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	hits, err := l.Search(t.Context(), "pid", ann, 1, core.Range{})
	if err != nil || len(hits) != 1 {
		t.Fatalf("%v %v", hits, err)
	}
	return hits[0].Document.ExternalID
}

func stateOf(t *testing.T, host *plugins.Host, source string) plugins.SourceState {
	t.Helper()
	states, err := host.States(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range states {
		if s.Source == source {
			return s
		}
	}
	t.Fatalf("no state of %s in %+v", source, states)
	return plugins.SourceState{}
}

func TestOneProcessForAllWhoUseASource(t *testing.T) {
	host, _ := newPool(t, plugins.Options{})
	pids := make([]string, 8)
	var wg sync.WaitGroup
	for i := range pids {
		wg.Go(func() { pids[i] = pidOf(t, host, source("live", "")) })
	}
	wg.Wait()
	for _, pid := range pids {
		if pid != pids[0] {
			t.Errorf("several processes: %v", pids)
		}
	}
	if got := stateOf(t, host, "s"); got.State != plugins.StateRunning {
		t.Errorf("%+v", got)
	}
	changed := pidOf(t, host, source("live", `{"mode":"plain"}`))
	if changed == pids[0] || alive(pids[0]) {
		t.Errorf("other settings: process %s, before %s", changed, pids[0])
	}
	if err := host.Forget(t.Context(), "s"); err != nil || alive(changed) {
		t.Errorf("the process of a source that was removed runs on: %v", err)
	}
}

func TestUnusedProcessesAreStopped(t *testing.T) {
	host, _ := newPool(t, plugins.Options{IdleStop: 50 * time.Millisecond})
	held, err := host.Use(t.Context(), source("live", ""))
	if err != nil {
		t.Fatal(err)
	}
	pid := pidOf(t, host, source("live", ""))
	time.Sleep(200 * time.Millisecond)
	if !alive(pid) {
		t.Error("a process in use was stopped")
	}
	held.Close()
	held.Close()
	waitFor(t, "the process ends", func() bool { return !alive(pid) })
	waitFor(t, "the state is ready", func() bool { return stateOf(t, host, "s").State == plugins.StateReady })
	if got := stateOf(t, host, "s"); got.Crashes != 0 || got.Err != nil {
		t.Errorf("stopping counts as a crash: %+v", got)
	}
	if pidOf(t, host, source("live", "")) == pid {
		t.Error("the same process again")
	}
}

func TestCloseStopsEverything(t *testing.T) {
	host, _ := newPool(t, plugins.Options{})
	pid := pidOf(t, host, source("live", ""))
	if err := host.Close(); err != nil || alive(pid) {
		t.Errorf("%s lives after Close: %v", pid, err)
	}
	if _, err := host.Use(t.Context(), source("live", "")); err == nil {
		t.Error("a closed host lends a connector")
	}
}

// use starts the connector and syncs with it.
func use(t *testing.T, host *plugins.Host, src core.Source) error {
	t.Helper()
	l, err := host.Use(t.Context(), src)
	if err != nil {
		return err
	}
	defer l.Close()
	return l.Sync(t.Context(), nil, core.SyncFirst, func(core.Change) error { return nil })
}

func TestFailingSourcesRestAndAreParked(t *testing.T) {
	for name, src := range map[string]core.Source{
		"does not start":   source("exits", ""),
		"dies in the sync": source("live", `{"mode":"exit"}`),
		"panics":           source("good", `{"mode":"panic"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, clock := newPool(t, plugins.Options{})
			for i, pause := range []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute} {
				if err := use(t, host, src); core.KindOf(err) != core.KindUnavailable {
					t.Fatalf("try %d: %v", i, err)
				}
				waitFor(t, "waiting", func() bool { return stateOf(t, host, "s").State == plugins.StateWaiting })
				clock.advance(pause - 10*time.Second)
				err := use(t, host, src)
				until, resting := plugins.Resting(err)
				if !resting || until.IsZero() || !strings.Contains(err.Error(), "is tried again at") {
					t.Fatalf("try %d: %v", i, err)
				}
				clock.advance(11 * time.Second)
			}
			if err := use(t, host, src); core.KindOf(err) != core.KindUnavailable {
				t.Fatal(err)
			}
			waitFor(t, "parked", func() bool { return stateOf(t, host, "s").State == plugins.StateParked })
			clock.advance(24 * time.Hour)
			if err := use(t, host, src); !strings.Contains(err.Error(), "is parked since") {
				t.Fatal(err)
			}
			if err := host.Unpark(t.Context(), "s"); err != nil || stateOf(t, host, "s").State == plugins.StateParked {
				t.Fatalf("%+v %v", stateOf(t, host, "s"), err)
			}
			if _, resting := plugins.Resting(use(t, host, src)); resting {
				t.Fatal("not tried after the owner's word")
			}
			if err := use(t, host, source("good", "")); err != nil || stateOf(t, host, "s").Failures != 0 {
				t.Fatalf("after other settings: %+v %v", stateOf(t, host, "s"), err)
			}
		})
	}
}

func TestSomeFailuresParkAtOnceAndSomeAreNone(t *testing.T) {
	host, clock := newPool(t, plugins.Options{})
	if err := use(t, host, source("good", `{"cuont": 1}`)); core.KindOf(err) != core.KindConfig || stateOf(t, host, "s").State != plugins.StateParked {
		t.Errorf("settings: %v %+v", err, stateOf(t, host, "s"))
	}
	if err := use(t, host, source("good", `{"mode":"auth"}`)); core.KindOf(err) != core.KindAuth || stateOf(t, host, "s").State != plugins.StateParked {
		t.Errorf("credentials: %v %+v", err, stateOf(t, host, "s"))
	}
	err := use(t, host, source("good", `{"mode":"auth"}`))
	if until, resting := plugins.Resting(err); !resting || !until.IsZero() || core.KindOf(err) != core.KindAuth {
		t.Errorf("parked: %v", err)
	}
	busy := source("good", `{"mode":"busy"}`)
	for range 10 {
		if err := use(t, host, busy); core.KindOf(err) != core.KindBusy || stateOf(t, host, "s").Failures != 0 {
			t.Fatalf("busy: %v %+v", err, stateOf(t, host, "s"))
		}
		if _, resting := plugins.Resting(use(t, host, busy)); !resting {
			t.Fatal("the pause that was asked for is not kept")
		}
		clock.advance(8 * time.Second)
	}
	mine := errors.New("disk full")
	l, err := host.Use(t.Context(), source("good", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Sync(t.Context(), nil, core.SyncFirst, func(core.Change) error { return mine }); !errors.Is(err, mine) || stateOf(t, host, "s").Failures != 0 {
		t.Errorf("a failure of ours counts: %v %+v", err, stateOf(t, host, "s"))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Sync(ctx, nil, core.SyncFirst, func(core.Change) error { return nil }); err == nil || stateOf(t, host, "s").Failures != 0 {
		t.Errorf("a stop of ours counts: %v %+v", err, stateOf(t, host, "s"))
	}
}

// A source whose syncs are parked still answers what is asked live, and other
// sources notice nothing.
func TestParkedSourcesHoldUpNobody(t *testing.T) {
	host, _ := newPool(t, plugins.Options{})
	src := source("live", "") // has no token, so that its sync is refused
	if err := use(t, host, src); core.KindOf(err) != core.KindAuth {
		t.Fatal(err)
	}
	pidOf(t, host, src)
	other := core.Source{Name: "other", Connector: "good"}
	if err := use(t, host, core.Source{Name: "third", Connector: "panics-at-start"}); err == nil {
		t.Error("it started")
	}
	if err := use(t, host, other); err != nil || stateOf(t, host, "other").State != plugins.StateRunning {
		t.Errorf("%v %+v", err, stateOf(t, host, "other"))
	}
}

// Groups that may not be read are no reason to stop reading documents.
func TestStreamsRestApart(t *testing.T) {
	host, clock := newPool(t, plugins.Options{})
	src := source("good", "")
	l, err := host.Use(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	none := func(core.AccessChange) error { return nil }
	for range 4 {
		if err := l.Grants(t.Context(), nil, none); err == nil {
			t.Fatal("it has no grants")
		}
		clock.advance(31 * time.Minute)
	}
	if _, resting := plugins.Resting(l.Grants(t.Context(), nil, none)); !resting || stateOf(t, host, "s").State != plugins.StateParked {
		t.Errorf("%+v", stateOf(t, host, "s"))
	}
	if err := use(t, host, src); err != nil {
		t.Error(err)
	}
	if err := l.List(t.Context(), func(string, string) error { return nil }); err != nil {
		t.Error(err)
	}
	if got := stateOf(t, host, "s"); got.State != plugins.StateParked || !strings.Contains(got.Err.Error(), "who may read what") {
		t.Errorf("%+v", got)
	}
}

func TestCensorOfASourceThatIsDown(t *testing.T) {
	host, _ := newPool(t, plugins.Options{})
	got, err := host.CensorFor(source("live", "")).Censor(t.Context(), ann, passagesOf("open"))
	if err != nil || len(got) != 1 || !got[0].Keep {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := host.CensorFor(source("exits", "")).Censor(t.Context(), ann, passagesOf("open")); err == nil || len(got) > 0 {
		t.Errorf("%+v %v", got, err)
	}
}

func TestTokenThatExpiresInMidSync(t *testing.T) {
	var asked atomic.Int64
	log := &logged{}
	host, _ := newPool(t, plugins.Options{Log: slogTo(log), Token: func(_ context.Context, src core.Source, fresh bool) (plugins.Token, error) {
		n := asked.Add(1)
		if fresh != (n > 1) || src.Name != "s" {
			t.Errorf("call %d: fresh %v for %q", n, fresh, src.Name)
		}
		return plugins.Token{Access: []string{"token-0", "token-1", "token-2"}[min(n, 3)-1]}, nil
	}})
	l, err := host.Use(t.Context(), source("live", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var ids []string
	err = l.Sync(t.Context(), nil, core.SyncFirst, func(change core.Change) error {
		if up, ok := change.(core.Upsert); ok {
			ids = append(ids, up.Document.ExternalID)
		}
		return nil
	})
	if err != nil || strings.Join(ids, " ") != "0 1 2 3" || asked.Load() != 2 {
		t.Errorf("documents %v after %d tokens: %v", ids, asked.Load(), err)
	}
	err = l.Sync(t.Context(), nil, core.SyncFirst, func(core.Change) error { return nil })
	if core.KindOf(err) != core.KindAuth || strings.Contains(err.Error(), "token-1") || strings.Contains(err.Error(), "token-2") {
		t.Errorf("refused twice: %v", err)
	}
	if got := stateOf(t, host, "s"); got.State != plugins.StateParked {
		t.Errorf("%+v", got)
	}
}

func TestTokensAreRenewedBeforeTheyExpire(t *testing.T) {
	var asked atomic.Int64
	host, _ := newPool(t, plugins.Options{Token: func(context.Context, core.Source, bool) (plugins.Token, error) {
		if n := asked.Add(1); n > 1 {
			return plugins.Token{Access: "token-0", Expiry: time.Now().Add(time.Hour)}, nil
		}
		return plugins.Token{Access: "stale", Expiry: time.Now().Add(1200 * time.Millisecond)}, nil
	}})
	l, err := host.Use(t.Context(), source("live", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	waitFor(t, "a second token", func() bool { return asked.Load() == 2 })
	waitFor(t, "the connector has it", func() bool {
		sent := 0
		stop := errors.New("enough")
		l.Connection.Sync(t.Context(), nil, core.SyncFirst, func(core.Change) error { sent++; return stop })
		return sent > 0
	})
}
