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
	"github.com/footnote-bot/footnote/core/where"
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
	Coverage   float64 `json:"coverage"` // of the words of the question

	Why *find.Reason `json:"why,omitempty"`
}

// wish is what a search command is told beside words and reader.
type wish struct {
	limit   int
	where   string
	folders []string
	depth   int
	json    bool
	explain bool
}

func (inv *invocation) searchCommand() *cobra.Command {
	var who asking
	var w wish
	c := &cobra.Command{
		Use:   "search WORDS",
		Short: "List the passages that match best",
		Long: `List the passages that match best, as a person in a place would find them.

--where narrows to documents whose metadata meets a condition:
  footnote search backup --where 'status = "open" and priority >= 2'
Fields are keys of metadata, and source, title, kind, updated and created.
Operators are = != < <= > >= in contains exists, and or not, and brackets.
A field that a document lacks equals nothing, so that != passes it.`,
		Args: atLeast(1, "words to search for"),
		RunE: func(c *cobra.Command, args []string) error {
			if w.limit < 1 || w.limit > 1000 {
				return core.Errorf(core.KindUsage, "--limit: %d is out of range; choose 1 to 1000", w.limit)
			}
			if c.Flags().Changed("depth") && len(w.folders) == 0 {
				return core.Errorf(core.KindUsage, "--depth says how far below --folder to look; name a folder")
			}
			return inv.withFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.search(ctx, a, &who, strings.Join(args, " "), w)
			})
		},
	}
	who.flags(c)
	f := c.Flags()
	f.BoolVar(&w.json, "json", false, "print one JSON object a line, with scores and reasons")
	f.IntVar(&w.limit, "limit", 10, "most passages to list")
	f.StringVar(&w.where, "where", "", "only documents that meet a condition, such as 'status = \"open\"'")
	f.StringArrayVar(&w.folders, "folder", nil, "only what lies in a folder, SOURCE/ID; may be given several times")
	f.IntVar(&w.depth, "depth", core.AnyDepth, "levels below --folder: 0 is the folder alone, -1 all")
	f.BoolVar(&w.explain, "explain", false, "say for each passage why it was found and stands where it stands")
	return c
}

// narrow puts what is asked for into the filter. Errors are of kind usage or invalid.
func (w wish) narrow(f *core.Filter) (err error) {
	if w.depth < core.AnyDepth {
		return core.Errorf(core.KindUsage, "--depth: %d means nothing; 0 is the folder alone, -1 all below it", w.depth)
	}
	for _, id := range w.folders {
		f.Under = append(f.Under, core.FolderScope{Folder: id, Levels: w.depth})
	}
	if w.where != "" {
		f.Where, err = where.Parse(w.where)
	}
	return err
}

func (inv *invocation) search(ctx context.Context, a *app, who *asking, text string, w wish) error {
	q, err := who.question(ctx, a, "", text)
	if err != nil {
		return err
	}
	if err := a.mustHaveDocuments(ctx); err != nil {
		return err
	}
	filter := q.Audience.Filter()
	filter.Collections = q.Collections
	if err := w.narrow(&filter); err != nil {
		return err
	}
	var reasons []find.Reason
	found, err := a.finder.Search(ctx, find.Query{
		Queries: []string{text}, Limit: w.limit, Filter: filter, Viewer: find.OnlyReader(q.Audience, q.Viewer), Named: q.Audience.TitleOf,
		Why:      func(_ core.Result, why find.Reason) { reasons = append(reasons, why) },
		Unranked: func(reason string) { fmt.Fprintf(inv.streams.Err, "note: not reranked: %s\n", reason) },
		Live:     true, Missed: func(source string) {
			fmt.Fprintf(inv.streams.Err, "note: the source %s did not answer in time; what only it knows is missing\n", source)
		},
	})
	if err != nil {
		return err
	}
	a.noteAudit(ctx, searched(q, found))
	if len(found) == 0 && !w.json {
		fmt.Fprintln(inv.streams.Err, "nothing found")
	}
	for i, r := range found {
		if err := inv.showPassage(i+1, shownTo(q.Audience, r), whyShown(q.Audience, r, reasons[i]), w); err != nil {
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

func (inv *invocation) showPassage(n int, r core.Result, why find.Reason, w wish) error {
	if w.json {
		return inv.printJSON(shownPassage{
			DocumentID: r.Document.ID, Title: r.Document.Title, URL: r.Document.URL,
			Heading: r.Passage.Heading, Page: r.Passage.Page, Passage: r.Passage.Text,
			Score: r.Score, Coverage: r.Coverage, Why: &why,
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
	if w.explain && err == nil {
		_, err = fmt.Fprint(inv.streams.Out, console.Clean(whyText(r, why)))
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
