package github

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/github/githubtest"
)

// hear applies what Grants tells to the documents, also what it tells before an
// error, as the host does.
func hear(t *testing.T, src *Source, since sdk.Cursor, h *host) (sdk.Cursor, error) {
	t.Helper()
	got := newReaders()
	err := src.grants(t.Context(), since, got)
	for id, a := range got.docs {
		if d, ok := h.docs[id]; ok {
			d.Access = a
			h.docs[id] = d
		}
	}
	if got.cursor == nil {
		got.cursor = since
	}
	return got.cursor, err
}

func openDocs(h *host) (out []string) {
	for _, id := range ids(h.docs) {
		if h.docs[id].Access.Public {
			out = append(out, id)
		}
	}
	return out
}

// A repository that is private in two accounts, and public while a sync lies
// between them, is private in all of its documents. One that was private for a
// moment is public again in all.
func TestAnotherStateForAMoment(t *testing.T) {
	for _, row := range []struct{ before, between string }{{"private", "public"}, {"public", "private"}} {
		t.Run(row.between, func(t *testing.T) {
			server, open, _ := acme(t)
			open.Collaborators = []string{"ann"}
			server.Change(func(time.Time) { open.Visibility = row.before })
			src := start(t, server.Start(t), Source{Repositories: []string{"acme/handbook"}, Token: secret})
			h := newHost()
			cursor, err := hear(t, src, nil, h)
			if err != nil {
				t.Fatal(err)
			}
			server.Change(func(time.Time) { open.Visibility = row.between })
			syncOnce(t, src, h)
			if got := openDocs(h); len(got) > 0 {
				t.Errorf("open to everybody: %v", got)
			}
			server.Change(func(time.Time) { open.Visibility = row.before })
			if _, err := hear(t, src, cursor, h); err != nil {
				t.Fatal(err)
			}
			want := 0
			if row.before == "public" {
				want = len(h.docs)
			}
			if got := openDocs(h); len(got) != want {
				t.Errorf("%d of %d are open to everybody, want %d", len(got), len(h.docs), want)
			}
		})
	}
}

// An account that breaks off while it opens a repository is taken back when the
// repository is closed again.
func TestOpenedByHalf(t *testing.T) {
	server, open, _ := acme(t)
	open.Collaborators = []string{"ann"}
	server.Change(func(time.Time) { open.Visibility = "private" })
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/handbook"}, Token: secret})
	h := newHost()
	cursor, err := hear(t, src, nil, h)
	if err != nil {
		t.Fatal(err)
	}
	syncOnce(t, src, h)
	server.Change(func(time.Time) { open.Visibility, open.Releases[0].ID = "public", 0 }) // nonsense, after the issues
	if cursor, err = hear(t, src, cursor, h); err == nil || len(openDocs(h)) == 0 {
		t.Fatalf("%v, %v", err, openDocs(h))
	}
	server.Change(func(time.Time) { open.Visibility, open.Releases[0].ID = "private", 1101 })
	if _, err = hear(t, src, cursor, h); err != nil || len(openDocs(h)) > 0 {
		t.Errorf("%v, open to everybody: %v", err, openDocs(h))
	}
}

// Of two repositories that are closed, one cannot be told in the first account: it
// is in the next.
func TestClosedAndNotTold(t *testing.T) {
	server, open, other := acme(t)
	open.Collaborators = []string{"ann"}
	server.Change(func(time.Time) { other.Visibility = "public" })
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/*"}, Token: secret})
	h := newHost()
	cursor, err := hear(t, src, nil, h)
	if err != nil {
		t.Fatal(err)
	}
	syncOnce(t, src, h)
	server.Change(func(time.Time) { open.Visibility, other.Visibility, other.Items[0].Number = "private", "private", 0 })
	if cursor, err = hear(t, src, cursor, h); err == nil {
		t.Fatal("nonsense was taken")
	}
	server.Change(func(time.Time) { other.Items[0].Number = 1 })
	if _, err = hear(t, src, cursor, h); err != nil || len(openDocs(h)) > 0 {
		t.Errorf("%v, open to everybody: %v", err, openDocs(h))
	}
}

// A public repository that goes out of sight and comes back closed before a sync
// has seen it is closed by the account of readers. While it is away the account is
// an error, until a sync has closed it.
func TestAwayAndBackClosed(t *testing.T) {
	server, open, _ := acme(t)
	open.Collaborators = []string{"ann"}
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/*"}, Token: secret})
	h := newHost()
	cursor, err := hear(t, src, nil, h)
	if err != nil {
		t.Fatal(err)
	}
	syncOnce(t, src, h)
	owner := open.Owner
	server.Change(func(time.Time) { open.Owner = "elsewhere" })
	away, err := hear(t, src, cursor, h)
	if err == nil || !strings.Contains(err.Error(), "the next sync closes it") {
		t.Errorf("%v", err)
	}
	server.Change(func(time.Time) { open.Owner, open.Visibility = owner, "private" })
	if _, err := hear(t, src, away, h); err != nil || len(openDocs(h)) > 0 {
		t.Errorf("%v, open to everybody: %v", err, openDocs(h))
	}
	server.Change(func(time.Time) { open.Owner = "elsewhere" })
	syncOnce(t, src, h)
	if diff := cmp.Diff([]string{"11"}, h.closed); diff != "" {
		t.Error(diff)
	}
	if _, err := hear(t, src, away, h); err != nil {
		t.Errorf("closed by the sync: %v", err)
	}
}

// A repository that is closed while one of its documents is read, or while another
// repository is, is closed in all that is sent from then on.
func TestClosedBetweenReadingAndSending(t *testing.T) {
	server, open, other := acme(t)
	open.Collaborators = []string{"ann"}
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/*"}, Token: secret})
	src.lookEvery = 0
	server.Change(func(time.Time) { other.Visibility = "public" })
	server.Before(func(req *http.Request) {
		if strings.HasSuffix(req.URL.Path, "/comments") {
			open.Visibility, other.Visibility = "private", "private"
		}
	})
	h := newHost()
	syncOnce(t, src, h)
	if got := openDocs(h); len(got) > 0 || len(h.docs) == 0 {
		t.Errorf("open to everybody: %v of %d", got, len(h.docs))
	}
}

// The account may not open more than Sync found, nor Sync more than the account.
func TestSendTo(t *testing.T) {
	all := map[string]repo{
		"p": {id: 5, visibility: "public"}, "g readers-5": {id: 5, visibility: "private"},
		"g readers-5 members-7": {id: 5, visibility: "internal", org: 7}, "g readers-5 members-8": {id: 5, visibility: "internal", org: 8},
	}
	src := start(t, githubtest.New().Start(t), Source{Repositories: []string{"a/b"}, Token: secret})
	for _, row := range []struct{ told, now, want string }{
		{"", "p", "p"}, {"p", "p", "p"}, {"w", "p", "w"}, {"?", "p", "g readers-5"}, {"g readers-5", "p", "g readers-5"},
		{"p", "g readers-5", "g readers-5"}, {"g readers-5 members-7", "p", "g readers-5 members-7"},
		{"g readers-5 members-7", "g readers-5 members-7", "g readers-5 members-7"},
		{"g readers-5 members-7", "g readers-5 members-8", "g readers-5"}, {"g readers-5 members-7", "g readers-5", "g readers-5"},
		{"p", "g readers-5 members-8", "g readers-5 members-8"}, {"g readers-5", "g readers-5 members-8", "g readers-5"},
	} {
		told := map[int64]string{}
		if row.told != "" {
			told[5] = row.told
		}
		src.account(told)
		if got := opennessOf(src.sendTo(all[row.now])); got != row.want {
			t.Errorf("%+v: %s", row, got)
		}
	}
}
