package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// collector is a collector that answers each request with the next of its answers, and
// the last one for ever.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	answers []int
	bodies  []string
	headers []http.Header
}

func newCollector(t *testing.T, answers ...int) *collector {
	c := &collector{answers: answers}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	status := c.answers[0]
	if len(c.answers) > 1 {
		c.answers = c.answers[1:]
	}
	c.bodies, c.headers = append(c.bodies, r.URL.Path+" "+string(body)), append(c.headers, r.Header)
	w.Header().Set("Retry-After", "7")
	w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "no such key: "+r.Header.Get("Api-Key")) // as some do
}

func (c *collector) got() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.bodies...)
}

// exporter sends to the collector and waits for nothing.
func exporter(c *collector, log io.Writer) (e *Exporter, pauses *[]time.Duration) {
	pauses = &[]time.Duration{}
	e = New(Options{Endpoint: c.URL + "/", Service: "kb", Version: "v1", Headers: map[string]string{"Api-Key": "secret"}, Log: slog.New(slog.NewTextHandler(log, nil))})
	e.pause = func(_ context.Context, d time.Duration) { *pauses = append(*pauses, d) }
	return e, pauses
}

func sample() Trace {
	start := time.Unix(1_800_000_000, 5)
	return Trace{ID: [16]byte{1, 2, 15: 9}, Span: Span{Name: "turn", Kind: Server, Start: start, End: start.Add(time.Second), Failed: "busy",
		Attributes: []Attribute{{"a", "text"}, {"b", 3}, {"c", true}, {"d", 0.5}, {"dropped", []int{1}}},
		Children:   []Span{{Name: "chat \xffm", Kind: Client, Start: start, End: start}},
	}}
}

const wire = `/v1/traces {"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"kb"}},{"key":"service.version","value":{"stringValue":"v1"}}]},` +
	`"scopeSpans":[{"scope":{"name":"footnote","version":"v1"},"spans":[` +
	`{"traceId":"01020000000000000000000000000009","spanId":"0000000000000008","name":"turn","kind":2,"startTimeUnixNano":"1800000000000000005","endTimeUnixNano":"1800000001000000005",` +
	`"attributes":[{"key":"a","value":{"stringValue":"text"}},{"key":"b","value":{"intValue":"3"}},{"key":"c","value":{"boolValue":true}},{"key":"d","value":{"doubleValue":0.5}}],"status":{"message":"busy","code":2}},` +
	`{"traceId":"01020000000000000000000000000009","spanId":"000000000000000b","parentSpanId":"0000000000000008","name":"chat m","kind":3,"startTimeUnixNano":"1800000000000000005","endTimeUnixNano":"1800000000000000005"}]}]}]}`

func TestWire(t *testing.T) {
	c := newCollector(t, http.StatusOK)
	e, _ := exporter(c, io.Discard)
	e.Send(sample())
	e.Close(t.Context())
	e.Close(t.Context())
	e.Send(sample()) // after the end: nothing happens
	if got := c.got(); len(got) != 1 || got[0] != wire {
		t.Errorf("got %s\nwant %s", got, wire)
	}
	if h := c.headers[0]; h.Get("Api-Key") != "secret" || h.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", h)
	}
}

func TestAnswers(t *testing.T) {
	for _, row := range []struct {
		name    string
		answers []int
		want    int // requests
		pauses  int
		said    string // in the log; "" for nothing
	}{
		{"taken", []int{200}, 1, 0, ""},
		{"taken with another success", []int{202}, 1, 0, ""},
		{"busy twice", []int{429, 503, 200}, 3, 2, ""},
		{"busy for ever", []int{503}, tries, tries - 1, "the collector answers 503"},
		{"refused", []int{401}, 1, 0, "the collector answers 401"},
		{"sent elsewhere", []int{307}, 1, 0, "the collector answers 307"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var log bytes.Buffer
			c := newCollector(t, row.answers...)
			e, pauses := exporter(c, &log)
			e.Send(sample())
			e.Close(t.Context())
			if got := len(c.got()); got != row.want || len(*pauses) != row.pauses {
				t.Errorf("%d requests and pauses %v, want %d and %d", got, *pauses, row.want, row.pauses)
			}
			for _, p := range *pauses {
				if p != 7*time.Second {
					t.Errorf("a pause of %s, although the collector asks for 7s", p)
				}
			}
			if said := log.String(); row.said == "" && said != "" || !strings.Contains(said, row.said) || strings.Contains(said, "secret") {
				t.Errorf("the log says %s, want %q", said, row.said)
			}
		})
	}
}

// A collector that hangs holds up nobody who sends, and the end not for longer than it
// may.
func TestHangingCollector(t *testing.T) {
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer server.Close()
	defer close(hang)
	var log bytes.Buffer
	e := New(Options{Endpoint: server.URL, Log: slog.New(slog.NewTextHandler(&log, nil))})
	for range 3 * mostWaiting {
		e.Send(sample())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e.Close(ctx)
	if !strings.Contains(log.String(), "dropped=1536") {
		t.Errorf("all of them were dropped, and the log says %s", &log)
	}
}

func TestManyTracesGoTogether(t *testing.T) {
	c := newCollector(t, http.StatusOK)
	e, _ := exporter(c, io.Discard)
	for range 200 {
		e.Send(sample())
	}
	e.Close(t.Context())
	spans := 0
	for _, body := range c.got() {
		var r wireRequest
		if err := json.Unmarshal([]byte(strings.TrimPrefix(body, "/v1/traces ")), &r); err != nil {
			t.Fatal(err)
		}
		n := len(r.Resources[0].Scopes[0].Spans)
		if spans += n; n > 2*mostAtOnce {
			t.Errorf("%d spans in one request", n)
		}
	}
	if spans != 400 {
		t.Errorf("%d spans came, want 400", spans)
	}
}
