package httpapi

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics counts what happens, for Prometheus. It has a registry of its own. No
// label holds anything that a person typed; sources and models are those of the
// owner's configuration. Its methods may be called from several goroutines.
type Metrics struct {
	registry  *prometheus.Registry
	questions *prometheus.CounterVec
	first     *prometheus.HistogramVec
	took      *prometheus.HistogramVec
	calls     *prometheus.CounterVec
	tokens    *prometheus.CounterVec
	cost      *prometheus.CounterVec
	search    prometheus.Histogram
	syncs     *prometheus.CounterVec
}

var (
	waits    = []float64{.1, .25, .5, 1, 2, 3, 5, 8, 13, 21, 34, 60, 120}
	searches = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 3}
)

// NewMetrics makes the counters. State is asked at every scrape for what is counted
// elsewhere; nil leaves that out. Version is this build's.
func NewMetrics(version string, state func() State) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		questions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "footnote_questions_total", Help: "Turns that ended, by platform and how.",
		}, []string{"platform", "outcome"}),
		first: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "footnote_first_text_seconds", Help: "From taking a question up to the first text of its answer.", Buckets: waits,
		}, []string{"platform"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "footnote_turn_seconds", Help: "From taking a question up to the end of its turn.", Buckets: waits,
		}, []string{"platform"}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "footnote_model_calls_total", Help: "Calls of models, for questions and to read documents, by model and whether they failed.",
		}, []string{"model", "result"}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "footnote_model_tokens_total", Help: "Tokens that models took in and gave, as the provider reported them or, where it did not, estimated.",
		}, []string{"model", "direction"}),
		cost: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "footnote_model_cost_total", Help: "Cost of calls whose price is configured, in the currency of the prices.",
		}, []string{"model"}),
		search: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "footnote_search_seconds", Help: "One search of a turn, live sources included.", Buckets: searches,
		}),
		syncs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "footnote_syncs_total", Help: "Syncs that ended, by source and result.",
		}, []string{"source", "result"}),
	}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "footnote_build_info", Help: "Always 1; the label says which build runs."}, []string{"version"})
	build.WithLabelValues(version).Set(1)
	m.registry.MustRegister(m.questions, m.first, m.took, m.calls, m.tokens, m.cost, m.search, m.syncs, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if state != nil {
		m.registry.MustRegister(&stateCollector{state})
	}
	return m
}

// Handler answers a scrape. Who may ask is for the caller to decide.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 30 * time.Second})
}

// Question counts a turn that ended. First is 0 where it had no text.
func (m *Metrics) Question(platform, outcome string, first, took time.Duration) {
	m.questions.WithLabelValues(platform, outcome).Inc()
	if first > 0 {
		m.first.WithLabelValues(platform).Observe(first.Seconds())
	}
	m.took.WithLabelValues(platform).Observe(took.Seconds())
}

// Model counts calls of a model.
func (m *Metrics) Model(model string, calls, failed, in, out int, cost float64) {
	m.calls.WithLabelValues(model, "ok").Add(float64(calls - failed))
	m.calls.WithLabelValues(model, "failed").Add(float64(failed))
	m.tokens.WithLabelValues(model, "in").Add(float64(in))
	m.tokens.WithLabelValues(model, "out").Add(float64(out))
	m.cost.WithLabelValues(model).Add(cost)
}

// Search counts one search.
func (m *Metrics) Search(took time.Duration) { m.search.Observe(took.Seconds()) }

// Sync counts a sync that ended.
func (m *Metrics) Sync(source string, failed bool) {
	result := "ok"
	if failed {
		result = "failed"
	}
	m.syncs.WithLabelValues(source, result).Inc()
}
