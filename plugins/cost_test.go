package plugins_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
	"github.com/footnote-bot/footnote/plugins"
)

// What connectors cost. These take seconds and are not short.

// small is the connector of testdata, built when first needed.
var small = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "small-")
	if err != nil {
		return "", err
	}
	exe := filepath.Join(dir, "small")
	if out, err := exec.Command("go", "build", "-o", exe, "./testdata/small").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	built = dir
	return exe, nil
})

// built is what TestMain removes at the end.
var built string

// buildSmall returns a host that starts the connector of testdata.
func buildSmall(t testing.TB) *plugins.Host {
	t.Helper()
	exe, err := small()
	if err != nil {
		t.Fatal(err)
	}
	return newHost(t, plugins.Options{Command: func(string) (string, []string, error) { return exe, nil, nil }})
}

func openSmall(t testing.TB, host *plugins.Host, config string) *plugins.Connection {
	t.Helper()
	c, err := host.Open(t.Context(), core.Source{Name: "s", Connector: "small", Config: []byte(config)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// rss is the resident memory of a process in MB.
func rss(t testing.TB, pid string) float64 {
	t.Helper()
	data, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		t.Skipf("no /proc here: %v", err)
	}
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return float64(kb) / 1024
}

func TestIdleConnectorIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	c := openSmall(t, buildSmall(t), `{}`)
	pid := ""
	if err := c.Sync(t.Context(), nil, core.SyncFirst, func(change core.Change) error {
		if up, ok := change.(core.Upsert); ok {
			pid = up.Document.Body
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	if mb := rss(t, pid); mb > 20 {
		t.Errorf("an idle connector takes %.1f MB", mb)
	} else {
		t.Logf("an idle connector takes %.1f MB", mb)
	}
}

// A host that takes 10 documents of 100 KB a second must not make the connector
// collect the others.
func TestSlowHostKeepsTheConnectorSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 6 seconds")
	}
	c := openSmall(t, buildSmall(t), `{"count": -1, "size": 102400}`)
	stop := errors.New("enough")
	pid, taken := "", 0
	var early, late float64
	err := c.Sync(t.Context(), nil, core.SyncFirst, func(change core.Change) error {
		if up := change.(core.Upsert); up.Document.ExternalID == "pid" {
			pid = up.Document.Body
			return nil
		}
		time.Sleep(100 * time.Millisecond)
		switch taken++; taken {
		case 15:
			early = rss(t, pid)
		case 60:
			late = rss(t, pid)
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	t.Logf("%.1f MB after 15 documents, %.1f MB after 60", early, late)
	if late > early+4 || late > 40 {
		t.Errorf("it grows: %.1f MB after 15 documents, %.1f MB after 60", early, late)
	}
}

// A host lives for months; the hundredth crash must cost what the first did.
func TestMemoryStaysFlatOverCrashes(t *testing.T) {
	if testing.Short() {
		t.Skip("starts 120 processes")
	}
	host, _ := newPool(t, plugins.Options{})
	tmp := shortTemp(t)
	crash := func() {
		if err := use(t, host, source("live", `{"mode":"exit"}`)); core.KindOf(err) != core.KindUnavailable {
			t.Fatal(err)
		}
		if err := host.Unpark(t.Context(), "s"); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		crash()
	}
	heap, routines, files := heapInUse(), runtime.NumGoroutine(), openFDs(t)
	for range 100 {
		crash()
	}
	waitFor(t, "the goroutines of dead connectors end", func() bool { return runtime.NumGoroutine() <= routines+2 })
	waitFor(t, "their files are closed", func() bool { return openFDs(t) <= files+2 })
	grown := float64(int64(heapInUse())-int64(heap)) / 1024
	t.Logf("100 crashes: %.0f KB more on the heap", grown)
	if grown > 1024 {
		t.Errorf("100 crashes left %.0f KB on the heap", grown)
	}
	if got := stateOf(t, host, "s").Crashes; got != 120 {
		t.Errorf("%d crashes were counted", got)
	}
	left(t, tmp)
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

const streamed = 20_000 // documents of 4 KB in one run

func perSecond(t testing.TB, run func() (int, error)) float64 {
	t.Helper()
	start := time.Now()
	n, err := run()
	if err != nil || n < streamed {
		t.Fatalf("%d documents: %v", n, err)
	}
	return float64(n) / time.Since(start).Seconds()
}

func syncAll(ctx context.Context, c *plugins.Connection) (n int, err error) {
	err = c.Sync(ctx, nil, core.SyncFirst, func(core.Change) error { n++; return nil })
	return n, err
}

// bareServer streams without go-plugin and SDK, in a process of its own.
type bareServer struct {
	wire.UnimplementedConnectorServer
}

func (bareServer) Sync(_ *wire.SyncRequest, stream wire.Connector_SyncServer) error {
	body := []byte(strings.Repeat("x", 4096))
	for i := range streamed {
		d := &wire.Document{Id: fmt.Sprint("d", i), Title: "T", Body: body, Access: &wire.Access{Workspace: true}}
		if err := stream.Send(&wire.SyncEvent{Event: &wire.SyncEvent_Document{Document: d}}); err != nil {
			return err
		}
	}
	return nil
}

func actAsBareServer(kind, socket string) {
	var opts []grpc.ServerOption
	if kind == "tls" {
		opts = append(opts, grpc.Creds(credentials.NewServerTLSFromCert(ownCert())))
	}
	l, err := net.Listen("unix", socket)
	if err == nil {
		s := grpc.NewServer(opts...)
		wire.RegisterConnectorServer(s, bareServer{})
		err = s.Serve(l)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func ownCert() *tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func dialBare(t testing.TB, kind string) wire.ConnectorClient {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "bare-") // short: it is a socket's path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	cmd := exec.Command(os.Args[0], "act-as-bare-server", kind, socket)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	creds := insecure.NewCredentials()
	if kind == "tls" {
		creds = credentials.NewTLS(&tls.Config{InsecureSkipVerify: true}) // only the cost counts here
	}
	conn, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(creds))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return wire.NewConnectorClient(conn)
}

func readBare(ctx context.Context, client wire.ConnectorClient) (int, error) {
	stream, err := client.Sync(ctx, &wire.SyncRequest{}, grpc.WaitForReady(true))
	if err != nil {
		return 0, err
	}
	for n := 0; ; n++ {
		if _, err := stream.Recv(); errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
}

func BenchmarkWire(b *testing.B) {
	c := openSmall(b, buildSmall(b), fmt.Sprintf(`{"count": %d}`, streamed))
	var best float64
	for b.Loop() {
		best = max(best, perSecond(b, func() (int, error) { return syncAll(b.Context(), c) }))
	}
	b.ReportMetric(best, "docs/s")
}

func BenchmarkBareStream(b *testing.B) {
	client := dialBare(b, "tls")
	var best float64
	for b.Loop() {
		best = max(best, perSecond(b, func() (int, error) { return readBare(b.Context(), client) }))
	}
	b.ReportMetric(best, "docs/s")
}

func BenchmarkStart(b *testing.B) {
	host := buildSmall(b)
	for b.Loop() {
		c, err := host.Open(b.Context(), core.Source{Name: "s", Connector: "small"})
		if err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}
