package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/bot/adminpages"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store"
)

const (
	documentsPerPage = 50
	shownUses        = 20 // questions on a document's page
)

// Find looks documents up by title and id.
func (d *adminData) Find(ctx context.Context, q adminpages.DocumentQuery) (adminpages.DocumentList, error) {
	var v adminpages.DocumentList
	words := strings.Fields(q.Words)
	found, err := d.store.ListDocuments(ctx, store.DocumentListQuery{
		Words: words[:min(len(words), 12)], Source: q.Source, Hidden: q.Hidden, Offset: q.From, Limit: documentsPerPage + 1,
	})
	if err != nil {
		return v, err
	}
	v.More = len(found) > documentsPerPage
	for _, one := range found[:min(len(found), documentsPerPage)] {
		v.Documents = append(v.Documents, adminpages.DocumentRow{
			ID: adminpages.ID(one.ID), Title: one.Title, Source: one.Source, Readers: readersText(one.Access), Updated: one.Updated, Hidden: one.Hidden,
		})
	}
	all, err := d.store.Sources(ctx)
	for _, s := range all {
		v.Sources = append(v.Sources, s.Name)
	}
	return v, err
}

// Document is everything about one but its text.
func (d *adminData) Document(ctx context.Context, id string) (adminpages.DocumentPage, error) {
	var v adminpages.DocumentPage
	stated, err := d.document(ctx, id)
	if err != nil {
		return v, err
	}
	now, err := d.store.DocumentNow(ctx, id)
	if err != nil {
		return v, err
	}
	v = adminpages.DocumentPage{
		DocumentRow: adminpages.DocumentRow{
			ID: adminpages.ID(id), Title: stated.Title, Source: stated.Source, Updated: stated.Updated, Hidden: stated.Hidden, Readers: readersText(now.Access),
		},
		URL: core.ShareableURL(stated.URL), Kind: cmp.Or(stated.Kind, stated.MediaType, "document"),
		Stated: principalNames(stated.Access), Now: principalNames(now.Access), Stale: !slices.Equal(stated.Access, now.Access),
	}
	if v.Passages, err = d.store.CountPassages(ctx, id); err != nil {
		return v, err
	}
	hidden, err := d.store.HiddenDocuments(ctx)
	if err != nil {
		return v, err
	}
	if i := slices.IndexFunc(hidden, func(h core.HiddenDocument) bool { return h.Document == id }); i >= 0 {
		v.HiddenBy = hidden[i].Account
	}
	used, err := d.store.UsedIn(ctx, id, shownUses)
	for _, a := range used {
		v.Used = append(v.Used, shownQuestion(a))
	}
	return v, err
}

func principalNames(a core.Access) []string {
	var out []string
	for _, p := range a {
		out = append(out, string(p))
	}
	return out
}

// Why is what footnote access why says.
func (d *adminData) Why(ctx context.Context, id, as, place string) (adminpages.Why, error) {
	who := asking{as: as, place: cmp.Or(place, placeDM)}
	q, err := who.question(ctx, d.app, "", "?")
	if err != nil {
		return adminpages.Why{}, err
	}
	q, notes, err := d.among(ctx, q, nil)
	if err != nil {
		return adminpages.Why{}, err
	}
	v, err := d.why(ctx, q, id)
	if err != nil {
		return adminpages.Why{}, err
	}
	out := adminpages.Why{
		As: v.As, Place: v.Place, Class: v.Class, Found: v.Found, Text: adminpages.Long(v.Text), Notes: append(v.Notes, notes...),
	}
	for _, p := range v.Through {
		out.Through = append(out.Through, string(p))
	}
	if v.Shown != "" {
		out.Shown = v.shownAs()
	}
	return out, nil
}

// Mark hides a document, or takes that back.
func (d *adminData) Mark(ctx context.Context, by, id string, hide bool) error {
	mark, err := "show", error(nil)
	if hide {
		mark = "hide"
		err = d.hideDocument(ctx, id, by)
	} else {
		err = d.showDocument(ctx, id)
	}
	if err != nil {
		return err
	}
	return d.store.Audit(ctx, core.AuditEntry{
		At: d.store.Now(), Action: core.AuditCurate, Actor: by, Documents: []string{id}, Detail: map[string]string{"mark": mark},
	})
}
