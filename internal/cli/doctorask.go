package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/find"
)

func (inv *invocation) doctorAskCommand() *cobra.Command {
	who := asking{place: placeDM}
	var kind string
	var limit int
	var asJSON bool
	c := &cobra.Command{
		Use:   "ask PLACE [QUESTION]",
		Short: "Say what a question in a place would be answered from, without asking it",
		Long: `Say the class of a place, what bounds retrieval there for the person, and how
sources would be shown. With a question, the documents that it would find are listed,
each with how the place shows it. No model is called, nothing is posted and no turn
is kept; what was found is noted in the audit.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return core.Errorf(core.KindUsage, "name the place: dm, public, or its id such as slack:T1/C1")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if limit < 1 || limit > 100 {
				return core.Errorf(core.KindUsage, "--limit: %d is out of range; choose 1 to 100", limit)
			}
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				who.place = args[0]
				v, err := a.dryQuestion(ctx, who, core.PlaceKind(kind), strings.Join(args[1:], " "), limit)
				switch {
				case err != nil:
					return err
				case asJSON:
					return inv.printJSON(v)
				}
				return inv.printDry(v)
			})
		},
	}
	c.Flags().StringVar(&who.as, "as", "", "ask as the person with this e-mail address (default: the local operator, a full member)")
	c.Flags().StringVar(&kind, "kind", "", "what kind to take the place for: "+strings.Join(kindNames(), ", "))
	c.Flags().IntVar(&limit, "limit", 10, "most documents to list")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// dryView is a question that was not asked, as --json prints it.
type dryView struct {
	placeView
	As          string        `json:"as"`
	MayAsk      string        `json:"may_ask"` // yes, no, unknown where a group of the platform decides
	Mode        bot.Mode      `json:"mode"`
	Private     bool          `json:"private"`
	OnlySourced bool          `json:"only_sourced"`
	Agent       string        `json:"agent,omitempty"`
	Question    string        `json:"question,omitempty"`
	Documents   []dryDocument `json:"documents,omitempty"`
}

// dryDocument is a document that the question finds, for who runs the install:
// here all of them have names.
type dryDocument struct {
	ID     string `json:"document_id"`
	Title  string `json:"title"`
	Shown  string `json:"shown"`  // link, number or nothing
	Titled bool   `json:"titled"` // its title stands in the list of sources
}

func (a *app) dryQuestion(ctx context.Context, who asking, kind core.PlaceKind, text string, limit int) (dryView, error) {
	if kind != "" && whyKind(kind) == whyKind("") {
		return dryView{}, badChoice("--kind", string(kind), kindNames()...)
	}
	place, err := a.placeFor(ctx, who.place, kind)
	if err != nil {
		return dryView{}, err
	}
	viewer, err := who.viewer(ctx, a)
	if err != nil {
		return dryView{}, err
	}
	settings, err := a.front.Settings(ctx, place.ID)
	if err != nil {
		return dryView{}, err
	}
	audience := access.Audience(place, viewer)
	v := dryView{
		placeView: viewOfPlace(place, audience), As: whoName(viewer), MayAsk: mayAsk(settings, viewer),
		Mode: settings.Answers(), Private: settings.Private, OnlySourced: settings.OnlySourced, Agent: settings.Agent, Question: text,
	}
	if text != "" && !audience.Silent {
		v.Documents, err = a.dryDocuments(ctx, core.Question{Text: text, Viewer: viewer, Place: place, Audience: audience}, settings.Agent, limit)
	}
	return v, err
}

// mayAsk tells whether the place's list lets the person ask. Who is in which group
// only the platform knows, by account.
func mayAsk(s bot.Settings, v core.Viewer) string {
	yes, groups := bot.Listed(s.Allow, core.Account{}, v)
	switch {
	case s.Allow == nil, yes:
		return "yes"
	case len(groups) > 0:
		return unknown
	}
	return "no"
}

func (a *app) dryDocuments(ctx context.Context, q core.Question, agent string, limit int) ([]dryDocument, error) {
	filter := q.Audience.Filter()
	if persona, err := a.agents.chosen(agent); err == nil {
		filter.Sources = persona.Sources
	}
	found, err := a.finder.Search(ctx, find.Query{Queries: []string{q.Text}, Limit: 3 * limit, Filter: filter, Viewer: find.OnlyReader(q.Audience, q.Viewer)})
	if err != nil {
		return nil, err
	}
	a.noteAudit(ctx, searched(q, found))
	var out []dryDocument
	seen := map[string]bool{}
	for _, r := range found {
		if d := r.Document; !seen[d.ID] && len(out) < limit {
			seen[d.ID] = true
			out = append(out, dryDocument{d.ID, d.Title, showName(q.Audience.ShowOf(d)), q.Audience.TitleOf(d)})
		}
	}
	return out, nil
}

func (inv *invocation) printDry(v dryView) error {
	if err := inv.printPlace(v.placeView); err != nil {
		return err
	}
	lines := []string{"asked by " + v.As + "; may ask there: " + v.MayAsk, "messages that are answered: " + string(v.Mode)}
	if v.Private {
		lines = append(lines, "answers go to the asker alone, whose own access counts then")
	}
	if v.OnlySourced {
		lines = append(lines, "an answer without a source is not posted")
	}
	for i, d := range v.Documents {
		how := d.Shown + ", without its title"
		switch {
		case d.Shown == "nothing":
			how = "nothing: its text counts, without number, title and link"
		case d.Titled:
			how = d.Shown + ", with its title"
		}
		lines = append(lines, fmt.Sprintf("%d. %s (%s): %s", i+1, d.Title, d.ID, how))
	}
	if v.Question != "" && len(v.Documents) == 0 {
		lines = append(lines, "the question finds nothing there")
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(inv.streams.Out, console.Clean(line)); err != nil {
			return err
		}
	}
	return nil
}
