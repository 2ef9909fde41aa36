package github

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-github/v80/github"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/github/githubtest"
	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

// A second sync sends what changed. A file whose content is as it was is not
// fetched, nor is what was said to issues that did not change.
func TestOnlyWhatChanged(t *testing.T) {
	server, open, _ := acme(t)
	server.SetClock(time.Now().Add(-50 * time.Minute)) // out of the overlap of what was there
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/handbook"}, Token: secret})
	h := hosttest.NewHost()
	syncOnce(t, src, h)
	blobs := server.Requests("blob")
	server.Change(func(now time.Time) {
		open.Files["docs/travel.md"] = "# Travel\n\nBook late."
		open.Files["docs/new.md"] = "# New"
		delete(open.Files, "README.md")
		open.Add(githubtest.Item{Title: "Tea", Author: "joe", Created: now, Updated: now})
		open.Talks[1].Body, open.Talks[1].Updated = "How now?", now
		open.Releases[0].Body = "The very first."
	})
	before := len(hosttest.IDs(h.Docs))
	h.Sent = 0
	syncOnce(t, src, h)
	if got := server.Requests("blob") - blobs; got != 2 {
		t.Errorf("%d blobs were fetched, 2 are new", got)
	}
	if _, ok := h.Docs["11/blob/README.md"]; ok {
		t.Error("a deleted file stays")
	}
	for id, text := range map[string]string{"11/blob/docs/travel.md": "Book late.", "11/discussions/11": "How now?", "11/releases/1101": "The very first.", "11/issues/3": ""} {
		if d, ok := h.Docs[id]; !ok || !strings.Contains(d.Body, text) {
			t.Errorf("%s: %v %q", id, ok, d.Body)
		}
	}
	if len(h.Docs) != before+1 {
		t.Errorf("%d documents of %d", len(h.Docs), before)
	}
	whole := hosttest.NewHost()
	syncOnce(t, src, whole)
	if diff := cmp.Diff(whole.Docs, h.Docs); diff != "" {
		t.Errorf("a sync from the beginning differs: %s", diff)
	}
	comments, reviews := server.Requests("comments"), server.Requests("reviews")
	server.SetClock(time.Now().Add(-20 * time.Minute))
	server.Change(func(now time.Time) { open.Items[2].Updated = now })
	syncOnce(t, src, h)
	h.Sent = 0
	server.Change(func(time.Time) {})
	syncOnce(t, src, h)
	// The newest item and the newest discussion lie in the overlap.
	if h.Sent != 2 || server.Requests("comments") != comments || server.Requests("reviews") != reviews {
		t.Errorf("%d documents were sent, with %d and %d requests", h.Sent, server.Requests("comments")-comments, server.Requests("reviews")-reviews)
	}
}

// An item that changes while the list is read moves to its end; a page that is
// counted would then leave one out. Deleting one has the same effect.
func TestListThatMovesWhileItIsRead(t *testing.T) {
	server, r := many(450)
	reads := 0
	server.Before(func(req *http.Request) {
		if !strings.HasSuffix(req.URL.Path, "/issues") {
			return
		}
		if reads++; reads > 1 && reads < 5 {
			i := r.Items[reads]
			i.Updated, i.Body = i.Updated.AddDate(0, 0, 2), "edited during the crawl"
			r.Delete(r.Items[20+reads].Number)
		}
	})
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/big"}, Token: secret})
	h := hosttest.NewHost()
	syncOnce(t, src, h)
	reads = -1000
	for _, i := range r.Items {
		kind := "issues"
		if i.Pull {
			kind = "pull"
		}
		d, ok := h.Docs[repo{id: 21}.document(kind, strconv.Itoa(i.Number))]
		if !ok || !strings.HasPrefix(d.Body, i.Body) {
			t.Errorf("item %d: %v %q", i.Number, ok, d.Body)
		}
	}
	reads = 0
	got, err := listed(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, id := range got {
		if there[id] {
			t.Errorf("%s is listed twice", id)
		}
		there[id] = true
	}
	for _, i := range r.Items {
		if n := strconv.Itoa(i.Number); !there["21/issues/"+n] && !there["21/pull/"+n] {
			t.Errorf("item %d is not listed", i.Number)
		}
	}
}

// A deleted issue is left out of the list, and one that was moved is gone from here.
func TestDeletedAndMoved(t *testing.T) {
	server, open, closed := acme(t)
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/handbook"}, Read: []string{"issues", "pulls"}, Token: secret})
	server.Change(func(now time.Time) {
		open.Add(githubtest.Item{Title: "Moves", Author: "joe", Created: now, Updated: now})
	})
	h := hosttest.NewHost()
	syncOnce(t, src, h)
	server.Change(func(time.Time) {
		open.Delete(1)
		open.Items[1].Moved = closed.Full() + "/1"
	})
	got, err := listed(t.Context(), src)
	if diff := cmp.Diff([]string{"11/pull/2"}, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	here := repo{id: 11, owner: "acme", name: "handbook", page: "https://github.test/acme/handbook"}
	// One that could not be read and was moved meanwhile is not read elsewhere.
	if _, err := src.one(t.Context(), here, 3); sdk.KindOf(err) != "gone" {
		t.Errorf("an issue of another repository was taken for this one's: %v", err)
	}
	// Nor is what was said to it there, where it was moved since it was listed.
	number, comments, moved := 3, 1, "Moves"
	if _, err := src.item(t.Context(), here, &github.Issue{Number: &number, Comments: &comments, Title: &moved}); sdk.KindOf(err) != "gone" {
		t.Errorf("comments of another repository were taken for this one's: %v", err)
	}
}

// A renamed repository is followed; its documents keep their ids and get their new
// addresses.
func TestRenamed(t *testing.T) {
	server, open, _ := acme(t)
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/handbook"}, Token: secret})
	h := hosttest.NewHost()
	syncOnce(t, src, h)
	before := hosttest.IDs(h.Docs)
	server.Change(func(time.Time) { open.Former, open.Name, open.Archived = []string{"acme/handbook"}, "manual", true })
	syncOnce(t, src, h)
	if diff := cmp.Diff(before, hosttest.IDs(h.Docs)); diff != "" {
		t.Error(diff)
	}
	for id, d := range h.Docs {
		if !strings.HasPrefix(d.URL, "https://github.test/acme/manual") || d.Folders[1] != "acme/manual" {
			t.Errorf("%s: %s %v", id, d.URL, d.Folders)
		}
	}
	if len(h.Closed) > 0 {
		t.Errorf("closed: %v", h.Closed)
	}
}

// A clock that runs ahead on the server hides no change, and shows no time of the
// future.
func TestClockAhead(t *testing.T) {
	server, open, _ := acme(t)
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/handbook"}, Read: []string{"issues", "discussions"}, Token: secret})
	server.Change(func(now time.Time) {
		open.Add(githubtest.Item{Title: "From the future", Author: "joe", Created: now, Updated: now.AddDate(30, 0, 0)})
		open.Talks[0].Updated = now.AddDate(30, 0, 0)
	})
	h := hosttest.NewHost()
	syncOnce(t, src, h)
	for id, d := range h.Docs {
		if d.Updated.After(time.Now()) {
			t.Errorf("%s was updated at %v", id, d.Updated)
		}
	}
	server.SetClock(time.Now())
	server.Change(func(now time.Time) {
		open.Items[0].Body, open.Items[0].Updated = "Warm now.", now
		open.Talks[1].Body, open.Talks[1].Updated = "Never mind.", now
	})
	syncOnce(t, src, h)
	if !strings.Contains(h.Docs["11/issues/1"].Body, "Warm now.") || !strings.Contains(h.Docs["11/discussions/11"].Body, "Never mind.") {
		t.Error("a change after it was not seen")
	}
}

// A repository that is made private while its first sync runs, which may take hours,
// gives what comes after it to its readers alone.
func TestMadePrivateWhileItIsRead(t *testing.T) {
	server, r := many(250)
	pages := 0
	server.Before(func(req *http.Request) {
		if strings.HasSuffix(req.URL.Path, "/issues") {
			if pages++; pages == 2 {
				r.Visibility, r.Collaborators = "private", []string{"ann"}
			}
		}
	})
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/big"}, Read: []string{"issues", "files"}, Token: secret})
	src.lookEvery = 0
	h := hosttest.NewHost()
	syncOnce(t, src, h)
	public := 0
	for _, d := range h.Docs {
		if d.Access.Public {
			public++
		}
	}
	if public == 0 || public > 100 || h.Docs["21/blob/a.md"].Access.Public {
		t.Errorf("%d of %d documents are public", public, len(h.Docs))
	}
}
