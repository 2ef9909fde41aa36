package github

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/plugins/github/githubtest"
	"github.com/footnote-bot/footnote/plugins/internal/hosttest"
)

// fill gives a repository an issue, a pull request, a discussion and a release.
func fill(r *githubtest.Repository) func(time.Time) {
	return func(now time.Time) {
		r.Add(githubtest.Item{
			Title: "Coffee is cold", Body: "The machine on floor 2.", Author: "ann", Labels: []string{"kitchen", "bug"}, Created: now.Add(-time.Hour), Updated: now,
			Comments: []githubtest.Remark{{ID: 501, Author: "bob", Body: "I unplugged it.", At: now}},
		})
		r.Add(githubtest.Item{
			Pull: true, Merged: true, State: "closed", Title: "Heat the coffee", Body: "Fixes #1.", Author: "bob", Created: now.Add(-time.Minute), Updated: now,
			Reviews:      []githubtest.Remark{{ID: 601, Author: "ann", State: "APPROVED", Body: "Hot.", At: now}, {ID: 602, Author: "eve", State: "COMMENTED", At: now}},
			CodeComments: []githubtest.Remark{{ID: 701, Author: "eve", Path: "boiler.go", Body: "Why 96 degrees?", At: now.Add(-time.Second)}},
		})
		for n := range 3 {
			r.Talks = append(r.Talks, &githubtest.Talk{
				Number: 10 + n, Title: fmt.Sprintf("Question %d", n), Body: "How?", Author: "joe", Category: "Q&A", Created: now, Updated: now.Add(time.Duration(n) * time.Second),
				Comments: []githubtest.Remark{
					{ID: 801, Author: "ann", Body: "First.", At: now, Replies: []githubtest.Remark{{ID: 802, Author: "bob", Body: "Indeed.", At: now}}},
					{ID: 803, Author: "bob", Body: "Second.", At: now}, {ID: 804, Author: "eve", Body: "So.", At: now, Answer: true},
				},
			})
		}
		r.Releases = append(r.Releases,
			&githubtest.Release{ID: r.ID*100 + 1, Tag: "v1", Name: "One", Body: "The first.", Author: "ann", At: now},
			&githubtest.Release{ID: r.ID*100 + 2, Tag: "v2", Body: "Not yet.", Author: "ann", Draft: true, At: now})
	}
}

// many is a repository with so many items, of which some have comments and reviews.
func many(items int) (*githubtest.Server, *githubtest.Repository) {
	s := githubtest.New()
	s.AddToken(secret, &githubtest.Token{Login: "ann", Scopes: "repo"})
	r := s.AddRepository(&githubtest.Repository{ID: 21, Owner: "acme", Name: "big", Visibility: "public", Files: map[string]string{"a.md": "# A", "b/c.md": "# C"}})
	s.Change(func(now time.Time) {
		began := now.Add(-time.Duration(items) * time.Minute)
		for n := range items {
			// Imported in one go: a few hundred have the same time.
			at := began.Add(time.Duration(n) * time.Minute)
			if n < items/10 {
				at = began
			}
			i := githubtest.Item{Title: fmt.Sprintf("Item %d", n), Body: fmt.Sprintf("What was said of %d.", n), Author: "ann", Created: at, Updated: at, Pull: n%10 == 4}
			if n%6 == 0 {
				i.Comments = []githubtest.Remark{{ID: int64(n), Author: "bob", Body: fmt.Sprintf("Seen, %d.", n), At: at}}
			}
			r.Add(i)
		}
	})
	return s, r
}

func syncOnce(t testing.TB, src *Source, h *hosttest.Host) {
	t.Helper()
	if err := src.sync(t.Context(), h.Cursor, h); err != nil {
		t.Fatal(err)
	}
}

func listed(ctx context.Context, src *Source) ([]string, error) {
	var out []string
	err := src.list(ctx, func(_ repo, id string) error { out = append(out, id); return nil })
	slices.Sort(out)
	return out, err
}
