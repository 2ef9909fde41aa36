//go:build peers

package plugins_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
	"github.com/footnote-bot/footnote/plugins"
)

// peerProgram is the connector in Node.js, which is a program by its first line. A machine that lacks what it needs
// fails the test: whoever asks for these tests wants them run.
func peerProgram(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Fatal("the tests of the connector in Node.js need node, version 20.15 or later: install it and run make peers again")
	}
	main, err := filepath.Abs(filepath.Join("..", "plugin-sdk", "examples", "jsonfeed", "main.js"))
	if err != nil {
		t.Fatal(err)
	}
	return main
}

// openPeer starts the connector on a source of the host.
func openPeer(t *testing.T, config string) (*plugins.Connection, *logged, error) {
	t.Helper()
	main := peerProgram(t)
	log := &logged{}
	host := plugins.NewHost(plugins.Options{
		Dir: t.TempDir(), Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Command: func(string) (string, []string, error) { return main, nil, nil },
	})
	c, err := host.Open(t.Context(), core.Source{Name: "news", Connector: "jsonfeed", Config: []byte(config)})
	if err == nil {
		t.Cleanup(func() { c.Close() })
	}
	return c, log, err
}

// TestPeersWholeRoad takes the connector in Node.js through the host's own road.
func TestPeersWholeRoad(t *testing.T) {
	main := peerProgram(t)
	c, log, err := openPeer(t, `{"feed": "`+filepath.Join(filepath.Dir(main), "testdata", "feed.json")+`", "access": "host"}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.About(); got.Name != "jsonfeed" || !c.CanList() || !c.CanSearch() || c.CanGrants() || c.CanCensor() {
		t.Errorf("about: %+v", got)
	}
	if warnings, err := c.Check(t.Context()); err != nil || len(warnings) > 0 {
		t.Errorf("check: %v %v", warnings, err)
	}
	changes, err := collect(t, c)
	if err != nil {
		t.Fatal(err)
	}
	docs, cursor := map[string]core.Upsert{}, core.Cursor(nil)
	for _, change := range changes {
		switch ch := change.(type) {
		case core.Upsert:
			docs[ch.Document.ExternalID] = ch
		case core.Checkpoint:
			cursor = ch.Cursor
		default:
			t.Errorf("%#v", change)
		}
	}
	if d := docs["keys"].Document; len(docs) != 6 || !slices.Equal(d.Access, core.NewAccess(core.User("ann@example.com"), core.User("ben@example.com"))) {
		t.Errorf("%d documents, keys: %+v", len(docs), d)
	}
	if d := docs["backup"]; !d.HostAccess || d.Document.MediaType != "text/html" || d.Document.URL != "https://ops.example.com/notes/backup" ||
		!d.Document.Updated.Equal(time.Date(2026, 6, 1, 9, 30, 0, 0, time.UTC)) || len(d.Document.Files) != 1 {
		t.Fatalf("backup: %+v", d)
	}
	again := 0
	if err := c.Sync(t.Context(), cursor, core.SyncPoll, func(change core.Change) error {
		if _, ok := change.(core.Upsert); ok {
			again++
		}
		return nil
	}); err != nil || again > 0 {
		t.Errorf("a poll brought %d documents: %v", again, err)
	}
	listed := 0
	if err := c.List(t.Context(), func(id, revision string) error {
		if _, ok := docs[id]; ok && revision != "" {
			listed++
		}
		return nil
	}); err != nil || listed != 6 {
		t.Errorf("list: %d, %v", listed, err)
	}
	readPeerFile(t, c, docs["backup"].Document.Files[0])
	hits, err := c.Search(t.Context(), "tape backup", core.Viewer{Email: "ann@example.com"}, 2, core.Range{})
	if err != nil || len(hits) != 2 || hits[0].Document.ExternalID != "7" || hits[0].Passage.Text == "" {
		t.Errorf("search: %+v, %v", hits, err)
	}
	began := time.Now()
	c.Close()
	if took := time.Since(began); took > patience {
		t.Errorf("it left after %v", took)
	}
	if text := log.String(); !strings.Contains(text, `msg="the feed was read"`) || strings.Contains(text, "level=WARN") {
		t.Errorf("log:\n%s", text)
	}
}

func readPeerFile(t *testing.T, c *plugins.Connection, f core.FileRef) {
	t.Helper()
	r, got, err := c.Fetch(t.Context(), f.Ref, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil || got.Name != "Restore runbook" || !strings.HasPrefix(string(text), "# Restore runbook") || got.Size != int64(len(text)) {
		t.Errorf("%+v: %q, %v", got, text, err)
	}
	if _, _, err := c.Fetch(t.Context(), f.Ref, 10); core.KindOf(err) != core.KindTooLarge {
		t.Errorf("over the limit: %v", err)
	}
	if _, _, err := c.Fetch(t.Context(), `["/etc/passwd", "x"]`, 0); core.KindOf(err) != core.KindDenied {
		t.Errorf("another file: %v", err)
	}
}

// TestPeersErrors reads the kinds out of what the connector reports.
func TestPeersErrors(t *testing.T) {
	for _, row := range []struct {
		name, config, want string
		kind               core.Kind
	}{
		{"nothing", `{}`, "feed", core.KindConfig},
		{"misspelt", `{"feed": "/x", "acess": "public"}`, "acess", core.KindConfig},
		{"no choice", `{"feed": "/x", "access": "all"}`, "workspace, public, host", core.KindConfig},
		{"relative", `{"feed": "x.json"}`, "absolute path", core.KindConfig},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, _, err := openPeer(t, row.config)
			if core.KindOf(err) != row.kind || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v: %v", core.KindOf(err), err)
			}
		})
	}
	c, _, err := openPeer(t, `{"feed": "/nowhere/feed.json"}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Check(t.Context()); core.KindOf(err) != core.KindNotFound || !strings.Contains(err.Error(), "/nowhere/feed.json does not exist") {
		t.Errorf("%v: %v", core.KindOf(err), err)
	}
}

// TestPeersLockOut shows that only the holder of the host's key can call, and
// that the certificate of the handshake is the server's.
func TestPeersLockOut(t *testing.T) {
	ours, other := newPeerKey(t), newPeerKey(t)
	socket, server := startPeer(t, ours)
	ask := func(config *tls.Config) (*grpc_health_v1.HealthCheckResponse, error) {
		conn, err := grpc.NewClient("passthrough:///"+socket, grpc.WithTransportCredentials(credentials.NewTLS(config)),
			grpc.WithContextDialer(func(ctx context.Context, path string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "unix", path)
			}))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if _, err := wire.NewConnectorClient(conn).Describe(ctx, &wire.DescribeRequest{}); err != nil {
			return nil, err
		}
		return grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: "plugin"})
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(server)
	config := &tls.Config{ServerName: "localhost", RootCAs: trusted, MinVersion: tls.VersionTLS12}
	if _, err := ask(config); err == nil {
		t.Error("a caller without a certificate was answered")
	}
	config.Certificates = []tls.Certificate{other}
	if _, err := ask(config); err == nil {
		t.Error("a caller with another certificate was answered")
	}
	config.Certificates = []tls.Certificate{ours}
	if reply, err := ask(config); err != nil || reply.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Errorf("the host: %v %v", reply, err)
	}
}

// newPeerKey makes a certificate as the host's are.
func newPeerKey(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// startPeer starts the connector without a host and reads its handshake.
func startPeer(t *testing.T, host tls.Certificate) (socket string, server *x509.Certificate) {
	t.Helper()
	main := peerProgram(t)
	dir, err := os.MkdirTemp("", "fn")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), main)
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: host.Certificate[0]})
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "FOOTNOTE_CONNECTOR=footnote.plugin.v1", "PLUGIN_PROTOCOL_VERSIONS=1",
		"PLUGIN_UNIX_SOCKET_DIR=" + dir, "PLUGIN_CLIENT_CERT=" + string(cert)}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // it was killed
		os.RemoveAll(dir)
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	parts := strings.Split(strings.TrimSpace(line), "|")
	if err != nil || len(parts) != 6 || parts[0] != "1" || parts[1] != "1" || parts[2] != "unix" || parts[4] != "grpc" || filepath.Dir(parts[3]) != dir {
		t.Fatalf("the handshake is %q: %v", line, err)
	}
	der, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil {
		t.Fatal(err)
	}
	if server, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return parts[3], server
}
