// Package hushtest holds a connector against servers that fail in every way and repeat
// secrets in all that they say.
package hushtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Server is what one try has before it.
type Server struct {
	Address string
	Env     *sdk.Env          // with a log that is looked through
	Bare    http.RoundTripper // tries nothing again
}

// Call is one thing that a connector is asked for. What it says beside its error goes
// to the sink.
type Call struct {
	Name  string
	Quiet bool // it may end well without an answer
	Run   func(ctx context.Context, s Server, out *Said) error
}

// Said is what a connector said.
type Said struct {
	mu   sync.Mutex
	text strings.Builder
}

// Add keeps anything that was sent: documents, notes, failures.
func (s *Said) Add(what ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(&s.text, "%+v\n", what)
}

// The methods of sdk.Out and sdk.Grants, as the connectors use them.

func (s *Said) Document(d sdk.Document) error           { s.Add(d); return nil }
func (s *Said) Unread(d sdk.Document, err error) error  { s.Add(d, err); return nil }
func (s *Said) Removed(id string) error                 { s.Add(id); return nil }
func (s *Said) FolderFailed(id string, err error) error { s.Add(id, err); return nil }
func (s *Said) Note(text string) error                  { s.Add(text); return nil }
func (s *Said) Checkpoint(c sdk.Cursor) error           { s.Add(string(c)); return nil }
func (s *Said) Folder(id string, a sdk.Access) error    { s.Add(id, a); return nil }
func (s *Said) AllFolders() error                       { return nil }
func (s *Said) Group(g sdk.Group) error                 { s.Add(g); return nil }
func (s *Said) AllGroups()                              {}

func (s *Said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// Run makes each call against each failure: of every request, and of those after the
// first few, which good answers. Nothing that is said may hold the secret, which the
// connector signs in with, or an address that is signed.
func Run(t *testing.T, secret string, good http.Handler, calls []Call) {
	for name, fail := range failures(secret) {
		for _, after := range []int64{0, 4} {
			patience := time.Minute
			if name == never {
				patience = 100 * time.Millisecond
			}
			t.Run(fmt.Sprintf("%s after %d", name, after), func(t *testing.T) {
				for _, call := range calls {
					try(t, good, fail, after, ask{secret, call, patience, after == 0 && !call.Quiet})
				}
			})
		}
	}
	t.Run("certificate", func(t *testing.T) {
		for _, call := range calls {
			server := httptest.NewUnstartedServer(good)
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.StartTLS()
			ask{secret, call, time.Minute, !call.Quiet}.at(t, server.URL)
			server.Close()
		}
	})
}

func try(t *testing.T, good http.Handler, fail http.HandlerFunc, after int64, a ask) {
	t.Helper()
	var asked atomic.Int64
	ctx, release := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) <= after {
			good.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		fail(w, r.WithContext(ctx))
	}))
	defer server.Close()
	defer release() // else the server waits for the answer that never comes
	a.at(t, server.URL)
}

// ask is one call as it is made.
type ask struct {
	secret   string
	call     Call
	patience time.Duration // with an answer that does not begin
	fails    bool          // it has to
}

// at makes the call and looks through all that comes of it.
func (a ask) at(t *testing.T, address string) {
	t.Helper()
	wire := &http.Transport{ResponseHeaderTimeout: a.patience}
	defer wire.CloseIdleConnections()
	said, logged := &Said{}, &bytes.Buffer{}
	env := &sdk.Env{Dir: t.TempDir(), Log: slog.New(slog.NewTextHandler(logged, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	err := a.call.Run(t.Context(), Server{Address: address, Env: env, Bare: wire}, said)
	if err == nil && a.fails {
		t.Errorf("%s: no error", a.call.Name)
	}
	said.Add(err)
	if own := (*sdk.Error)(nil); errors.As(err, &own) {
		said.Add(own)
	}
	said.Add(logged.String())
	text := said.String()
	for _, secret := range []string{a.secret, signature} {
		if at := strings.Index(text, secret); at >= 0 {
			t.Errorf("%s says %s: …%s…", a.call.Name, secret, text[max(0, at-200):min(len(text), at+100)])
		}
	}
}
