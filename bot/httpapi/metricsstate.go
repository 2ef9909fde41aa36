package httpapi

import "github.com/prometheus/client_golang/prometheus"

// State is what is counted elsewhere and read at every scrape.
type State struct {
	Known   bool // false: it could not be read in time, and is left out
	Sources []SourceState
	Running int             // turns that have not ended, those that wait included
	Waiting map[string]int  // events of a platform that nobody handles yet
	Up      map[string]bool // whether a platform is connected
}

// SourceState is one source.
type SourceState struct {
	Name                          string
	Documents, NotIndexed, Failed int
	Crashes                       int // of its connector since the start
}

// stateCollector turns a State into metrics.
type stateCollector struct{ state func() State }

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

var (
	documentsDesc = describe("footnote_documents", "Documents in the ledger.", "source")
	backlogDesc   = describe("footnote_index_backlog_documents", "Documents that search cannot find yet in their newest version.", "source")
	failedDesc    = describe("footnote_failed_documents", "Documents that could not be read.", "source")
	crashesDesc   = describe("footnote_connector_crashes_total", "Crashes of the source's connector since the start.", "source")
	runningDesc   = describe("footnote_turns_open", "Turns that run or wait.")
	waitingDesc   = describe("footnote_events_waiting", "Events of a platform that nobody handles yet.", "platform")
	upDesc        = describe("footnote_platform_up", "1 while the platform is connected.", "platform")
	knownDesc     = describe("footnote_state_read", "1 where the numbers of sources could be read.")
)

// Describe sends all that Collect may send.
func (c *stateCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{documentsDesc, backlogDesc, failedDesc, crashesDesc, runningDesc, waitingDesc, upDesc, knownDesc} {
		to <- d
	}
}

// Collect asks for the state and sends it.
func (c *stateCollector) Collect(to chan<- prometheus.Metric) {
	st := c.state()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for _, s := range st.Sources {
		gauge(documentsDesc, float64(s.Documents), s.Name)
		gauge(backlogDesc, float64(s.NotIndexed), s.Name)
		gauge(failedDesc, float64(s.Failed), s.Name)
		to <- prometheus.MustNewConstMetric(crashesDesc, prometheus.CounterValue, float64(s.Crashes), s.Name)
	}
	gauge(runningDesc, float64(st.Running))
	for platform, n := range st.Waiting {
		gauge(waitingDesc, float64(n), platform)
	}
	for platform, up := range st.Up {
		gauge(upDesc, one(up), platform)
	}
	gauge(knownDesc, one(st.Known))
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
