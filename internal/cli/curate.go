package cli

import (
	"context"
	"slices"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// curation keeps what curators say of documents.
type curation struct{ app *app }

// curated is what chat platforms get; nil where the owner listed no curators.
func (a *app) curated() bot.Curation {
	if len(a.current().Curators) == 0 {
		return nil
	}
	return curation{a}
}

// Curator tells whether the owner listed the person or the account.
func (c curation) Curator(account core.Account, viewer core.Viewer) bool {
	yes, _ := bot.Listed(c.app.current().Curators, account, viewer)
	return yes
}

// Mark keeps what a curator says of the document behind a citation. A curator knows
// of documents what everybody does: only those that they may read.
func (c curation) Mark(ctx context.Context, account core.Account, viewer core.Viewer, turn core.Turn, number int, mark bot.Mark) (string, error) {
	if !c.Curator(account, viewer) {
		return "", core.Errorf(core.KindDenied, "Only curators say that of a document; who runs Footnote lists them.")
	}
	i := slices.IndexFunc(turn.Answer.Citations, func(one core.Citation) bool { return one.Number == number && one.DocumentID != "" })
	if i < 0 {
		return "", errNoSource
	}
	cited := turn.Answer.Citations[i]
	if err := c.mayRead(ctx, viewer, turn, cited, mark); err != nil {
		return "", err
	}
	now := c.app.store.Now()
	var err error
	switch mark {
	case bot.MarkHide:
		err = c.app.hideDocument(ctx, cited.DocumentID, account.Key())
	case bot.MarkShow:
		err = c.app.showDocument(ctx, cited.DocumentID)
	default:
		err = c.app.store.PutDocumentVote(ctx, core.DocumentVote{
			Document: cited.DocumentID, Account: account.Key(), Up: mark == bot.MarkUp, TurnID: turn.ID, At: now,
		})
	}
	if err != nil {
		return "", err
	}
	return cited.Title, c.app.store.Audit(ctx, core.AuditEntry{
		At: now, Action: core.AuditCurate, Actor: account.Key(), Place: turn.Place, TurnID: turn.ID,
		Documents: []string{cited.DocumentID}, Detail: map[string]string{"mark": string(mark)},
	})
}

// hideDocument takes a document out of search, in the index too.
func (a *app) hideDocument(ctx context.Context, id, by string) error {
	if err := a.store.HideDocument(ctx, core.HiddenDocument{Document: id, Account: by, At: a.store.Now()}); err != nil {
		return err
	}
	return a.settle(ctx)
}

// showDocument takes that back.
func (a *app) showDocument(ctx context.Context, id string) error {
	if err := a.store.ShowDocument(ctx, id); err != nil {
		return err
	}
	return a.settle(ctx)
}

var errNoSource = core.Errorf(core.KindNotFound, "This source is no longer there, or not for you.")

// mayRead is nil where the curator may read the document now. One that is hidden is
// read by nobody; it is enough that they may show it again.
func (c curation) mayRead(ctx context.Context, viewer core.Viewer, turn core.Turn, cited core.Citation, mark bot.Mark) error {
	if mark == bot.MarkShow {
		d, err := c.app.store.DocumentNow(ctx, cited.DocumentID)
		if err != nil || !d.Access.Allows(viewer.Principals) {
			return errNoSource
		}
		return nil
	}
	open, err := c.app.readableCitations(ctx, viewer, turn)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(open, func(one core.Citation) bool { return one.DocumentID == cited.DocumentID }) {
		return errNoSource
	}
	return nil
}
