package sdk

import (
	"context"
	"io"
)

// Contracts that hold for every method an author writes:
//
//   - A call may come again with the same arguments, after an error, a crash or a
//     cancelled context: it must then do the same again and no harm.
//   - Sync is never called twice at a time. Every other method may be called from
//     several goroutines at once, also while Sync runs.
//   - It must return soon after ctx is done; what it returns then does not count.
//     Goroutines that it starts end before it returns.
//   - An error should have a kind (Auth, Denied, Busy, Gone, Config, …); one
//     without means: try again later. A panic is an error of the one call.

// Source is a connector. Each process serves one value of it.
type Source interface {
	// Sync sends all documents when since is empty, and what changed after it
	// otherwise. Returning nil means caught up; documents sent before an error
	// stay. It must return soon after ctx is done.
	Sync(ctx context.Context, since Cursor, out *Out) error
}

// Starter is told once that the configuration is in, before any other call.
// Return a Config error for a value that cannot be right. No network here:
// that is what Checker is for.
type Starter interface {
	Start(ctx context.Context, env *Env) error
}

// Checker tries whether the configuration works. A returned Warning, alone or
// joined with errors.Join, is shown and does not count as a failure.
type Checker interface {
	Check(ctx context.Context) error
}

// Lister names every document that still exists, so that deletions are seen.
// Return an error rather than an incomplete list.
type Lister interface {
	List(ctx context.Context, out *Listing) error
}

// Granter tells who may read what and who is in which group, where these change
// without the documents changing. With an empty cursor it tells all of it; what
// was not named is forgotten, so return an error rather than half of it. With a
// cursor it tells what changed after it. The cursor is not Sync's.
type Granter interface {
	Grants(ctx context.Context, since Cursor, out *Grants) error
}

// Fetcher opens an attachment that a Document named in Files.
type Fetcher interface {
	Fetch(ctx context.Context, ref string) (*File, error)
}

// Searcher looks something up in the system itself, on behalf of a viewer, best
// hit first. The deadline is 3 seconds unless the host says otherwise; what comes
// later is lost. A hit states its Access like any document: the host shows it
// to nobody else.
type Searcher interface {
	Search(ctx context.Context, q Query) ([]Hit, error)
}

// Toolbox offers tools to the model; NewTool makes one. Tools is called at any
// time after Start and must be quick: no network unless the answer is kept.
type Toolbox interface {
	Tools() []Tool
}

// Censor decides at reading time what a viewer may read of passages found
// before, for systems whose rights are finer than documents. It answers each
// passage, in order, within 2 seconds; an error, a late answer or a list of
// another length drops all of them. It must not wait for Sync.
type Censor interface {
	Censor(ctx context.Context, viewer Caller, passages []Passage) ([]Verdict, error)
}

// Limited declares how fast the connector may ask its system. Limits is called
// before Start without any configuration, and again with it.
type Limited interface {
	Limits() []Limit
}

// Authorizer declares how the system grants access. AuthMethod is called before
// Start and without any configuration.
type Authorizer interface {
	AuthMethod() AuthMethod
}

// Helper gives a few sentences about the connector for its users.
type Helper interface {
	Help() string
}

// File is an opened attachment. The SDK closes Content.
type File struct {
	Name      string
	MediaType string
	Size      int64 // bytes; 0 if unknown
	Content   io.ReadCloser
}

// Warning is an error of Checker that does not fail the check.
type Warning string

// Error returns the sentence.
func (w Warning) Error() string { return string(w) }
