package sdk

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// Error is an error with a kind that decides what the host does next: made by
// Auth, Denied, Busy, Gone, Config, Invalid, TooLarge and FromStatus. Any other error means: try
// again later, and park the source if that keeps failing.
type Error struct {
	kind  wire.FailureKind
	field string
	after time.Duration
	http  int // status of the system's answer, 0 if there was none
	cause error
}

const (
	kindInvalid  = wire.FailureKind_FAILURE_KIND_INVALID
	kindTooLarge = wire.FailureKind_FAILURE_KIND_TOO_LARGE
)

func newError(kind wire.FailureKind, text string) *Error {
	return &Error{kind: kind, cause: errors.New(text)}
}

// Auth says that the system does not accept the credentials. The owner is asked
// to reconnect.
func Auth(err error) error {
	return &Error{kind: wire.FailureKind_FAILURE_KIND_AUTH, cause: err}
}

// Denied says that the credentials lack a permission. For one document it is
// recorded and the sync goes on; for a whole call the source is parked.
func Denied(err error) error {
	return &Error{kind: wire.FailureKind_FAILURE_KIND_DENIED, cause: err}
}

// Busy says that the system asks for a pause. The host resumes from the last
// checkpoint after that long; zero leaves the pause to the host.
func Busy(after time.Duration, err error) error {
	return &Error{kind: wire.FailureKind_FAILURE_KIND_BUSY, after: after, cause: err}
}

// Gone says that the document no longer exists; the host removes it.
func Gone(err error) error {
	return &Error{kind: wire.FailureKind_FAILURE_KIND_GONE, cause: err}
}

// Config says that a configuration field, by its name in the config, is wrong.
// The source is parked until it changes.
func Config(field string, err error) error {
	return &Error{kind: wire.FailureKind_FAILURE_KIND_CONFIG, field: field, cause: err}
}

// Invalid says that a document is not what it has to be, such as text, and that
// trying again does not help.
func Invalid(err error) error { return &Error{kind: kindInvalid, cause: err} }

// TooLarge says that a document is over a limit.
func TooLarge(err error) error { return &Error{kind: kindTooLarge, cause: err} }

// FromStatus gives an error the kind that an HTTP status stands for: 401 is Auth,
// 403 is Denied, 404 and 410 are Gone, 413 is TooLarge, 429 and 503 are Busy with
// the pause. Every other status keeps the error without a kind, 400 too: who is
// at fault there is for the author to tell.
func FromStatus(code int, after time.Duration, err error) error {
	kind := httpKinds[code]
	if kind != wire.FailureKind_FAILURE_KIND_BUSY {
		after = 0
	}
	return &Error{kind: kind, after: after, http: code, cause: err}
}

var httpKinds = map[int]wire.FailureKind{
	401: wire.FailureKind_FAILURE_KIND_AUTH,
	403: wire.FailureKind_FAILURE_KIND_DENIED,
	404: wire.FailureKind_FAILURE_KIND_GONE,
	410: wire.FailureKind_FAILURE_KIND_GONE,
	413: kindTooLarge,
	429: wire.FailureKind_FAILURE_KIND_BUSY,
	503: wire.FailureKind_FAILURE_KIND_BUSY,
}

// KindOf names the kind of an error: auth, denied, busy, gone, config, invalid,
// too_large, or "" for none. It is for tests and for authors who decide by it.
func KindOf(err error) string {
	var e *Error
	if !errors.As(err, &e) || e.kind == wire.FailureKind_FAILURE_KIND_UNSPECIFIED {
		return ""
	}
	return strings.ToLower(strings.TrimPrefix(e.kind.String(), "FAILURE_KIND_"))
}

// Error returns the cause's text, with the field's name before it.
func (e *Error) Error() string {
	text := "unknown error"
	if e.cause != nil {
		text = e.cause.Error()
	}
	if e.field != "" {
		return e.field + ": " + text
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

var statusCodes = map[wire.FailureKind]codes.Code{
	wire.FailureKind_FAILURE_KIND_AUTH:   codes.Unauthenticated,
	wire.FailureKind_FAILURE_KIND_DENIED: codes.PermissionDenied,
	wire.FailureKind_FAILURE_KIND_BUSY:   codes.ResourceExhausted,
	wire.FailureKind_FAILURE_KIND_GONE:   codes.NotFound,
	wire.FailureKind_FAILURE_KIND_CONFIG: codes.InvalidArgument,
	kindInvalid:                          codes.FailedPrecondition,
	kindTooLarge:                         codes.OutOfRange,
}

// toStatus turns any error of an author into a status with standard details.
func toStatus(err error) error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e.toStatus(err.Error())
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	switch {
	case errors.Is(err, context.Canceled):
		return status.Error(codes.Canceled, err.Error())
	case errors.Is(err, context.DeadlineExceeded):
		return status.Error(codes.DeadlineExceeded, err.Error())
	}
	return status.Error(codes.Unknown, valid(err.Error()))
}

func (e *Error) toStatus(text string) error {
	code, ok := statusCodes[e.kind]
	if !ok {
		code = codes.Unknown
	}
	st := status.New(code, valid(text))
	var detail protoadapt.MessageV1
	switch code {
	case codes.ResourceExhausted:
		detail = &errdetails.RetryInfo{RetryDelay: durationpb.New(e.after)}
	case codes.InvalidArgument:
		detail = violations(e)
	default:
		return st.Err()
	}
	with, err := st.WithDetails(detail)
	if err != nil {
		return st.Err()
	}
	return with.Err()
}

func violations(list ...*Error) *errdetails.BadRequest {
	out := &errdetails.BadRequest{}
	for _, e := range list {
		out.FieldViolations = append(out.FieldViolations, &errdetails.BadRequest_FieldViolation{
			Field: e.field, Description: valid(fmt.Sprint(e.cause)),
		})
	}
	return out
}

// failure describes what went wrong with one document.
func failure(id string, err error) *wire.Failure {
	out := &wire.Failure{Id: valid(id), Title: valid(id), Detail: "unknown error"}
	if err != nil {
		out.Detail = valid(err.Error())
	}
	var e *Error
	if errors.As(err, &e) {
		out.Kind, out.HttpStatus = e.kind, int32(e.http)
		if e.after > 0 {
			out.RetryAfter = durationpb.New(e.after)
		}
	}
	return out
}
