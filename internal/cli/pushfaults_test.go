package cli

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// badLine is the way to a server, on which much goes wrong until it was enough.
type badLine struct {
	random *rand.Rand
	left   int            // faults
	struck map[string]int // what went wrong so far
}

var lineFaults = []string{"cut request", "cut answer", "left", "503", "429", "twice"}

func (l *badLine) RoundTrip(r *http.Request) (*http.Response, error) {
	if l.left == 0 || l.random.IntN(5) < 2 {
		return http.DefaultTransport.RoundTrip(r)
	}
	l.left--
	kind := lineFaults[l.left%len(lineFaults)]
	l.struck[kind]++
	switch kind {
	case "cut request":
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(io.MultiReader(io.LimitReader(r.Body, r.ContentLength/2), iotest.ErrReader(syscall.ECONNRESET)))
	case "left": // soon after all was sent, wherever the server is then
		ctx, cancel := context.WithCancel(r.Context())
		after := time.Duration(l.random.IntN(60)) * time.Millisecond
		r = r.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			WroteRequest: func(httptrace.WroteRequestInfo) { time.AfterFunc(after, cancel) },
		}))
	case "503", "429":
		w := &http.Response{StatusCode: http.StatusServiceUnavailable, Status: kind, Header: http.Header{}, Body: http.NoBody, Request: r}
		if kind == "429" {
			w.StatusCode, w.Header = http.StatusTooManyRequests, http.Header{"Retry-After": {"1"}}
		}
		return w, r.Body.Close()
	case "twice":
		first, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		_, _ = io.Copy(io.Discard, first.Body) // what it says is as good as lost
		_ = first.Body.Close()
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = body
	}
	got, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && kind == "cut answer" {
		got.Body = readCloser{io.MultiReader(io.LimitReader(got.Body, 100), iotest.ErrReader(io.ErrUnexpectedEOF)), got.Body}
	}
	return got, err
}

type readCloser struct {
	io.Reader
	io.Closer
}

// pushedBatches are documents in batches; each batch but the first also edits,
// closes and deletes some of the one before it.
func pushedBatches(batches, each int) []bundle {
	var out []bundle
	for b := range batches {
		var lines strings.Builder
		for n := b * each; n < (b+1)*each; n++ {
			fmt.Fprintf(&lines, `{"id": "d%04d", "title": "Number %d", "text": "# Number %d\n\nText number %d of many.", "access": ["public"]}`+"\n", n, n, n, n)
		}
		if before := (b - 1) * each; b > 0 {
			fmt.Fprintf(&lines, `{"id": "d%04d", "delete": true}`+"\n", before)
			fmt.Fprintf(&lines, `{"id": "d%04d", "text": "Edited.", "access": ["public"]}`+"\n", before+1)
			fmt.Fprintf(&lines, `{"id": "d%04d", "title": "Number %d", "text": "# Number %d\n\nText number %d of many.", "access": ["user:ann@example.com"]}`+"\n", before+2, before+2, before+2, before+2)
		}
		out = append(out, bundle{"application/x-ndjson", []byte(lines.String())})
	}
	return out
}

// pushAll sends one batch until it is taken in, as a script does, and returns how
// often that was.
func pushAll(t *testing.T, client *http.Client, url, source, token string, b bundle) int {
	t.Helper()
	for try := 1; ; try++ {
		a, _, err := pushOnce(t.Context(), client, url+"/documents?source="+source, token, b)
		if err == nil {
			for _, d := range a.Documents {
				if d.Kind != "" {
					t.Fatalf("%s: %+v", source, d)
				}
			}
			return try
		}
		if try == 100 {
			t.Fatalf("%s: %v", source, err)
		}
		time.Sleep(20 * time.Millisecond) // the server takes ten requests a second
	}
}

// inLedger is all that is stored of a source, apart from what depends on the order
// of things, and what its index lacks.
func (u *user) inLedger(t *testing.T, source string) []string {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(u.dir, "data", "footnote.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT substr(d.id, length(d.source)+2) || '|' || d.title || '|' || d.hidden || '|' || hex(d.content_hash) || '|' || (d.indexed < d.generation OR d.facts_indexed < d.facts_generation)
		|| '|' || (SELECT group_concat(principal) FROM access WHERE document = d.n) || '|' || p.ordinal || '|' || p.heading || '|' || p.text
		FROM documents d LEFT JOIN passages p ON p.document = d.n WHERE d.source = ?1
		UNION ALL SELECT 'failed ' || external_id FROM failures WHERE source = ?1
		UNION ALL SELECT 'in the index ' || document FROM tombstones WHERE document LIKE ?1 || '/%' ORDER BY 1`, source)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		out = append(out, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// Documents that are pushed over a bad line, to a server that is killed meanwhile,
// are the same in the end as those that nothing disturbs.
func TestPushThroughFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("pushes 6,000 documents and kills a process; takes seconds")
	}
	t.Parallel()
	const each = 150
	u, batches := pushing(t), pushedBatches(20, each)
	u.must("source", "add", "push", "--name", "calm")
	tokens := map[string]string{}
	for _, source := range []string{"calm", "wiki"} {
		tokens[source] = strings.TrimSpace(u.must("token", "create", "--source", source))
	}
	p := serveProcess(t, u.dir)
	for _, b := range batches {
		pushAll(t, http.DefaultClient, p.url, "calm", tokens["calm"], b)
	}
	line := &badLine{random: rand.New(rand.NewPCG(1, 2)), left: 24, struck: map[string]int{}}
	tries := 0
	for n, b := range batches {
		if n == len(batches)/2 {
			p = pushKilled(t, u, p, tokens["wiki"], b)
		}
		tries += pushAll(t, &http.Client{Transport: line}, p.url, "wiki", tokens["wiki"], b)
	}
	want := u.inLedger(t, "calm")
	if diff := cmp.Diff(want, u.inLedger(t, "wiki")); diff != "" || len(want) < (each-1)*len(batches) {
		t.Errorf("%d in the undisturbed ledger (-undisturbed +disturbed)\n%s", len(want), diff)
	}
	t.Logf("%d tries of %d batches, %v", tries, len(batches), line.struck)
	if len(line.struck) < len(lineFaults) || tries < len(batches)+10 {
		t.Errorf("too little went wrong")
	}
	p.kill()
	stored := 2 * (each*len(batches) - (len(batches) - 1)) // each batch but the last lost one
	if got := u.inIndex(t); got != stored {
		t.Errorf("%d documents in the index, not %d", got, stored)
	}
}

// inIndex counts the documents of the index.
func (u *user) inIndex(t *testing.T) int {
	t.Helper()
	a, err := openApp(t.Context(), mustConfig(t, u), "", discard())
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	documents, _, err := a.index.Count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return documents
}

// pushKilled kills the server while it takes a batch in, and starts it again.
func pushKilled(t *testing.T, u *user, p *process, token string, b bundle) *process {
	t.Helper()
	sent, answered := make(chan struct{}), make(chan error, 1)
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { close(sent) }})
	go func() {
		_, _, err := pushOnce(ctx, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, p.url+"/documents", token, b)
		answered <- err
	}()
	<-sent
	time.Sleep(15 * time.Millisecond) // wherever that is
	p.kill()
	t.Logf("killed: %v", <-answered)
	return serveProcess(t, u.dir)
}
