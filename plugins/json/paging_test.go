package jsonapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// paged reads lists of numbers from a server that answers as the test says.
func paged(address, paging, query string) Source {
	return Source{BaseURL: address, Inline: fmt.Sprintf(`
error: if type == "object" then .problem else null end
lists:
  - name: numbers
    request: {path: /list, query: {%s}}
    paging: {%s}
    items: if type == "object" then .items else . end
    document: {id: ., title: ., body: .}
`, query, paging)}
}

// numbers answers requests for pages of ten of 25 in the way that each kind of
// paging asks.
func numbers(w http.ResponseWriter, r *http.Request) {
	from, _ := strconv.Atoi(r.URL.Query().Get("from"))
	if page := r.URL.Query().Get("page"); page != "" {
		n, _ := strconv.Atoi(page)
		if from = 10 * (n - 1); from > 20 {
			http.Error(w, "no such page", http.StatusBadRequest)
			return
		}
	}
	items := []int{}
	for n := from; n < min(from+10, 25); n++ {
		items = append(items, n)
	}
	out := object{"items": items, "total": 25}
	if from+10 < 25 {
		out["cursor"], out["next"] = strconv.Itoa(from+10), fmt.Sprintf("/list?from=%d", from+10)
		w.Header().Set("Link", fmt.Sprintf(`</list?from=0>; rel="first", <list?from=%d>; title="a, b"; rel="next last"`, from+10))
	}
	reply(w, 200, out)
}

func TestPaging(t *testing.T) {
	address := serve(t, http.HandlerFunc(numbers))
	for name, c := range map[string]struct {
		paging, query string
		want          int
	}{
		"none":         {"kind: none", "", 10},
		"page":         {"kind: page, first: 1, size: 10", "page: '${$page}'", 25},
		"page by more": {"kind: page, first: 1, more: '$got < .total'", "page: '${$page}'", 25},
		"page by end":  {"kind: page, first: 1, end_status: [400]", "page: '${$page}'", 25},
		"offset":       {"kind: offset", "from: '${$page}'", 25},
		"cursor":       {"kind: cursor, next: .cursor", "from: '${$page}'", 25},
		"link":         {"kind: link", "", 25},
		"next":         {"kind: next, next: .next", "", 25},
	} {
		src := start(t, paged(address, c.paging, c.query))
		h := newHost()
		sync(t, src, h)
		got, err := listed(t, src)
		if len(h.docs) != c.want || len(got) != c.want || err != nil {
			t.Errorf("%s: %d documents, %d listed, %v", name, len(h.docs), len(got), err)
		}
	}
}

// Whatever is wrong with a list, it is an error and no short list.
func TestBadLists(t *testing.T) {
	other := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	text := func(kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write([]byte(body))
		}
	}
	same := func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, object{"items": []int{1, 2}}) }
	hop := func(to string) http.HandlerFunc {
		n := 0
		return func(w http.ResponseWriter, _ *http.Request) {
			n++
			reply(w, 200, object{"items": []int{n}, "next": to})
		}
	}
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		paging  string
		want    string
	}{
		"an error with 200":        {text("application/json", `{"problem": "out of order"}`), "kind: none", "answered 200 with the error out of order"},
		"not JSON":                 {text("text/html; charset=utf-8", "<html>"), "kind: none", "is not JSON but text/html"},
		"half":                     {text("application/json", `{"items": [1,`), "kind: none", "breaks off"},
		"nothing":                  {text("application/json", ""), "kind: none", "breaks off"},
		"more":                     {text("application/json", `{"items": []} {}`), "kind: none", "more after it"},
		"no items":                 {text("application/json", `{"itms": []}`), "kind: none", "it has to bring an array and brought null: in the expression if type"},
		"items of another type":    {text("application/json", `{"items": {}}`), "kind: none", "brought an object"},
		"page is not known":        {same, "kind: page", "the same items twice in a row"},
		"circle":                   {hop("/list?x=1"), "kind: next, next: .next", "leads in a circle"},
		"another host":             {hop(other + "/list"), "kind: next, next: .next", "on another host"},
		"redirect to another host": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other, http.StatusFound) }, "kind: none", "leads to another host"},
		"not there":                {func(w http.ResponseWriter, _ *http.Request) { reply(w, 404, object{}) }, "kind: none", "the list numbers is not there"},
		"no id":                    {func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, []any{nil}) }, "kind: none", "lists[0].document.id: it brings nothing"},
		"an answer that is too big": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("[" + strings.Repeat(" ", 100_000) + "]"))
		}, "kind: none", "larger than 50000 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			src := start(t, paged(serve(t, c.handler), c.paging, ""))
			src.client.most = 50_000
			got, err := listed(t, src)
			if err == nil || !strings.Contains(err.Error(), c.want) || sdk.KindOf(err) == "gone" {
				t.Errorf("listed %d: %v", len(got), err)
			}
			if err := src.sync(t.Context(), nil, newHost()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("sync: %v", err)
			}
		})
	}
}

func TestAskedToWait(t *testing.T) {
	src := start(t, paged(serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "900")
		reply(w, 429, object{})
	})), "kind: none", ""))
	if err := src.sync(t.Context(), nil, newHost()); sdk.KindOf(err) != "busy" {
		t.Error(err)
	}
}

// The secret goes to the system's host alone, and is in no error.
func TestSecretStaysWithItsHost(t *testing.T) {
	const secret = "secret-of-the-tests"
	for _, c := range []struct{ auth, want string }{
		{"kind: bearer", "Authorization: Bearer " + secret},
		{"kind: header, name: X-Key, prefix: 'k='", "X-Key: k=" + secret},
		{"kind: basic", "Authorization: Basic YW5uOnNlY3JldC1vZi10aGUtdGVzdHM="},
		{"kind: query, name: key", "key: " + secret},
	} {
		var got []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = []string{"Authorization: " + r.Header.Get("Authorization"), "X-Key: " + r.Header.Get("X-Key"), "key: " + r.URL.Query().Get("key")}
			http.Error(w, "no", http.StatusBadRequest)
		}))
		src := start(t, Source{BaseURL: server.URL, Token: secret, User: "ann", Inline: "auth: {" + c.auth + "}\n" + `
lists:
  - {name: a, request: {path: /a}, items: ., document: {id: ., title: ., body: .}}
`})
		err := src.sync(t.Context(), nil, newHost())
		if !slices.Contains(got, c.want) {
			t.Errorf("%s: sent %v", c.auth, got)
		}
		server.Close()
		gone, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		err = errors.Join(err, src.sync(gone, nil, newHost()))
		cancel()
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", c.auth, err)
		}
	}
}

// Who may read a document follows from the recipe; where that cannot be told,
// nobody may.
func TestAccess(t *testing.T) {
	items := []object{
		{"id": "a", "open": true}, {"id": "b", "open": false, "team": []string{"x", "y"}, "owner": "ann@example.com"},
		{"id": "c"}, {"id": "d", "open": "yes"}, {"id": "e", "open": false, "team": []string{}},
	}
	address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, items) }))
	h := newHost()
	src := start(t, Source{BaseURL: address, Inline: `
lists:
  - name: a
    request: {path: /a}
    items: .
    document:
      id: .id
      title: .id
      body: .id
      access: {public: .open, groups: '.team[]?', users: .owner, principals: 'if .id == "c" then "group:config/hr" else empty end'}
`})
	sync(t, src, h)
	told := grantsOf{}
	if err := src.grants(t.Context(), false, told); err != nil || len(told) != 5 {
		t.Errorf("%v, %v", told, err)
	}
	for id, want := range map[string]sdk.Access{
		"a": {Public: true}, "b": {Groups: []string{"x", "y"}, Users: []string{"ann@example.com"}}, "c": {Principals: []string{"group:config/hr"}}, "e": {},
	} {
		if got := h.docs[id].Access; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %+v", id, got)
		}
		if got := told[id]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: told %+v", id, got)
		}
	}
	if !strings.Contains(h.failed["d"], "it has to bring true or false and brought a text: in the expression .open") {
		t.Error(h.failed["d"])
	}
}

// grantsOf keeps what Grants tells of documents.
type grantsOf map[string]sdk.Access

func (r grantsOf) Group(sdk.Group) error                  { return nil }
func (r grantsOf) Document(id string, a sdk.Access) error { r[id] = a; return nil }
