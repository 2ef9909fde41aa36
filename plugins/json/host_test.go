package jsonapi

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// host keeps what a sync sends as Footnote does. What came after the last
// checkpoint is lost when it stops.
type host struct {
	docs, saved map[string]sdk.Document
	failed      map[string]string
	cursor      sdk.Cursor
	events      int
	stopAt      int // after so many events; 0 for never
	sent        int
}

func newHost() *host {
	return &host{docs: map[string]sdk.Document{}, saved: map[string]sdk.Document{}, failed: map[string]string{}}
}

var errStopped = errors.New("the host stopped")

func (h *host) event() error {
	if h.events++; h.stopAt > 0 && h.events > h.stopAt {
		return errStopped
	}
	return nil
}

func (h *host) Document(d sdk.Document) error {
	delete(h.failed, d.ID)
	h.docs[d.ID] = d
	h.sent++
	return h.event()
}

func (h *host) Unread(d sdk.Document, err error) error { return h.Failed(d.ID, err) }

func (h *host) Failed(id string, err error) error {
	h.failed[id] = sdk.KindOf(err) + ": " + err.Error()
	return h.event()
}

func (h *host) Removed(id string) error {
	delete(h.docs, id)
	return h.event()
}

func (h *host) Checkpoint(c sdk.Cursor) error {
	if err := h.event(); err != nil {
		return err
	}
	h.cursor, h.saved = slices.Clone(c), maps.Clone(h.docs)
	return nil
}

// crash forgets what no checkpoint covers.
func (h *host) crash() { h.docs, h.events = maps.Clone(h.saved), 0 }

// start makes a source, in a process of its own as it were.
func start(t testing.TB, src Source) *Source {
	t.Helper()
	src.Rate = 1e6
	if err := src.Start(t.Context(), &sdk.Env{}); err != nil {
		t.Fatal(err)
	}
	return &src
}

// sync runs one to its end.
func sync(t testing.TB, src *Source, h *host) {
	t.Helper()
	h.sent, h.failed = 0, map[string]string{}
	if err := src.sync(t.Context(), h.cursor, h); err != nil {
		t.Fatal(err)
	}
}

// listed is what a listing names, sorted.
func listed(t testing.TB, src *Source) ([]string, error) {
	var out []string
	err := src.list(t.Context(), func(id string) error { out = append(out, id); return nil })
	slices.Sort(out)
	return out, err
}

func serve(t testing.TB, h http.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that left is no matter of the test
}

type object = map[string]any
