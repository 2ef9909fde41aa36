package core

import (
	"context"
	"errors"
	"fmt"
)

// Kind classifies an error by what a person can do about it. Exit codes,
// user-facing sentences and retry policy are chosen from the kind alone.
type Kind string

const (
	KindInternal    Kind = "internal"    // a fault of ours; the text shown is fixed, the detail is logged
	KindUsage       Kind = "usage"       // a command was called with wrong words
	KindConfig      Kind = "config"      // the configuration is wrong; names file, line and key
	KindInvalid     Kind = "invalid"     // the input cannot be used as it is
	KindNotFound    Kind = "not_found"   // the named thing does not exist
	KindDenied      Kind = "denied"      // the caller may not do this
	KindAuth        Kind = "auth"        // a remote system refused our credentials
	KindConflict    Kind = "conflict"    // the thing exists already or changed meanwhile
	KindLocked      Kind = "locked"      // another process holds the data folder and does not answer
	KindUnavailable Kind = "unavailable" // a remote system is down; may work later
	KindBusy        Kind = "busy"        // a remote system asks us to slow down
	KindTimeout     Kind = "timeout"     // a deadline passed
	KindTooLarge    Kind = "too_large"   // over a stated limit
	KindDisk        Kind = "disk"        // the disk is full or cannot be written
	KindCancelled   Kind = "cancelled"   // the asker stopped it
)

// Error is an error that a person will read. Message is a whole sentence that
// names the thing, the place and the way out; it never holds document text or
// secrets. The cause is for the log.
type Error struct {
	Kind    Kind
	Message string
	Cause   error
}

// Errorf makes an Error of the kind. A %w verb in the format becomes the cause
// and its text is part of the message.
func Errorf(kind Kind, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: wrapped.Error(), Cause: errors.Unwrap(wrapped)}
}

// Wrap makes an Error whose message does not repeat the cause's text.
func Wrap(kind Kind, cause error, message string) *Error {
	return &Error{Kind: kind, Message: message, Cause: cause}
}

// Error returns the sentence for people, without the cause.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause, so that errors.Is and errors.As see through.
func (e *Error) Unwrap() error { return e.Cause }

// KindOf tells the kind of any error: the outermost Error's kind, cancelled or
// timeout for the context's errors, internal for everything else, and "" for nil.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	switch {
	case errors.Is(err, context.Canceled):
		return KindCancelled
	case errors.Is(err, context.DeadlineExceeded):
		return KindTimeout
	}
	return KindInternal
}
