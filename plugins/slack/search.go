package slack

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/slack-go/slack"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

const maxWords = 200 // bytes of a query

// Search asks Slack itself, with the user's token. What it finds in channels that
// the source does not read is left out: the token's owner sees more than its
// channels. Each hit states its readers, and the host decides by these. Without a
// token it finds nothing.
func (s *Source) Search(ctx context.Context, q sdk.Query) ([]sdk.Hit, error) {
	words := searchWords(q.Text)
	if s.search == nil || words == "" || q.Viewer.Email == "" { // nothing of Slack is for everybody
		return nil, nil
	}
	f, err := s.resolve(ctx, false)
	if err != nil {
		return nil, err
	}
	if err := s.folks.load(ctx, time.Hour); err != nil {
		return nil, err
	}
	open := map[string]channel{}
	for _, c := range f.channels {
		open[c.id] = c
	}
	params := slack.NewSearchParameters()
	params.Count = min(max(3*q.Limit, 20), 100)
	got, err := s.search.SearchMessagesContext(ctx, words+dates(q.From, q.To), params)
	if err != nil {
		return nil, explain("the search", err)
	}
	var out []sdk.Hit
	seen := map[string]bool{}
	for n, m := range got.Matches {
		c, ok := open[m.Channel.ID]
		at, timed := stampOf(m.Timestamp)
		if !ok || !timed || m.User == f.me.user || !q.From.IsZero() && at.time().Before(q.From) || !q.To.IsZero() && at.time().After(q.To) {
			continue
		}
		hit, err := s.hit(ctx, f.me, c, m, at)
		if err != nil {
			return nil, err
		}
		if seen[hit.Document.ID] {
			continue
		}
		seen[hit.Document.ID] = true
		hit.Score = 1 / float64(n+1) // the order tells as much
		if out = append(out, hit); len(out) == q.Limit {
			break
		}
	}
	return out, nil
}

// hit is one message, as a piece of its thread where it is in one.
func (s *Source) hit(ctx context.Context, me account, c channel, m slack.SearchMessage, at stamp) (sdk.Hit, error) {
	u := unit{id: m.Timestamp, at: at}
	if link, err := url.Parse(m.Permalink); err == nil {
		if ts := link.Query().Get("thread_ts"); ts != "" {
			if root, ok := stampOf(ts); ok {
				u = unit{id: ts, at: root, thread: true}
			}
		}
	}
	one := message{ts: m.Timestamp, at: at, user: m.User, name: m.Username, text: m.Text, kind: said}
	d, err := s.document(ctx, me, c, u, []message{one})
	if err != nil {
		return sdk.Hit{}, err
	}
	of, err := s.naming(ctx, m.Text)
	if err != nil {
		return sdk.Hit{}, err
	}
	snippet := history.Cut(markdown(m.Text, of), 2000)
	d.Body = "" // a part of the document, not all of it
	return sdk.Hit{Document: d, Snippet: snippet}, nil
}

// searchWords keeps the words of a question and nothing that Slack would take for a
// modifier, such as in: or from: a question must not search elsewhere.
func searchWords(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_' && r != '.'
	})
	var out []string
	size := 0
	for _, w := range words {
		if w = strings.Trim(w, "."); w == "" || slices.Contains([]string{"AND", "OR", "NOT"}, w) {
			continue
		}
		if size += len(w) + 1; size > maxWords {
			break
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

// dates narrow a search to days, both bounds outside of what counts.
func dates(from, to time.Time) string {
	out := ""
	if !from.IsZero() {
		out += " after:" + from.UTC().AddDate(0, 0, -2).Format(time.DateOnly)
	}
	if !to.IsZero() {
		out += " before:" + to.UTC().AddDate(0, 0, 2).Format(time.DateOnly)
	}
	return out
}
