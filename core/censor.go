package core

import "context"

// Verdict is what a source says of one passage for one viewer.
type Verdict struct {
	Keep bool
	Text string // in place of the passage's text where not empty: a redaction
}

// Censor decides at reading time for sources whose rights are finer than
// documents. It answers each passage, in order. An error, a late answer or a
// list of another length drops all of the source's passages.
type Censor interface {
	Censor(ctx context.Context, viewer Viewer, passages []Result) ([]Verdict, error)
}
