package otlp

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	mostWaiting  = 512 // traces that wait for being sent; more are dropped
	mostAtOnce   = 64
	collect      = 2 * time.Second // how long the first of a request waits for others
	patience     = 10 * time.Second
	tries        = 4
	longestPause = 30 * time.Second
)

// Options set up an Exporter.
type Options struct {
	Endpoint string            // base address of the collector, http or https, without the path of traces
	Headers  map[string]string // with each request
	Service  string            // the resource's service.name
	Version  string            // and its service.version
	Client   *http.Client      // nil takes one of its own
	Log      *slog.Logger
}

// Exporter sends traces in the background. Nothing waits for it: what a collector does
// not take in time is dropped, counted and told to the log.
type Exporter struct {
	opts    Options
	url     string
	waiting chan Trace
	stop    context.CancelFunc
	hurry   chan struct{} // closed by Close
	done    chan struct{}
	pause   func(context.Context, time.Duration) // between two tries

	mu      sync.Mutex
	closed  bool
	dropped int // since lost was asked
}

// New starts an exporter; Close ends it.
func New(o Options) *Exporter {
	if o.Client == nil {
		o.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // the headers are for this collector alone
		}}
	}
	ctx, stop := context.WithCancel(context.Background())
	e := &Exporter{
		opts: o, url: strings.TrimSuffix(o.Endpoint, "/") + "/v1/traces", pause: wait,
		waiting: make(chan Trace, mostWaiting), stop: stop, hurry: make(chan struct{}), done: make(chan struct{}),
	}
	go e.run(ctx)
	return e
}

// Send hands a trace over and never waits.
func (e *Exporter) Send(t Trace) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	select {
	case e.waiting <- t:
	default:
		e.dropped++
	}
}

// Close sends what waits, for as long as ctx lasts.
func (e *Exporter) Close(ctx context.Context) {
	e.mu.Lock()
	if !e.closed {
		e.closed = true
		close(e.hurry)
		close(e.waiting)
	}
	e.mu.Unlock()
	select {
	case <-e.done:
	case <-ctx.Done():
	}
	e.stop()
	<-e.done
}

func (e *Exporter) run(ctx context.Context) {
	defer close(e.done)
	silent, missed := false, 0
	for first := range e.waiting {
		batch := e.more(first)
		err := e.deliver(ctx, batch)
		if ctx.Err() != nil {
			if err != nil {
				missed += len(batch)
			}
			e.tellLeft(missed)
			return
		}
		if missed += e.lost(); err != nil {
			missed += len(batch)
		}
		switch {
		case err != nil && !silent:
			e.opts.Log.Warn("the collector does not take traces; they are dropped", "endpoint", e.url, "error", err)
		case err == nil && missed > 0:
			e.opts.Log.Warn("the collector takes traces; some were dropped before", "endpoint", e.url, "dropped", missed)
			missed = 0
		}
		silent = err != nil
	}
}

// tellLeft tells at the end what did not get away, with what still waits.
func (e *Exporter) tellLeft(missed int) {
	for range e.waiting {
		missed++
	}
	if missed += e.lost(); missed > 0 {
		e.opts.Log.Warn("the collector did not take the last traces in time; they are dropped", "endpoint", e.url, "dropped", missed)
	}
}

func (e *Exporter) lost() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := e.dropped
	e.dropped = 0
	return n
}

// more waits a moment for others that go with the first.
func (e *Exporter) more(first Trace) []Trace {
	batch := []Trace{first}
	timer := time.NewTimer(collect)
	defer timer.Stop()
	hurry, ended := e.hurry, timer.C
	for len(batch) < mostAtOnce {
		select {
		case t, ok := <-e.waiting:
			if !ok {
				return batch
			}
			batch = append(batch, t)
		case <-hurry: // what waits already is in the channel, which is closed
			hurry, ended = nil, nil
		case <-ended:
			return batch
		}
	}
	return batch
}

// deliver sends a batch, and again where the collector asks for it.
func (e *Exporter) deliver(ctx context.Context, batch []Trace) error {
	body, err := json.Marshal(e.request(batch))
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		after, err := e.post(ctx, body)
		if err == nil || after < 0 || n == tries || ctx.Err() != nil {
			return err
		}
		e.pause(ctx, min(max(after, time.Second<<(n-1)), longestPause))
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (e *Exporter) request(batch []Trace) wireRequest {
	var r wireResource
	r.Resource.Attributes = wireAttributes([]Attribute{{"service.name", e.opts.Service}, {"service.version", e.opts.Version}})
	var s wireScope
	s.Scope.Name, s.Scope.Version = "footnote", e.opts.Version
	for _, t := range batch {
		s.Spans = append(s.Spans, t.spans()...)
	}
	r.Scopes = []wireScope{s}
	return wireRequest{[]wireResource{r}}
}
