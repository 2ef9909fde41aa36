package github

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/google/go-github/v80/github"
	"golang.org/x/sync/errgroup"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// GitHub takes 256 characters of words, and 30 searches a minute.
const (
	maxWords     = 200 // bytes
	mostSearches = 6   // for one question
)

// Search looks for issues and pull requests in the configured repositories, of
// which the viewer may read those that are not known to be closed to them. Each
// hit states its readers, and the host decides by these.
func (s *Source) Search(ctx context.Context, q sdk.Query) ([]sdk.Hit, error) {
	words := searchWords(q.Text)
	if words == "" || !s.kinds[issues] && !s.kinds[pulls] {
		return nil, nil
	}
	repos, _, err := s.resolve(ctx)
	if err != nil {
		return nil, err
	}
	open := map[string]repo{}
	for _, r := range repos {
		if public := len(s.access(r).Groups) == 0 && !s.access(r).Workspace; public || q.Viewer.Email != "" && !s.closedFor(r, q.Viewer.Email) {
			open[strings.ToLower(r.full())] = r
		}
	}
	scopes := s.scopes(open)
	if len(scopes) == 0 {
		return nil, nil
	}
	var mu sync.Mutex
	var hits []sdk.Hit
	group, asking := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, scope := range scopes {
		group.Go(func() (err error) {
			defer recovered(&err)
			found, err := s.searchIn(asking, words+" "+scope+updatedRange(q.From, q.To), open, q)
			mu.Lock()
			defer mu.Unlock()
			hits = append(hits, found...)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return best(hits, q.Limit), nil
}

// scopes are the qualifiers of the searches to make, each for one repository or
// owner: GitHub joins several by "and" on some servers and by "or" on others.
func (s *Source) scopes(open map[string]repo) []string {
	var places []string
	for _, r := range open {
		place := "repo:" + r.full()
		if slices.ContainsFunc(s.entries, func(e entry) bool { return wild(e.name) && e.covers(r.owner, r.name) }) {
			place = "user:" + r.owner // an organisation, too
		}
		if !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	slices.Sort(places)
	var out []string
	for _, place := range places {
		if s.kinds[issues] {
			out = append(out, place+" is:issue")
		}
		if s.kinds[pulls] {
			out = append(out, place+" is:pull-request")
		}
	}
	return out[:min(len(out), mostSearches)]
}

// searchWords keeps the words of a question and nothing that GitHub would take for
// a qualifier or an operator: a question must not search elsewhere.
func searchWords(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_' && r != '-' && r != '.'
	})
	var out []string
	size := 0
	for _, w := range words {
		w = strings.Trim(w, "-.")
		if w == "" || slices.Contains([]string{"AND", "OR", "NOT"}, w) {
			continue
		}
		if size += len(w) + 1; size > maxWords {
			break
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

func updatedRange(from, to time.Time) string {
	at := func(t time.Time, open string) string {
		if t.IsZero() {
			return open
		}
		return t.UTC().Format(time.RFC3339)
	}
	if from.IsZero() && to.IsZero() {
		return ""
	}
	return " updated:" + at(from, "*") + ".." + at(to, "*")
}

func (s *Source) searchIn(ctx context.Context, query string, open map[string]repo, q sdk.Query) ([]sdk.Hit, error) {
	opts := &github.SearchOptions{TextMatch: true, ListOptions: github.ListOptions{PerPage: min(max(2*q.Limit, 10), perPage)}}
	got, resp, err := s.api.search.Issues(ctx, query, opts)
	if resp != nil && resp.StatusCode == http.StatusUnprocessableEntity {
		return nil, explain("the search", sdk.Denied(errors.New("GitHub does not search these repositories for the token")))
	}
	if err != nil {
		return nil, explain("the search", err)
	}
	if got.Total == nil {
		return nil, explain("the search", errOdd)
	}
	var out []sdk.Hit
	for n, i := range got.Issues {
		r, ok := open[repositoryOf(i)]
		updated := i.GetUpdatedAt().Time
		switch {
		case !ok || i.GetNumber() == 0 || !s.kinds[kindOf(i)]:
			continue // of another repository, whatever the search made of the query
		case !q.From.IsZero() && updated.Before(q.From), !q.To.IsZero() && updated.After(q.To):
			continue
		}
		// The library does not read the score; the order tells as much.
		out = append(out, sdk.Hit{Document: s.facts(r, i), Score: 1 / float64(n+1), Snippet: snippet(i)})
	}
	return out, nil
}

// repositoryOf is the repository's name in lower case, of the address of a hit.
func repositoryOf(i *github.Issue) string {
	parts := strings.Split(strings.TrimSuffix(i.GetRepositoryURL(), "/"), "/")
	if len(parts) < 2 {
		return ""
	}
	return strings.ToLower(strings.Join(parts[len(parts)-2:], "/"))
}

// snippet is what GitHub found in the text, or the text's beginning.
func snippet(i *github.Issue) string {
	var out []string
	for _, m := range i.TextMatches {
		if m.GetFragment() != "" && m.GetProperty() != "title" {
			out = append(out, m.GetFragment())
		}
	}
	if len(out) == 0 {
		return cmp.Or(cut(i.GetBody(), 600), i.GetTitle())
	}
	return cut(strings.Join(out, "\n\n"), 2000)
}

// best merges the answers, the first of each before the second of any.
func best(hits []sdk.Hit, limit int) []sdk.Hit {
	slices.SortStableFunc(hits, func(a, b sdk.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Document.Updated.Compare(a.Document.Updated), cmp.Compare(a.Document.ID, b.Document.ID))
	})
	seen := map[string]bool{}
	hits = slices.DeleteFunc(hits, func(h sdk.Hit) bool {
		was := seen[h.Document.ID]
		seen[h.Document.ID] = true
		return was
	})
	return hits[:min(len(hits), limit)]
}
