package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

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
	q, err := who.question(a, "", text)
	if err != nil {
		return err
	}
	if err := a.mustHaveDocuments(ctx); err != nil {
		return err
	}
	found, err := a.finder.Search(ctx, find.Query{
		Queries: []string{text}, Limit: limit, Filter: filterOf(q.Audience),
	})
	if err != nil {
		return err
	}
	if len(found) == 0 && !asJSON {
		fmt.Fprintln(inv.streams.Err, "nothing found")
	}
	for i, r := range found {
		if err := inv.showPassage(i+1, r, asJSON); err != nil {
			return err
		}
	}
	return nil
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
	_, err := fmt.Fprintf(inv.streams.Out, "%d. %s\n   %s\n   %s\n\n", n,
		console.Clean(strings.Join(where, " › ")), console.Clean(excerpt(r.Passage.Text, 300)),
		console.Clean(cmp.Or(r.Document.URL, r.Document.ID)))
	return err
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
