package sdk

import (
	"context"
	"io"
	"log/slog"
)

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

// Fetcher opens an attachment that a Document named in Files.
type Fetcher interface {
	Fetch(ctx context.Context, ref string) (*File, error)
}

// Helper gives a few sentences about the connector for its users.
type Helper interface {
	Help() string
}

// Env is what the host gives a connector.
type Env struct {
	Log    *slog.Logger // ends up in the host's log under the source's name
	Dir    string       // the source's own folder, also the working directory
	Source string       // the source's name
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
