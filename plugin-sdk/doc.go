// Package sdk is what a connector author imports. A connector reads one outside
// system and hands its documents to Footnote; it runs in a process of its own,
// one for each configured source.
//
// One method is required, Source.Sync. Everything else is an optional interface
// that Serve finds on the value: Starter, Checker, Lister, Granter, Fetcher,
// Searcher, Toolbox, Censor, Limited, Authorizer, Helper. Guard against a method
// that is misspelt with a line such as
//
//	var _ sdk.Lister = (*notes)(nil)
//
// The exported fields of the value's struct are its configuration; see Serve.
//
//	type notes struct {
//		Dir string `required:"true" help:"folder that holds the notes"`
//	}
//
//	func (n *notes) Sync(ctx context.Context, since sdk.Cursor, out *sdk.Out) error { … }
//
//	func main() { sdk.Serve("notes", "0.1.0", func() sdk.Source { return new(notes) }) }
//
// The host owns time, retries, cursors, deletion policy and storage: a Sync may
// be cancelled at any moment and is started again from the last Checkpoint.
// Silence is not permission: a document without Access is read by nobody.
package sdk

// Version is the version of this package, as a connector reports it.
const Version = "0.2.0"
