package github

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/github/githubtest"
)

func found(t *testing.T, src *Source, q sdk.Query) []string {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 10
	}
	hits, err := src.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range hits {
		if h.Snippet == "" || h.Document.URL == "" {
			t.Errorf("%s has no snippet or no address", h.Document.ID)
		}
		out = append(out, h.Document.ID)
	}
	return out
}

func TestSearch(t *testing.T) {
	server, _, closed := acme(t)
	other := server.AddRepository(&githubtest.Repository{ID: 13, Owner: "acme", Name: "elsewhere", Visibility: "public"})
	server.Change(fill(other))
	address := server.Start(t)
	ann := sdk.Caller{Email: "ann@example.com"}
	src := start(t, address, Source{Repositories: []string{"acme/handbook", "acme/plans"}, Token: secret})
	for _, row := range []struct {
		name string
		q    sdk.Query
		want []string
	}{
		{"a person", sdk.Query{Text: "coffee", Viewer: ann}, []string{"11/issues/1", "11/pull/2", "12/issues/1", "12/pull/2"}},
		{"nobody known", sdk.Query{Text: "coffee"}, []string{"11/issues/1", "11/pull/2"}},
		{"a limit", sdk.Query{Text: "coffee", Viewer: ann, Limit: 1}, []string{"12/issues/1"}},
		{"no word", sdk.Query{Text: "?! :", Viewer: ann}, nil},
		{"a question that wants to search elsewhere", sdk.Query{Text: `coffee repo:acme/elsewhere OR "is:issue"`, Viewer: ann}, nil},
		{"of long ago", sdk.Query{Text: "coffee", Viewer: ann, To: time.Now().AddDate(-1, 0, 0)}, nil},
		{"of the future", sdk.Query{Text: "coffee", Viewer: ann, From: time.Now().AddDate(1, 0, 0)}, nil},
	} {
		got := found(t, src, row.q)
		slices.Sort(got)
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s: %s", row.name, diff)
		}
	}
	// Once the readers were told, what is closed to the asker is not even looked for.
	server.AddToken(secret, &githubtest.Token{Login: "bob"})
	server.Change(func(time.Time) { closed.Collaborators = []string{"bob"} })
	grant(t, src)
	if got := found(t, src, sdk.Query{Text: "coffee", Viewer: ann}); len(got) != 2 {
		t.Errorf("removed from a repository: %v", got)
	}
	if got := found(t, src, sdk.Query{Text: "coffee", Viewer: sdk.Caller{Email: "Bob@acme.test"}}); len(got) != 4 {
		t.Errorf("still in it: %v", got)
	}
	all := start(t, address, Source{Repositories: []string{"acme/*"}, Token: secret})
	if got := found(t, all, sdk.Query{Text: "coffee"}); len(got) != 4 {
		t.Errorf("all repositories, nobody known: %v", got)
	}
}

func TestSearchWords(t *testing.T) {
	for in, want := range map[string]string{
		"How do I reset the VPN?":             "How do I reset the VPN",
		"repo:evil/x NOT label:secret":        "repo evil x label secret",
		`"exact phrase" OR user:somebody`:     "exact phrase user somebody",
		"v1.2.3 -draft user_name":             "v1.2.3 draft user_name",
		"コーヒー は 冷たい":                          "コーヒー は 冷たい",
		strings.Repeat("word ", 100) + "last": strings.TrimSpace(strings.Repeat("word ", 40)),
	} {
		if got := searchWords(in); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	base := func(change func(*Source)) Source {
		s := Source{Repositories: []string{"a/b"}}
		change(&s)
		return s
	}
	for field, src := range map[string]Source{
		"repositories:":  base(func(s *Source) { s.Repositories = []string{"just-a-name"} }),
		"repositories: ": base(func(s *Source) { s.Repositories = nil }),
		"read:":          base(func(s *Source) { s.Read = []string{"issue"} }),
		"files:":         base(func(s *Source) { s.Files = []string{"[a"} }),
		"base_url:":      base(func(s *Source) { s.BaseURL = "github.example.com" }),
		"base_url: ":     base(func(s *Source) { s.BaseURL = "http://github.example.com" }),
		"base_url: it":   base(func(s *Source) { s.BaseURL = "https://user@github.example.com" }),
		"private_key:":   base(func(s *Source) { s.AppID = 1 }),
		"private_key: i": base(func(s *Source) { s.AppID, s.PrivateKey = 1, "no key" }),
		"app_id:":        base(func(s *Source) { s.PrivateKey = "key" }),
		"token:":         base(func(s *Source) { s.AppID, s.PrivateKey, s.Token = 1, "key", "token" }),
		"people:":        base(func(s *Source) { s.People = map[string]string{"ann": "not an address"} }),
		"people: ":       base(func(s *Source) { s.People = map[string]string{"ann": "a@x.test", "Ann": "b@x.test"} }),
		"rate:":          base(func(s *Source) { s.Rate = -1 }),
	} {
		wantError(t, field, src.Start(t.Context(), nil), "config", strings.TrimSpace(field))
	}
}

// Credentials go to the API and nowhere else, and addresses are derived from the
// one that a person knows.
func TestPlaces(t *testing.T) {
	for base, want := range map[string]string{
		"":                                  "https://api.github.com/ https://api.github.com/graphql",
		"https://github.com/":               "https://api.github.com/ https://api.github.com/graphql",
		"https://acme.ghe.com":              "https://api.acme.ghe.com/ https://api.acme.ghe.com/graphql",
		"https://git.acme.test":             "https://git.acme.test/api/v3/ https://git.acme.test/api/graphql",
		"https://git.acme.test/api/v3/":     "https://git.acme.test/api/v3/ https://git.acme.test/api/graphql",
		"http://127.0.0.1:8080":             "http://127.0.0.1:8080/api/v3/ http://127.0.0.1:8080/api/graphql",
		"https://intra.acme.test/path/here": "https://intra.acme.test/path/here/api/v3/ https://intra.acme.test/path/here/api/graphql",
	} {
		p, err := placesOf(base)
		if err != nil {
			t.Errorf("%s: %v", base, err)
			continue
		}
		if got := p.api.String() + " " + p.graph.String(); got != want {
			t.Errorf("%s: %s", base, got)
		}
	}
}

func TestCheck(t *testing.T) {
	server, _, _ := acme(t)
	address := server.Start(t)
	err := start(t, address, Source{Repositories: []string{"acme/*"}, Token: secret}).Check(t.Context())
	var w sdk.Warning
	if !strings.Contains(fmt.Sprint(err), "1 of 3 people who may read private repositories have no known e-mail address and get nothing of these: joe") || !errors.As(err, &w) {
		t.Errorf("%v", err)
	}
	if err := start(t, address, Source{Repositories: []string{"acme/handbook"}, Token: secret}).Check(t.Context()); err != nil {
		t.Errorf("a public repository: %v", err)
	}
	err = start(t, address, Source{Repositories: []string{"acme/handbook"}}).Check(t.Context())
	if !strings.Contains(fmt.Sprint(err), "there is no token") {
		t.Errorf("without a token: %v", err)
	}
	wantError(t, "unknown", start(t, address, Source{Repositories: []string{"acme/hanbook"}, Token: secret}).Check(t.Context()), "config", "acme/hanbook", "404")
	wantError(t, "revoked", start(t, address, Source{Repositories: []string{"acme/handbook"}, Token: "wrong"}).Check(t.Context()), "auth", "Bad credentials")
}
