package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
)

// shownPassage is a found passage as --json prints it, one a line.
type shownPassage struct {
	DocumentID string  `json:"document_id"`
	Title      string  `json:"title"`
	URL        string  `json:"url,omitempty"`
	Heading    string  `json:"heading,omitempty"`
	Page       int     `json:"page,omitempty"`
	Passage    string  `json:"passage"`
	Score      float64 `json:"score"`
}

func (inv *invocation) searchCommand() *cobra.Command {
	var who asking
	var asJSON bool
	var limit int
	c := &cobra.Command{
		Use:   "search WORDS",
		Short: "List the passages that match best",
		Args:  atLeast(1, "words to search for"),
		RunE: func(c *cobra.Command, args []string) error {
			if limit < 1 || limit > 1000 {
				return core.Errorf(core.KindUsage, "--limit: %d is out of range; choose 1 to 1000", limit)
			}
			return inv.withFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.search(ctx, a, &who, strings.Join(args, " "), limit, asJSON)
			})
		},
	}
	who.flags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	c.Flags().IntVar(&limit, "limit", 10, "most passages to list")
	return c
}

func (inv *invocation) search(ctx context.Context, a *app, who *asking, text string, limit int, asJSON bool) error {
	q, err := who.question(ctx, a, "", text)
	if err != nil {
		return err
	}
	if err := a.mustHaveDocuments(ctx); err != nil {
		return err
	}
	filter := q.Audience.Filter()
	filter.Collections = q.Collections
	found, err := a.finder.Search(ctx, find.Query{
		Queries: []string{text}, Limit: limit, Filter: filter, Viewer: find.OnlyReader(q.Audience, q.Viewer),
		Live: true, Missed: func(source string) {
			fmt.Fprintf(inv.streams.Err, "note: the source %s did not answer in time; what only it knows is missing\n", source)
		},
	})
	if err != nil {
		return err
	}
	a.noteAudit(ctx, searched(q, found))
	if len(found) == 0 && !asJSON {
		fmt.Fprintln(inv.streams.Err, "nothing found")
	}
	for i, r := range found {
		if err := inv.showPassage(i+1, shownTo(q.Audience, r), asJSON); err != nil {
			return err
		}
	}
	return nil
}

// searched is the audit's entry on passages that were shown without a turn.
func searched(q core.Question, found []core.Result) core.AuditEntry {
	e := core.AuditEntry{
		Action: core.AuditSearch, Actor: whoName(q.Viewer), Place: q.Place.ID, Class: q.Audience.Class, Scope: bot.ScopeHash(q.Audience),
	}
	for _, r := range found {
		if !slices.Contains(e.Documents, r.Document.ID) {
			e.Documents = append(e.Documents, r.Document.ID)
		}
	}
	return e
}

func (inv *invocation) showPassage(n int, r core.Result, asJSON bool) error {
	if asJSON {
		return inv.printJSON(shownPassage{
			DocumentID: r.Document.ID, Title: r.Document.Title, URL: r.Document.URL,
			Heading: r.Passage.Heading, Page: r.Passage.Page, Passage: r.Passage.Text, Score: r.Score,
		})
	}
	where := []string{r.Document.Title}
	if r.Passage.Heading != "" {
		where = append(where, r.Passage.Heading)
	}
	if r.Passage.Page > 0 {
		where = append(where, fmt.Sprintf("page %d", r.Passage.Page))
	}
	_, err := fmt.Fprintf(inv.streams.Out, "%d. %s\n   %s\n", n,
		console.Clean(strings.Join(where, " › ")), console.Clean(excerpt(r.Passage.Text, 300)))
	for _, line := range []string{r.Document.URL, r.Document.ID} { // access why wants the id
		if line != "" && err == nil {
			_, err = fmt.Fprintf(inv.streams.Out, "   %s\n", console.Clean(line))
		}
	}
	if err == nil {
		_, err = fmt.Fprintln(inv.streams.Out)
	}
	return err
}

// shownTo leaves out of a result what the place may not show of its document.
func shownTo(audience core.Audience, r core.Result) core.Result {
	if !audience.TitleOf(r.Document) {
		r.Document.Title, r.Document.ID, r.Passage.Heading, r.Passage.Page = "", "", "", 0
	}
	if audience.ShowOf(r.Document) != core.ShowLink {
		r.Document.URL, r.Document.ID = "", ""
	}
	r.Document.URL = core.ShareableURL(r.Document.URL)
	return r
}

// excerpt is the start of a text in one line.
func excerpt(text string, most int) string {
	words := []rune(strings.Join(strings.Fields(text), " "))
	if len(words) <= most {
		return string(words)
	}
	return string(words[:most]) + "…"
}

func (inv *invocation) printJSON(v any) error {
	e := json.NewEncoder(inv.streams.Out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
