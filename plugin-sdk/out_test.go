package sdk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

func record(t *testing.T) (*Out, *[]*wire.SyncEvent) {
	t.Helper()
	var events []*wire.SyncEvent
	return &Out{ctx: t.Context(), send: func(e *wire.SyncEvent) error {
		if _, err := proto.Marshal(e); err != nil {
			return err // what the transport would say
		}
		events = append(events, e)
		return nil
	}}, &events
}

func TestBadDocumentsBecomeFailures(t *testing.T) {
	for name, row := range map[string]struct {
		doc  Document
		want string
	}{
		"no id":         {Document{Title: "T"}, "no id"},
		"bad id":        {Document{ID: "a\xff"}, "id is not valid UTF-8"},
		"long id":       {Document{ID: strings.Repeat("x", 2000)}, "longer than 1 KiB"},
		"large body":    {Document{ID: "a", Body: strings.Repeat("x", MaxBody+1)}, "larger than 1 MiB"},
		"bad body":      {Document{ID: "a", Body: "a\xff"}, "body is not valid UTF-8"},
		"much metadata": {Document{ID: "a", Meta: map[string]string{"k": strings.Repeat("x", 5<<20)}}, "with its metadata"},
	} {
		out, events := record(t)
		row.doc.Access = Workspace
		if err := out.Document(row.doc); err != nil {
			t.Errorf("%s ends the sync: %v", name, err)
			continue
		}
		f := (*events)[0].GetFailure()
		if f == nil || !strings.Contains(f.GetDetail(), row.want) {
			t.Errorf("%s: %v", name, *events)
		}
		if d := f.GetDocument(); strings.HasSuffix(name, " id") != (d == nil) || d != nil && (!d.GetAccess().GetWorkspace() || len(d.GetBody()) > 0) {
			t.Errorf("%s: of the document is left %v", name, d)
		}
	}
}

func TestDocumentOnTheWire(t *testing.T) {
	out, events := record(t)
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	err := out.Document(Document{
		ID: "a", Title: "bad \xff title", Body: strings.Repeat("x", MaxBody), Author: "ann", Authors: []string{"bob"}, Updated: when,
		Meta: map[string]string{"k\xff": "v"}, Folders: []string{"HR", "p\xffy"}, Access: Access{Workspace: true, Users: []string{"a@example.com"}},
		Files: []FileRef{{Ref: "r", Size: 3}},
	})
	if err != nil {
		t.Fatal(err)
	}
	d := (*events)[0].GetDocument()
	if d.GetTitle() != "bad \uFFFD title" || len(d.GetAuthors()) != 2 || !d.GetUpdated().AsTime().Equal(when) || d.GetCreated() != nil ||
		!d.GetAccess().GetWorkspace() || d.GetAccess().GetPublic() || d.GetAccess().GetUsers()[0] != "a@example.com" || len(d.GetFiles()) != 1 ||
		!slices.Equal(d.GetFolders(), []string{"HR", "p\uFFFDy"}) {
		t.Errorf("%v", d)
	}
}

func TestFoldersThatFail(t *testing.T) {
	out, events := record(t)
	if err := out.FolderFailed("hr/pay", Denied(errors.New("closed"))); err != nil {
		t.Fatal(err)
	}
	f := (*events)[0].GetFailure()
	if f.GetFolder() != "hr/pay" || f.GetId() != "hr/pay" || f.GetKind() != wire.FailureKind_FAILURE_KIND_DENIED || f.GetDetail() != "closed" || f.GetDocument() != nil {
		t.Errorf("%v", f)
	}
}

func TestCursorLimit(t *testing.T) {
	out, events := record(t)
	if err := out.Checkpoint(make(Cursor, wire.MaxCursor)); err != nil {
		t.Error(err)
	}
	if err := out.Checkpoint(make(Cursor, wire.MaxCursor+1)); err == nil || len(*events) != 1 {
		t.Error("a cursor over the limit was sent")
	}
}

func TestOutAfterTheHostIsGone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := &Out{ctx: ctx, send: func(*wire.SyncEvent) error { t.Error("sent"); return nil }}
	for name, err := range map[string]error{
		"document": out.Document(Document{ID: "a"}), "removed": out.Removed("a"), "failed": out.Failed("a", errors.New("x")), "folder": out.FolderFailed("a", errors.New("x")),
		"checkpoint": out.Checkpoint(nil), "note": out.Note("x"),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestErrorsOnTheWire(t *testing.T) {
	base := errors.New("because")
	for name, row := range map[string]struct {
		err  error
		code codes.Code
		kind wire.FailureKind
	}{
		"auth":      {Auth(base), codes.Unauthenticated, wire.FailureKind_FAILURE_KIND_AUTH},
		"denied":    {fmt.Errorf("page 3: %w", Denied(base)), codes.PermissionDenied, wire.FailureKind_FAILURE_KIND_DENIED},
		"busy":      {Busy(time.Minute, base), codes.ResourceExhausted, wire.FailureKind_FAILURE_KIND_BUSY},
		"gone":      {Gone(base), codes.NotFound, wire.FailureKind_FAILURE_KIND_GONE},
		"config":    {Config("dir", base), codes.InvalidArgument, wire.FailureKind_FAILURE_KIND_CONFIG},
		"too large": {TooLarge(base), codes.OutOfRange, wire.FailureKind_FAILURE_KIND_TOO_LARGE},
		"other":     {base, codes.Unknown, wire.FailureKind_FAILURE_KIND_UNSPECIFIED},
		"cancelled": {fmt.Errorf("x: %w", context.Canceled), codes.Canceled, wire.FailureKind_FAILURE_KIND_UNSPECIFIED},
	} {
		st, _ := status.FromError(toStatus(row.err))
		if st.Code() != row.code || failure("a", row.err).GetKind() != row.kind || !errors.Is(row.err, base) && name != "cancelled" {
			t.Errorf("%s: %v %v", name, st, failure("a", row.err))
		}
		for _, detail := range st.Details() {
			switch d := detail.(type) {
			case *errdetails.RetryInfo:
				if d.GetRetryDelay().AsDuration() != time.Minute {
					t.Errorf("%s: %v", name, d)
				}
			case *errdetails.BadRequest:
				if v := d.GetFieldViolations()[0]; v.GetField() != "dir" || v.GetDescription() != "because" {
					t.Errorf("%s: %v", name, d)
				}
			}
		}
		if wants := name == "busy" || name == "config"; wants != (len(st.Details()) == 1) {
			t.Errorf("%s: details %v", name, st.Details())
		}
	}
	if toStatus(nil) != nil {
		t.Error("nil is an error")
	}
}

func TestCursors(t *testing.T) {
	now := time.Now()
	if got := TimeCursor(now).Time(); now.Sub(got) != 2*time.Minute {
		t.Errorf("%v", now.Sub(got))
	}
	if got := Cursor("nonsense").Time(); !got.IsZero() {
		t.Error(got)
	}
	c, err := JSONCursor(map[string]int{"a": 1})
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]int
	if err := c.JSON(&back); err != nil || back["a"] != 1 {
		t.Errorf("%v %v", back, err)
	}
	if err := Cursor("{").JSON(&back); err == nil {
		t.Error("broken JSON passes")
	}
}

func TestWarnings(t *testing.T) {
	fatal := errors.New("no")
	warnings, err := splitWarnings(errors.Join(Warning("a"), fatal, Warning("b")))
	if len(warnings) != 2 || err != fatal {
		t.Errorf("%v %v", warnings, err)
	}
	if warnings, err = splitWarnings(Warning("a")); len(warnings) != 1 || err != nil {
		t.Errorf("%v %v", warnings, err)
	}
}
