package otlp

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// says is a server that answers each connection with the same bytes, whatever they are.
func says(t *testing.T, answer string) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if req, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				_, _ = io.Copy(io.Discard, req.Body)
			}
			_, _ = io.WriteString(c, answer)
			_ = c.Close()
		}
	}()
	return "http://" + l.Addr().String()
}

// What a server says goes into the log in short, wherever it says it, and without what
// it was told in confidence.
func TestOddAnswers(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	partly := func(body string) string {
		return "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body
	}
	for _, row := range []struct{ name, answer, want string }{
		{"no HTTP", "top-secret " + long + "\r\n", "malformed HTTP"},
		{"a long reason", "HTTP/1.1 500 of top-secret " + long + "\r\nConnection: close\r\n\r\n", "the collector answers 500 of … x"},
		{"a long text", "HTTP/1.1 400 Bad\r\nConnection: close\r\n\r\ntop-secret" + long, "the collector answers 400 Bad"},
		{"some refused", partly(`{"partialSuccess":{"rejectedSpans":"3","errorMessage":"top-secret is poor"}}`), `the collector refused 3 spans`},
		{"some refused, a number", partly(`{"partialSuccess":{"rejectedSpans":3}}`), `the collector refused 3 spans`},
		{"none refused", partly(`{"partialSuccess":{"rejectedSpans":"0","errorMessage":"be quick"}}`), ""},
		{"nothing of note", partly(`{"partialSuccess":null}`), ""},
		{"garbage that is a success", partly(long), ""},
		{"odd numbers", partly(`{"partialSuccess":{"rejectedSpans":{}}}`), ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			var log bytes.Buffer
			e := New(Options{Endpoint: says(t, row.answer), Headers: map[string]string{"Api-Key": "Bearer top-secret"}, Log: slog.New(slog.NewTextHandler(&log, nil))})
			e.pause = func(context.Context, time.Duration) {}
			e.Send(sample())
			e.Close(t.Context())
			said := log.String()
			if (row.want == "") != (said == "") || !strings.Contains(said, row.want) || strings.Contains(said, "secret") || len(said) > 2000 {
				t.Errorf("the log says %.3000s, want %q", said, row.want)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2027, 3, 14, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-7": 0, "soon": 0,
		"9223372036854775807": longestPause, "99999999999999999999999": longestPause, "10000000000": longestPause,
		"Sun, 14 Mar 2027 12:00:09 GMT": 9 * time.Second, "Sun, 14 Mar 2027 11:00:00 GMT": 0,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
}

// The end tells of traces that did not get away.
func TestLeftAtTheEnd(t *testing.T) {
	var log bytes.Buffer
	e := New(Options{Endpoint: "http://127.0.0.1:1", Log: slog.New(slog.NewTextHandler(&log, nil))})
	ctx, cancel := context.WithCancel(t.Context())
	e.pause = func(ctx context.Context, _ time.Duration) { cancel(); <-ctx.Done() }
	for range mostAtOnce + 3 {
		e.Send(sample())
	}
	e.Close(ctx)
	if said := log.String(); !strings.Contains(said, "did not take the last traces in time") || !strings.Contains(said, "dropped=67") {
		t.Errorf("the log says %s", said)
	}
}
