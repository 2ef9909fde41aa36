package github

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/github/githubtest"
	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

func wantError(t *testing.T, what string, err error, kind string, words ...string) {
	t.Helper()
	hosttest.WantError(t, what, err, secret, kind, words...)
}

func TestRefusals(t *testing.T) {
	server, open, closed := acme(t)
	address := server.Start(t)
	token := server.AddToken("other", &githubtest.Token{Login: "ann", Scopes: "public_repo"})
	src := start(t, address, Source{Repositories: []string{"acme/handbook", "acme/plans"}, Token: "other"})
	h := hosttest.NewHost()

	err := src.sync(t.Context(), nil, h)
	wantError(t, "scope", err, "denied", "acme/plans", `the scopes "public_repo" and needs one of repo`)
	if _, ok := h.Docs["11/issues/1"]; !ok {
		t.Error("the other repository was not read")
	}
	_, err = listed(t.Context(), src)
	wantError(t, "list", err, "denied", "nothing is deleted", "acme/plans")
	wantError(t, "check", src.Check(t.Context()), "config", "repositories", "acme/plans", "needs one of repo")

	server.Change(func(time.Time) { token.Scopes, token.Lacks = "", []string{"contents", "discussions"} })
	h = hosttest.NewHost()
	err = src.sync(t.Context(), nil, h)
	wantError(t, "permission", err, "denied", "the branch main of acme/handbook", "contents=read")
	if len(h.Notes) != 2 || !strings.Contains(h.Notes[0], "discussions of acme/handbook were left out") {
		t.Errorf("notes: %q", h.Notes)
	}

	server.Change(func(time.Time) { token.Revoked = true })
	wantError(t, "revoked", src.sync(t.Context(), nil, hosttest.NewHost()), "auth", "Bad credentials", "revoked")
	wantError(t, "revoked grants", src.grants(t.Context(), hosttest.NewReaders()), "auth")
	_, err = listed(t.Context(), src)
	wantError(t, "revoked list", err, "auth")

	server.Change(func(time.Time) { token.Revoked, token.Lacks, open.Gone, closed.Gone = false, nil, true, true })
	wantError(t, "nothing left", src.sync(t.Context(), nil, hosttest.NewHost()), "denied", "acme/handbook")
	wantError(t, "nothing left: grants", src.grants(t.Context(), hosttest.NewReaders()), "denied")
}

// A repository that vanished is closed and never reads as emptied. When it is back
// its documents come again.
func TestVanished(t *testing.T) {
	server, open, _ := acme(t)
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/handbook", "acme/plans"}, Token: secret})
	h := hosttest.NewHost()
	syncOnce(t, src, h)
	all := len(h.Docs)
	server.Change(func(time.Time) { open.Gone = true })
	wantError(t, "sync", src.sync(t.Context(), h.Cursor, h), "denied", "acme/handbook")
	if len(h.Closed) != 1 || h.Closed[0] != "11" {
		t.Errorf("closed: %v", h.Closed)
	}
	_, err := listed(t.Context(), src)
	wantError(t, "list", err, "denied", "nothing is deleted")
	if got := grant(t, src); len(got.Folders) != 1 || len(got.Groups) != 1 {
		t.Errorf("%v %v", got.Folders, got.Groups)
	}
	server.Change(func(time.Time) { open.Gone = false })
	h.Docs = map[string]sdk.Document{}
	syncOnce(t, src, h)
	if len(h.Docs) < all/2 || len(h.Docs) > all {
		t.Errorf("%d documents came again", len(h.Docs))
	}
	if _, ok := h.Docs["11/blob/docs/travel.md"]; !ok {
		t.Error("a file of the repository did not come again")
	}
}

// Discussions that could be read once are not deleted for want of a right.
func TestDiscussionsThatWereReadable(t *testing.T) {
	server, _, _ := acme(t)
	token := server.AddToken("narrow", &githubtest.Token{Login: "ann"})
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/handbook"}, Token: "narrow"})
	syncOnce(t, src, hosttest.NewHost())
	server.Change(func(time.Time) { token.Lacks = []string{"discussions"} })
	src.memory.discussed = map[int64]bool{} // as in a new process
	_, err := listed(t.Context(), src)
	wantError(t, "list", err, "denied", "discussions of acme/handbook")
}

// GitHub says "later" in four ways; each becomes a pause by its own clock.
func TestPauses(t *testing.T) {
	server, _, _ := acme(t)
	address := server.Start(t)
	server.Allow(3, 17*time.Minute)
	err := start(t, address, Source{Repositories: []string{"acme/handbook"}, Token: secret}).sync(t.Context(), nil, hosttest.NewHost())
	wantError(t, "allowance", err, "busy", "rate limit")
	for _, row := range []struct {
		name   string
		status int
		header map[string]string
		body   string
		want   time.Duration
	}{
		{"primary", 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000900", "Date": "Tue, 14 Nov 2023 22:13:20 GMT"}, `{"message":"API rate limit exceeded"}`, 15 * time.Minute},
		{"secondary with a pause", 403, map[string]string{"Retry-After": "90"}, `{"message":"You have exceeded a secondary rate limit"}`, 90 * time.Second},
		{"secondary without", 403, nil, `{"message":"You have exceeded a secondary rate limit"}`, time.Minute},
		{"too many", 429, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "nonsense"}, `{}`, time.Minute},
		{"a plain refusal", 403, map[string]string{"X-RateLimit-Remaining": "4000"}, `{"message":"Must have admin rights"}`, 0},
	} {
		w := httptest.NewRecorder()
		for key, value := range row.header {
			w.Header().Set(key, value)
		}
		w.WriteHeader(row.status)
		w.Body.WriteString(row.body)
		resp, err := paused(w.Result())
		if err != nil || sdk.RetryAfter(resp) != row.want || row.want > 0 != (resp.StatusCode == http.StatusTooManyRequests) {
			t.Errorf("%s: %d, %v, %v", row.name, resp.StatusCode, sdk.RetryAfter(resp), err)
		}
	}
}

// An item that cannot be read this time is kept in mind for the next.
func TestUnreadableItem(t *testing.T) {
	server, _, _ := acme(t)
	address := server.Start(t)
	broken := true
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if broken && strings.HasSuffix(r.URL.Path, "/issues/1/comments") {
			_, _ = w.Write([]byte(`{"message":"Server Error"}`))
			return
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	h := hosttest.NewHost()
	src := start(t, proxy.URL, Source{Repositories: []string{"acme/handbook"}, Read: []string{"issues"}, Token: secret})
	syncOnce(t, src, h)
	if len(h.Failed) != 1 || len(h.Docs) != 0 {
		t.Fatalf("%v", h.Failed)
	}
	got, err := listed(t.Context(), src)
	if err != nil || len(got) != 1 {
		t.Errorf("%v %v", got, err)
	}
	broken = false
	server.Change(func(time.Time) {})
	syncOnce(t, src, h)
	if len(h.Failed) != 0 || len(h.Docs) != 1 {
		t.Errorf("%v, %d documents", h.Failed, len(h.Docs))
	}
	_ = address
}

// An App reads as its installation, also where our clock is wrong, and gets a new
// token when one is refused.
func TestApp(t *testing.T) {
	server, _, _ := acme(t)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	server.SetApp(githubtest.App{ID: 9, Installation: 90, Key: &key.PublicKey})
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	src := start(t, server.Start(t), Source{Repositories: []string{"acme/*"}, AppID: 9, PrivateKey: sdk.Secret(text)}) // the server's clock is an hour behind
	h := hosttest.NewHost()
	syncOnce(t, src, h)
	if len(h.Docs) != 15 || server.Requests("exchange") < 1 {
		t.Errorf("%d documents, %d exchanges", len(h.Docs), server.Requests("exchange"))
	}
	before := server.Requests("exchange")
	server.AddToken("ghs_1", &githubtest.Token{Revoked: true})
	server.AddToken("ghs_2", &githubtest.Token{Revoked: true})
	syncOnce(t, src, h)
	if got := server.Requests("exchange") - before; got != 1 {
		t.Errorf("%d exchanges after the token was refused", got)
	}
	wrong := start(t, src.BaseURL, Source{Repositories: []string{"acme/*"}, AppID: 10, PrivateKey: sdk.Secret(text)})
	wantError(t, "wrong App", wrong.sync(t.Context(), nil, hosttest.NewHost()), "auth", "exchanging the App's key")
}

// Other settings begin anew and still notice what vanished; a cursor that is
// nonsense does no harm.
func TestOtherSettings(t *testing.T) {
	server, open, _ := acme(t)
	address := server.Start(t)
	repositories := []string{"acme/*"}
	h := hosttest.NewHost()
	syncOnce(t, start(t, address, Source{Repositories: repositories, Read: []string{"issues"}, Token: secret}), h)
	server.Change(func(time.Time) { open.Gone = true })
	h.Sent = 0
	syncOnce(t, start(t, address, Source{Repositories: repositories, Read: []string{"issues", "pulls"}, Token: secret}), h)
	if len(h.Closed) != 1 || h.Closed[0] != "11" || h.Sent != 2 {
		t.Errorf("closed %v, %d sent", h.Closed, h.Sent)
	}
	for _, cursor := range []string{"nonsense", "null", `{"r":{"11":null}}`, `{"s":1}`} {
		h := hosttest.NewHost()
		h.Cursor = sdk.Cursor(cursor)
		syncOnce(t, start(t, address, Source{Repositories: repositories, Read: []string{"issues"}, Token: secret}), h)
		if len(h.Docs) != 1 {
			t.Errorf("%s: %d documents", cursor, len(h.Docs))
		}
	}
}
