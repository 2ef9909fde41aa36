// Package adminpages is the pages on which those who run Footnote see how it is
// doing: health, sources, documents and who may read them, questions, what the
// documents do not tell, use and cost, and the audit. They are made on the server,
// work without JavaScript and load nothing from elsewhere.
//
// Who is signed in sees titles and readers of all documents, and no document's text
// and no answer, which quotes documents. The text of a question that was asked in
// private is shown only after a press that the audit keeps.
package adminpages

import (
	"context"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Sessions keeps who is signed in. Secrets are given and never kept as they are.
type Sessions interface {
	// UseLink uses up a one-time link and tells for whom it was made; the error is
	// of kind not_found where it is no longer good.
	UseLink(ctx context.Context, secret string) (who string, err error)
	// Open starts a session and returns its secret.
	Open(ctx context.Context, who string) (secret string, err error)
	// Session finds a session that is still good; the error is of kind not_found for
	// any other.
	Session(ctx context.Context, secret string) (Session, error)
	// List names the sessions that are still good.
	List(ctx context.Context) ([]Session, error)
	// End ends a session, or all where the id is empty.
	End(ctx context.Context, by, id string) error
}

// Tokens knows bearer tokens of admins.
type Tokens interface {
	// Admin tells whom a token speaks for. The error is of kind not_found for one
	// that is not known, and denied where its person is no admin.
	Admin(ctx context.Context, secret string) (who string, err error)
}

// Overviewer tells how everything is doing.
type Overviewer interface {
	Overview(ctx context.Context) (Overview, error)
}

// Sources is the sources and what may be done with them.
type Sources interface {
	Sources(ctx context.Context) ([]SourceRow, error)
	// Source is everything about one; the error is of kind not_found if there is none.
	Source(ctx context.Context, name string) (SourcePage, error)
	// Sync starts to read a source and returns at once; the error is of kind
	// conflict where it is being read already.
	Sync(ctx context.Context, by, name string, how SyncKind) error
}

// Documents is the documents, without their text.
type Documents interface {
	Find(ctx context.Context, q DocumentQuery) (DocumentList, error)
	// Document is everything about one but its text; the error is of kind not_found
	// if there is none.
	Document(ctx context.Context, id string) (DocumentPage, error)
	// Why says why a person finds it in a place, or does not.
	Why(ctx context.Context, id, as, place string) (Why, error)
	// Mark hides it from search, or takes that back.
	Mark(ctx context.Context, by, id string, hide bool) error
}

// Questions is what was asked.
type Questions interface {
	Questions(ctx context.Context, q QuestionQuery) ([]QuestionRow, error)
	// Explain tells why an answer is what it is, without what was asked in private.
	Explain(ctx context.Context, id string) (Explanation, error)
	// Reveal is Explain with what was asked in private. The audit keeps who looked.
	Reveal(ctx context.Context, by, id string) (Explanation, error)
}

// Insights is what questions tell together.
type Insights interface {
	Gaps(ctx context.Context, since time.Time) (GapsPage, error)
	Feedback(ctx context.Context, since time.Time) (FeedbackPage, error)
	Usage(ctx context.Context, since time.Time) (UsagePage, error)
}

// Audits is the record of who learned what where.
type Audits interface {
	// Audit lists entries, newest first. That they were read is in it from then on.
	Audit(ctx context.Context, by string, q AuditQuery) ([]core.AuditEntry, error)
}

// Settings is what may be changed here: what a command can change, and nothing that
// lets anybody read more.
type Settings interface {
	Settings(ctx context.Context) (SettingsPage, error)
	// PutAgent adds an agent or replaces one that was added by command.
	PutAgent(ctx context.Context, by string, a core.Agent) error
	RemoveAgent(ctx context.Context, by, name string) error
	// SetPlace changes one setting of a place, as its managers may in the chat.
	SetPlace(ctx context.Context, by, place, key, value string) error
}
