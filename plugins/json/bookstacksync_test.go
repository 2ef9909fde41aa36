package jsonapi

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

func bookSource(address string) Source {
	return Source{Recipe: "bookstack", BaseURL: address, Token: bookKey}
}

func TestBookstack(t *testing.T) {
	b := newBookstack(205)
	b.pages[4].draft = true
	address := serve(t, b)
	h := newHost()
	sync(t, start(t, bookSource(address)), h)
	want := sdk.Document{
		ID: "2", Title: "Page 2", URL: address + "/link/2", Body: "<p>Text of page 2.</p>", MediaType: "text/html", Kind: "page",
		Created: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Updated: time.Date(2026, 3, 1, 0, 0, 1, 0, time.UTC),
		Authors: []string{"Ann", "Bob"}, Folders: []string{"book-1", "chapter-1"}, Access: sdk.HostAccess,
		Meta: map[string]string{"tags": "area=kitchen, old", "revision": "3"},
	}
	if diff := cmp.Diff(want, h.docs["2"]); diff != "" || len(h.docs) != 204 {
		t.Errorf("%d documents; %s", len(h.docs), diff)
	}
	b.change(func() {
		b.pages[7].html, b.pages[7].updated = "<p>Changed.</p>", time.Now()
		b.pages = slices.Delete(b.pages, 0, 1)
		b.requests = 0
	})
	sync(t, start(t, bookSource(address)), h)
	if h.sent != 1 || h.docs["8"].Body != "<p>Changed.</p>" || b.requests != 2 {
		t.Errorf("a second sync sent %d by %d requests", h.sent, b.requests)
	}
	got, err := listed(t, start(t, bookSource(address)))
	if err != nil || len(got) != 203 || slices.Contains(got, "1") {
		t.Errorf("%d listed, %v", len(got), err)
	}
}

// What follows a page that is deleted while the list is read moves to a page that
// was read already. It is found all the same.
func TestListShrinksWhileItIsRead(t *testing.T) {
	for _, listing := range []bool{false, true} {
		b := newBookstack(350)
		b.fault = func(_ int, _ http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Get("offset") == "100" && len(b.pages) == 350 {
				b.pages = slices.Delete(b.pages, 10, 15)
			}
			return false
		}
		src := start(t, bookSource(serve(t, b)))
		var got []string
		if listing {
			var err error
			if got, err = listed(t, src); err != nil {
				t.Fatal(err)
			}
		} else {
			h := newHost()
			sync(t, src, h)
			for id := range h.docs {
				got = append(got, id)
			}
		}
		for n := 101; n <= 350; n++ {
			if !slices.Contains(got, fmt.Sprint(n)) {
				t.Errorf("listing %v: page %d is missing", listing, n)
			}
		}
	}
}

// An item that cannot be read is told, and read by the next sync; one that is
// refused closes and does not hold the others up.
func TestItemsThatCannotBeRead(t *testing.T) {
	b := newBookstack(20)
	broken := true
	b.fault = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/api/pages/3":
			reply(w, 403, object{"error": object{"code": 403, "message": "no"}})
		case "/api/pages/4":
			reply(w, 404, object{"error": object{"code": 404, "message": "no"}})
		case "/api/pages/5":
			if !broken {
				return false
			}
			reply(w, 200, object{"error": object{"code": 500, "message": "the disk is full"}})
		default:
			return false
		}
		return true
	}
	address := serve(t, b)
	h := newHost()
	sync(t, start(t, bookSource(address)), h)
	for id, want := range map[string]string{"3": "denied: ", "4": "denied: ", "5": "with the error the disk is full"} {
		if !strings.Contains(h.failed[id], want) {
			t.Errorf("%s: %q", id, h.failed[id])
		}
	}
	if len(h.docs) != 17 || len(h.failed) != 3 {
		t.Errorf("%d documents, %v", len(h.docs), h.failed)
	}
	b.change(func() { broken = false })
	sync(t, start(t, bookSource(address)), h)
	if h.docs["5"].Title != "Page 5" {
		t.Error("the next sync did not try again")
	}
	sync(t, start(t, bookSource(address)), h)
	if h.sent != 0 {
		t.Errorf("%d were sent once more", h.sent)
	}
}

// A recipe that needs the lists alone.
const listsOnly = `
auth: {kind: header, name: Authorization, prefix: 'Token '}
error: if type == "object" and .error then .error.message else null end
lists:
  - name: pages
    request: {path: /api/pages, query: {count: '100', sort: +id, offset: '${$page}'}}
    paging: {kind: offset, size: 100}
    items: .data
    document: {id: .id, title: .name, body: .slug}
`

// A sync that is stopped and resumed over and over, of a server that fails, ends
// with the same documents as one that nothing disturbs.
func TestStoppedAndResumed(t *testing.T) {
	for _, c := range []struct {
		name   string
		source Source
		items  int
		often  int // one request in so many goes wrong
		most   int // of them
		stop   int // the host stops after so many events at first, and later each time
	}{
		{"lists", Source{Inline: listsOnly, Token: bookKey}, 3000, 4, 40, 330},
		{"details", Source{Recipe: "bookstack", Token: bookKey}, 250, 12, 20, 110},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() { // with the race detector it takes long
				c.items, c.stop, c.most = c.items/3, c.stop/3, c.most*2/3
			}
			b := newBookstack(c.items)
			c.source.BaseURL = serve(t, b)
			whole := newHost()
			sync(t, start(t, c.source), whole)
			if len(whole.docs) != c.items {
				t.Fatalf("undisturbed: %d documents", len(whole.docs))
			}
			random, struck, met := rand.New(rand.NewPCG(1, 2)), 0, map[string]int{}
			b.change(func() {
				b.fault = func(_ int, w http.ResponseWriter, r *http.Request) bool {
					// What fails in three passes in a row is given up until it changes.
					if struck >= c.most || random.IntN(c.often) != 0 || met[r.URL.String()] == mostTries-1 && r.URL.Path != "/api/pages" {
						return false
					}
					struck++
					met[r.URL.String()]++
					return strike(random.IntN(4), w)
				}
			})
			broken, tries := newHost(), 0
			for done := false; !done; tries++ {
				if tries == 500 {
					t.Fatalf("not done after %d tries, %d documents", tries, len(broken.docs))
				}
				broken.stopAt = c.stop * (tries + 11) / 11
				src := start(t, c.source)
				err := src.sync(t.Context(), broken.cursor, broken)
				if kind := sdk.KindOf(err); err != nil && !errors.Is(err, errStopped) && kind != "" {
					t.Fatal(err)
				}
				done = err == nil && len(src.readCursor(broken.cursor).Lists["pages"].Retry) == 0
				broken.crash()
			}
			if diff := cmp.Diff(whole.docs, broken.docs); diff != "" {
				t.Error(diff)
			}
			t.Logf("%d syncs, %d faults", tries, struck)
			if struck < 10 || tries < 4 {
				t.Errorf("only %d faults and %d syncs", struck, tries)
			}
		})
	}
}

// strike is one way in which an answer goes wrong and a client cannot try again by
// itself.
func strike(kind int, w http.ResponseWriter) bool {
	switch kind {
	case 0:
		reply(w, 200, object{"error": object{"code": 500, "message": "oops"}})
	case 1:
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html>busy</html>"))
	case 2:
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"data": [{"id"`))
	case 3:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{}`))
	}
	return true
}
