package jsonapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// topic is one of a Discourse forum.
type topic struct {
	id     int
	title  string
	posts  []string
	bumped time.Time
	hidden bool
}

// discourse answers as a forum does: 30 topics and 20 posts a page, newest first,
// 404 behind the last page of a topic.
type discourse struct {
	topics []*topic
	asked  []string
}

func (d *discourse) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.asked = append(d.asked, r.URL.Path)
	n, _ := strconv.Atoi(r.URL.Query().Get("page"))
	if r.URL.Path == "/latest.json" {
		slices.SortFunc(d.topics, func(a, b *topic) int { return b.bumped.Compare(a.bumped) })
		list, out := object{"can_create_topic": false, "per_page": 30}, []object{}
		for _, t := range d.topics[min(n*30, len(d.topics)):min(n*30+30, len(d.topics))] {
			out = append(out, object{
				"id": t.id, "title": t.title, "fancy_title": t.title, "slug": "slug", "posts_count": len(t.posts), "created_at": "2026-01-02T03:04:05.678Z", "bumped": true,
				"bumped_at": t.bumped.Format("2006-01-02T15:04:05.000Z"), "archetype": "regular", "visible": !t.hidden, "tags": []any{"faq", object{"id": 1, "name": "tea"}}, "category_id": 7,
			})
		}
		if list["topics"] = out; n*30+30 < len(d.topics) {
			list["more_topics_url"] = fmt.Sprintf("/latest?no_definitions=true&page=%d", n+1)
		}
		reply(w, 200, object{"users": []any{}, "topic_list": list})
		return
	}
	id, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/t/"), ".json"))
	at := slices.IndexFunc(d.topics, func(t *topic) bool { return t.id == id })
	if at < 0 || n > 1 && (n-1)*20 >= len(d.topics[at].posts) {
		reply(w, 404, object{"errors": []string{"The requested URL or resource could not be found."}, "error_type": "not_found"})
		return
	}
	t := d.topics[at]
	posts, stream := []object{}, []int{}
	for i, text := range t.posts {
		stream = append(stream, 1000*t.id+i)
		if i/20 == n-1 {
			posts = append(posts, object{"id": 1000*t.id + i, "username": "ann<b>", "created_at": "2026-01-02T03:04:05.678Z", "cooked": "<p>" + text + "</p>", "post_number": i + 1, "hidden": false})
		}
	}
	reply(w, 200, object{"id": t.id, "title": t.title, "posts_count": len(t.posts), "post_stream": object{"posts": posts, "stream": stream}})
}

func TestDiscourse(t *testing.T) {
	d := &discourse{}
	for i := range 65 {
		d.topics = append(d.topics, &topic{id: i + 1, title: fmt.Sprintf("Topic %d", i+1), posts: []string{"first", "second"}, bumped: time.Date(2026, 2, 1, 0, i, 0, 0, time.UTC)})
	}
	d.topics[9].hidden = true
	for i := range 43 {
		d.topics[0].posts = append(d.topics[0].posts, fmt.Sprintf("reply %d", i))
	}
	address := serve(t, single(d))
	src := Source{Recipe: "discourse", BaseURL: address + "/forum"}
	h := newHost()
	sync(t, start(t, Source{Recipe: "discourse", BaseURL: address}), h)
	got := h.docs["1"]
	if n := strings.Count(got.Body, "<h2>"); n != 45 || !strings.Contains(got.Body, "<p>reply 42</p>") || !strings.HasPrefix(got.Body, "<h2>ann&lt;b&gt;, 2026-01-02</h2>\n<p>first</p>") {
		t.Errorf("%d posts: %.200s", n, got.Body)
	}
	got.Body = ""
	if diff := cmp.Diff(sdk.Document{
		ID: "1", Title: "Topic 1", URL: address + "/t/slug/1", MediaType: "text/html", Kind: "thread", Authors: []string{"ann<b>"}, Folders: []string{"category-7"},
		Created: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC), Updated: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), Access: sdk.HostAccess, Meta: map[string]string{"tags": "faq, tea"},
	}, got); diff != "" || len(h.docs) != 64 {
		t.Errorf("%d documents; %s", len(h.docs), diff)
	}
	d.topics[20].posts, d.topics[20].bumped, d.asked = append(d.topics[20].posts, "new"), time.Now().UTC(), nil
	sync(t, start(t, Source{Recipe: "discourse", BaseURL: address}), h)
	if h.sent != 1 || len(d.asked) > 5 {
		t.Errorf("%d sent by %v", h.sent, d.asked)
	}
	if err := start(t, src).sync(t.Context(), nil, newHost()); err == nil {
		t.Error("a forum in a folder is not this one")
	}
}

// single lets one request at a time through.
func single(h http.Handler) http.Handler {
	turn := make(chan struct{}, 1)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kept := httptest.NewRecorder()
		turn <- struct{}{}
		h.ServeHTTP(kept, r)
		<-turn
		w.Header().Set("Content-Type", kept.Header().Get("Content-Type"))
		w.WriteHeader(kept.Code)
		_, _ = w.Write(kept.Body.Bytes()) // a client that left is no matter of the test
	})
}

// zammad answers as a help desk does: arrays, 100 a page.
func zammad(tickets, users int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Token token=zammad-key" {
			reply(w, 401, object{"error": "Invalid BasicAuth credentials"})
			return
		}
		n, _ := strconv.Atoi(r.URL.Query().Get("page"))
		out := []object{}
		switch {
		case r.URL.Path == "/api/v1/tickets":
			for i := (n - 1) * 100; i < min(n*100, tickets); i++ {
				out = append(out, object{"id": i + 1, "number": strconv.Itoa(53001 + i), "title": "It is broken", "group_id": 1 + i%2, "group": "Support", "state": "open", "priority": "2 normal", "owner": "ann@example.com", "customer": "eve@example.org", "created_at": "2026-01-01T00:00:00.000Z", "updated_at": "2026-01-05T00:00:00.000Z"})
			}
		case r.URL.Path == "/api/v1/users":
			for i := (n - 1) * 100; i < min(n*100, users); i++ {
				rights := object{"1": []string{"full"}, "2": []string{"overview"}}
				out = append(out, object{"id": i + 1, "email": fmt.Sprintf("Agent%d@example.com", i), "active": i != 3, "group_ids": rights})
			}
		case strings.HasPrefix(r.URL.Path, "/api/v1/ticket_articles/by_ticket/"):
			out = append(out, object{"id": 1, "from": "Eve <eve@example.org>", "content_type": "text/plain", "body": "a < b\nend", "internal": false, "created_at": "2026-01-01T00:00:00.000Z"},
				object{"id": 2, "from": nil, "created_by": "ann@example.com", "content_type": "text/html", "body": "<b>done</b>", "internal": true, "created_at": "2026-01-02T00:00:00.000Z"})
		default:
			reply(w, 404, object{"error": "not found"})
			return
		}
		reply(w, 200, out)
	})
}

func TestZammad(t *testing.T) {
	address := serve(t, zammad(130, 105))
	src := start(t, Source{Recipe: "zammad", BaseURL: address, Token: "zammad-key"})
	h := newHost()
	sync(t, src, h)
	if diff := cmp.Diff(sdk.Document{
		ID: "2", Title: "#53002 It is broken", URL: address + "/#ticket/zoom/2", MediaType: "text/html", Kind: "ticket", Authors: []string{"eve@example.org"}, Folders: []string{"group-2"},
		Body:    "<h2>Eve &lt;eve@example.org&gt;, 2026-01-01</h2>\n<p>a &lt; b<br>end</p>\n<h2>ann@example.com, 2026-01-02</h2>\n<b>done</b>",
		Created: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Updated: time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC), Access: sdk.Access{Groups: []string{"group-2"}},
		Meta: map[string]string{"state": "open", "priority": "2 normal", "group": "Support", "owner": "ann@example.com"},
	}, h.docs["2"]); diff != "" || len(h.docs) != 130 {
		t.Errorf("%d documents; %s", len(h.docs), diff)
	}
	members, err := src.members(t.Context())
	if err != nil || len(members) != 1 || len(members["group-1"]) != 104 || !members["group-1"]["agent7@example.com"] || members["group-1"]["agent3@example.com"] {
		t.Errorf("%v, %v", members, err)
	}
	bad := start(t, Source{Recipe: "zammad", BaseURL: address, Token: "wrong"})
	if err := bad.sync(t.Context(), nil, newHost()); sdk.KindOf(err) != "auth" {
		t.Error(err)
	}
}
