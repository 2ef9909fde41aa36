package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

func (inv *invocation) accessWhyCommand() *cobra.Command {
	var who asking
	var readers []string
	var asJSON bool
	c := &cobra.Command{
		Use:   "why DOCUMENT --as EMAIL",
		Short: "Say why a person finds a document, or does not",
		Long: `Say which principal opens the document for the person, and through which groups
they hold it, or why none does. With --place it is answered for what may be said
in that place; where that depends on who is in it, --reader names the others.`,
		Args: exactly(1, "the id of a document, as footnote search --json shows it"),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.accessWhy(ctx, a, &who, readers, args[0], asJSON)
			})
		},
	}
	who.flags(c)
	c.Flags().StringSliceVar(&readers, "reader", nil, "somebody else who is in the place, by e-mail address; may be repeated; counts in group DMs and where intersection is on")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// whyView is an explanation as --json prints it.
type whyView struct {
	Document string           `json:"document"`
	As       string           `json:"as"`
	Place    string           `json:"place"`
	Class    string           `json:"class"`
	Found    bool             `json:"found"`
	Clause   string           `json:"clause"` // one of access.Clause, or silent
	Name     string           `json:"name,omitempty"`
	Access   core.Access      `json:"access"`            // who may read it now
	Through  []core.Principal `json:"through,omitempty"` // groups, innermost first
	Shown    string           `json:"shown,omitempty"`   // link, number or nothing, where it is found
	Titled   bool             `json:"titled"`            // whether its title is shown as well
	Notes    []string         `json:"notes,omitempty"`
	Text     string           `json:"text"`
}

// silent is the clause of places in which nothing is answered.
const silent = "silent"

func (inv *invocation) accessWhy(ctx context.Context, a *app, who *asking, readers []string, id string, asJSON bool) error {
	q, err := who.question(ctx, a, "", "?")
	if err != nil {
		return err
	}
	var notes []string
	if q, notes, err = a.among(ctx, q, readers); err != nil {
		return err
	}
	v, err := a.why(ctx, q, id)
	if err != nil {
		return err
	}
	v.Notes = append(v.Notes, notes...)
	if asJSON {
		return inv.printJSON(v)
	}
	lines := []string{v.Text}
	if len(v.Through) > 0 {
		lines = append(lines, fmt.Sprintf("%s is in it through: %s", v.As, joinPrincipals(v.Through, " → ")))
	}
	if v.Shown != "" {
		lines = append(lines, "An answer shows it as: "+v.shownAs())
	}
	for _, line := range append(lines, v.Notes...) {
		if _, err := fmt.Fprintln(inv.streams.Out, console.Clean(line)); err != nil {
			return err
		}
	}
	return nil
}

func (v whyView) shownAs() string {
	switch {
	case v.Shown == "nothing":
		return "nothing: its text counts, without number, title and link"
	case v.Titled:
		return v.Shown + ", with its title"
	}
	return v.Shown + ", without its title"
}

// among is the question asked in the company of the readers, where the place is
// one in which they count.
func (a *app) among(ctx context.Context, q core.Question, readers []string) (core.Question, []string, error) {
	p := &q.Place
	counts := p.Kind == core.PlaceGroup || p.Intersection && (p.Kind == core.PlacePrivate || p.Kind == core.PlaceHidden)
	switch {
	case len(readers) > 0 && !counts:
		return q, []string{"Who else reads the place does not count there."}, nil
	case len(readers) == 0 && counts:
		return q, []string{"What all who are in the place may read counts there, too; who that is is known to the platform only: name them with --reader EMAIL."}, nil
	case len(readers) == 0:
		return q, nil, nil
	}
	p.Members = [][]core.Principal{q.Viewer.Principals}
	for _, r := range readers {
		email, err := emailAddress("--reader", r)
		if err != nil {
			return q, nil, err
		}
		v, err := a.rights.person(ctx, email)
		if err != nil {
			return q, nil, err
		}
		p.Members = append(p.Members, v.Principals)
	}
	q.Audience = access.Audience(*p, q.Viewer)
	return q, nil, nil
}

// why explains what becomes of the document with the question.
func (a *app) why(ctx context.Context, q core.Question, id string) (whyView, error) {
	stated, err := a.document(ctx, id)
	if err != nil {
		return whyView{}, err
	}
	now, err := a.store.DocumentNow(ctx, id)
	if err != nil {
		return whyView{}, err
	}
	filter := q.Audience.Filter()
	filter.Collections, filter.Sources = q.Collections, q.Agent.Sources
	reason := access.Why(filter, now.Facts())
	v := whyView{
		Document: id, As: whoName(q.Viewer), Place: q.Place.ID, Class: q.Audience.Class, Found: reason.Found,
		Clause: string(reason.Clause), Name: reason.Name, Access: append(core.Access{}, now.Access...), Text: reason.Sentence(),
	}
	if q.Audience.Silent {
		v.Found, v.Clause, v.Name = false, silent, ""
		v.Text = "Not found: nothing is answered in this place, as outsiders read it; external: true in its settings lets it answer from what they may know."
		return v, nil
	}
	if v.Found {
		v.Shown, v.Titled = showName(q.Audience.ShowOf(now)), q.Audience.TitleOf(now)
		if now.Discretion != core.ShowAsPlace {
			v.Notes = append(v.Notes, fmt.Sprintf("The source %s holds back how it is shown (show: %s).", now.Source, discretionName(now.Discretion)))
		}
		return v, a.explainPath(ctx, &v, q, reason)
	}
	if access.Why(filter, stated.Facts()).Found {
		v.Notes = append(v.Notes, fmt.Sprintf("It would be found, but the source %s has not told who may read it for too long: run footnote sync %s.", stated.Source, stated.Source))
	}
	return v, a.explainLack(ctx, &v, q, stated.Facts())
}

// explainPath says how the person is in the group that opened the document.
func (a *app) explainPath(ctx context.Context, v *whyView, q core.Question, reason access.Reason) (err error) {
	if !q.Audience.AskerOnly || !strings.HasPrefix(reason.Name, "group:") {
		return nil
	}
	for _, email := range addressesOf(q.Viewer) {
		if v.Through, err = a.store.PathTo(ctx, email, core.Principal(reason.Name)); err != nil || v.Through != nil {
			return err
		}
	}
	return nil
}

// explainLack says what keeps the person from the principals that would open the
// document.
func (a *app) explainLack(ctx context.Context, v *whyView, q core.Question, facts core.Facts) error {
	held, err := a.store.Memberships(ctx, addressesOf(q.Viewer), a.store.Now())
	if err != nil {
		return err
	}
	resting, err := a.rights.resting(ctx, q.Place)
	if err != nil {
		return err
	}
	for _, g := range resting {
		if c, ok := a.rights.collection(g.Collection); ok && c.Holds(facts) {
			v.Notes = append(v.Notes, fmt.Sprintf("The grant of %s was made while fewer people could read the place: footnote grant confirm %s %s.", g.Collection, g.Place, g.Collection))
		}
	}
	for _, p := range facts.Access {
		switch {
		case slices.Contains(q.Viewer.Principals, p):
			if !q.Audience.AskerOnly && v.Clause != string(access.Hidden) && v.Clause != string(access.NotSearched) {
				v.Notes = append(v.Notes, fmt.Sprintf("%s holds %s, but not every reader of the place does; ask in a DM.", v.As, p))
			}
		case slices.Contains(held.Stale, p):
			v.Notes = append(v.Notes, fmt.Sprintf("%s was in %s, but what its source said about groups is too old to count.", v.As, p))
		case p == core.Workspace && q.Viewer.Email != "":
			v.Notes = append(v.Notes, fmt.Sprintf("%s is no full member: neither the address nor its domain is listed under members.", v.As))
		case strings.HasPrefix(string(p), "group:"):
			if _, err := a.store.Group(ctx, p); core.KindOf(err) == core.KindNotFound {
				v.Notes = append(v.Notes, fmt.Sprintf("Nobody ever told who is in %s.", p))
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

// addressesOf is the addresses that the viewer stands for.
func addressesOf(v core.Viewer) []string {
	var out []string
	for _, p := range v.Principals {
		if email, ok := strings.CutPrefix(string(p), "user:"); ok {
			out = append(out, email)
		}
	}
	return out
}

func whoName(v core.Viewer) string {
	if v.Operator {
		return operatorName
	}
	return cmp.Or(v.Email, "nobody")
}

func discretionName(d core.Discretion) string {
	switch d {
	case core.ShowAsPlace:
		return "link"
	case core.NumberOnly:
		return "number"
	}
	return "nothing"
}
