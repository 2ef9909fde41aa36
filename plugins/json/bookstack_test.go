package jsonapi

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	gosync "sync"
	"time"
)

const bookKey = "id-of-the-tests:secret-of-the-tests"

// bookstack answers as BookStack's API does: what of it the recipe uses.
type bookstack struct {
	mu       gosync.Mutex
	pages    []*bookPage // by id
	requests int
	// fault sees each request of one who may ask, by its number, and may answer it.
	fault func(n int, w http.ResponseWriter, r *http.Request) bool
}

type bookPage struct {
	id, book, chapter int
	name, html        string
	draft             bool
	updated           time.Time
}

func newBookstack(n int) *bookstack {
	b := &bookstack{}
	for i := range n {
		b.pages = append(b.pages, &bookPage{
			id: i + 1, book: 1 + i/50, chapter: i % 3, name: fmt.Sprintf("Page %d", i+1),
			html: fmt.Sprintf("<p>Text of page %d.</p>", i+1), updated: time.Date(2026, 3, 1, 0, 0, i, 0, time.UTC),
		})
	}
	return b
}

func (b *bookstack) change(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

func (b *bookstack) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.Header.Get("Authorization") != "Token "+bookKey {
		reply(w, 401, object{"error": object{"code": 401, "message": "No matching API token was found for the provided authorization token"}})
		return
	}
	b.requests++
	if b.fault != nil && b.fault(b.requests, w, r) {
		return
	}
	if r.URL.Path == "/api/pages" {
		b.list(w, r)
		return
	}
	id, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/api/pages/"))
	at := slices.IndexFunc(b.pages, func(p *bookPage) bool { return p.id == id })
	if err != nil || at < 0 {
		reply(w, 404, object{"error": object{"code": 404, "message": "Entity not found"}})
		return
	}
	p := b.pages[at]
	out := p.object()
	out["html"], out["raw_html"], out["markdown"] = p.html, p.html, ""
	out["created_by"], out["updated_by"] = object{"id": 1, "name": "Ann", "slug": "ann"}, object{"id": 2, "name": "Bob", "slug": "bob"}
	out["tags"] = []object{{"name": "area", "value": "kitchen", "order": 0}, {"name": "old", "value": "", "order": 1}}
	reply(w, 200, out)
}

func (p *bookPage) object() object {
	at := p.updated.UTC().Format("2006-01-02T15:04:05.000000Z")
	return object{
		"id": p.id, "book_id": p.book, "chapter_id": p.chapter, "name": p.name, "slug": "s", "priority": 1, "draft": p.draft, "template": false,
		"created_at": "2026-01-01T00:00:00.000000Z", "updated_at": at, "created_by": 1, "updated_by": 2, "owned_by": 1, "revision_count": 3, "editor": "wysiwyg",
	}
}

func (b *bookstack) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	count, _ := strconv.Atoi(q.Get("count"))
	offset, _ := strconv.Atoi(q.Get("offset"))
	if count < 1 || count > 500 || q.Get("sort") != "+id" {
		reply(w, 422, object{"error": object{"code": 422, "message": "what the tests do not expect"}})
		return
	}
	from := time.Time{}
	if text := q.Get("filter[updated_at:gte]"); text != "" {
		var err error
		if from, err = time.Parse("2006-01-02 15:04:05", text); err != nil {
			reply(w, 500, object{"error": object{"code": 500, "message": err.Error()}})
			return
		}
	}
	var found []*bookPage
	for _, p := range b.pages {
		if !p.updated.Before(from) {
			found = append(found, p)
		}
	}
	total, data := len(found), []object{}
	for _, p := range found[min(offset, total):min(offset+count, total)] {
		data = append(data, p.object())
	}
	reply(w, 200, object{"data": data, "total": total})
}
