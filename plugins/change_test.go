package plugins

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

func TestToUpsert(t *testing.T) {
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	got := toUpsert("wiki", &wire.Document{
		Id: "a/b", Title: " line\nbreak\x00 ", Url: "https://wiki.example/a", Body: []byte("b"), MediaType: "text/plain", Kind: "page",
		Authors: []string{"ann"}, Updated: timestamppb.New(when), Created: &timestamppb.Timestamp{Seconds: 1 << 60},
		Meta: map[string]string{"k": "v"}, Folders: []string{"A", "", "A/b", "A"},
		Access: &wire.Access{Users: []string{"Ann@Example.com"}, Groups: []string{"Staff"}, Principals: []string{"group:other/x"}},
		Files:  []*wire.FileRef{{Ref: "r", Name: "n", Size: -4}, {Name: "without ref"}},
	})
	want := core.Upsert{Document: core.Document{
		ID: "wiki/a/b", Source: "wiki", ExternalID: "a/b", Title: "line break", URL: "https://wiki.example/a", Body: "b",
		MediaType: "text/plain", Kind: "page", Authors: []string{"ann"}, Updated: when, Meta: map[string]string{"k": "v"}, Folders: []string{"A", "A/b"},
		Access: core.Access{"group:other/x", "group:wiki/staff", "user:ann@example.com"},
		Files:  []core.FileRef{{Ref: "r", Name: "n"}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDocumentsThatCannotBeUsed(t *testing.T) {
	for name, d := range map[string]*wire.Document{
		"no id":           {},
		"long id":         {Id: strings.Repeat("x", maxID+1)},
		"control in id":   {Id: "a\nb"},
		"body not utf-8":  {Id: "a", Body: []byte{0xff}},
		"large body":      {Id: "a", Body: make([]byte, wire.MaxBody+1)},
		"much metadata":   {Id: "a", Meta: map[string]string{"k": strings.Repeat("x", maxMeta)}},
		"much path":       {Id: "a", Folders: []string{strings.Repeat("x", maxPath)}},
		"reader no email": {Id: "a", Access: &wire.Access{Users: []string{"ann"}}},
		"nameless group":  {Id: "a", Access: &wire.Access{Groups: []string{""}}},
		"bad principal":   {Id: "a", Access: &wire.Access{Principals: []string{"everybody"}}},
	} {
		f, ok := toUpsert("s", d).(core.Failure)
		if up, isUpsert := toUpsert("s", d).(core.Upsert); isUpsert && up.Failed != nil {
			f, ok = *up.Failed, true
		}
		if !ok || f.Detail == "" || f.Kind == "" || len(f.ExternalID) > maxID {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// A document whose content cannot be used still says who may read the version
// before it; readers that mean nothing are nobody.
func TestReadersOfADocumentThatCannotBeUsed(t *testing.T) {
	hr := &wire.Access{Users: []string{"hr@example.com"}}
	for name, row := range map[string]struct {
		event *wire.SyncEvent
		want  core.Access
	}{
		"large body": {sent(&wire.Document{Id: "a", Body: make([]byte, wire.MaxBody+1), Access: hr}), core.Access{"user:hr@example.com"}},
		"much metadata": {sent(&wire.Document{Id: "a", Meta: map[string]string{"k": strings.Repeat("x", maxMeta)}, Access: hr}),
			core.Access{"user:hr@example.com"}},
		"much path": {sent(&wire.Document{Id: "a", Folders: []string{strings.Repeat("x", maxPath)}, Access: hr}),
			core.Access{"user:hr@example.com"}},
		"bad reader":                {sent(&wire.Document{Id: "a", Access: &wire.Access{Public: true, Users: []string{"ann"}}}), nil},
		"failure":                   {failed("a", &wire.Document{Id: "a", Access: hr}), core.Access{"user:hr@example.com"}},
		"failure with a bad reader": {failed("a", &wire.Document{Id: "a", Access: &wire.Access{Public: true, Principals: []string{"all"}}}), nil},
		"failure with a body":       {failed("a", &wire.Document{Id: "a", Body: []byte{0xff}, Access: hr}), core.Access{"user:hr@example.com"}},
	} {
		change, err := toChange("s", row.event)
		up, ok := change.(core.Upsert)
		if err != nil || !ok || up.Failed == nil || up.HostAccess || up.Document.Body != "" || len(up.Document.Files) > 0 {
			t.Errorf("%s: %+v %v", name, change, err)
			continue
		}
		if diff := cmp.Diff(row.want, up.Document.Access, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got := toFailure("s", &wire.Failure{Id: "a", Document: &wire.Document{Id: "b", Access: hr}}); got.(core.Failure).ExternalID != "a" {
		t.Errorf("a failure of a spoke for b: %+v", got)
	}
}

func sent(d *wire.Document) *wire.SyncEvent {
	return &wire.SyncEvent{Event: &wire.SyncEvent_Document{Document: d}}
}

func failed(id string, d *wire.Document) *wire.SyncEvent {
	return &wire.SyncEvent{Event: &wire.SyncEvent_Failure{Failure: &wire.Failure{Id: id, Detail: "x", Document: d}}}
}

func TestSilenceIsNotPermission(t *testing.T) {
	for name, a := range map[string]*wire.Access{"absent": nil, "empty": {}} {
		up, ok := toUpsert("s", &wire.Document{Id: "a", Access: a}).(core.Upsert)
		if !ok || up.HostAccess || len(up.Document.Access) != 0 {
			t.Errorf("%s: %+v", name, up)
		}
	}
	up, ok := toUpsert("s", &wire.Document{Id: "a", Access: &wire.Access{Host: true}}).(core.Upsert)
	if !ok || !up.HostAccess {
		t.Errorf("%+v", up)
	}
}

func TestAbsolute(t *testing.T) {
	for in, kept := range map[string]bool{
		"https://x.example/a?b#c": true, "HTTP://x.example": true, "file:///a%20b": true,
		"": false, "/a": false, "a.md": false, "//x.example/a": false, "https:///a": false, "javascript:alert(1)": false,
		"data:text/html,x": false, "mailto:a@example.com": false, "file:a": false, "https://x.example/\x00": false,
	} {
		if got := absolute(in); (got == in && in != "") != kept {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestTitleIsCut(t *testing.T) {
	if got := []rune(title(strings.Repeat("世", 1000))); len(got) != maxTitle || got[maxTitle-1] != '…' {
		t.Errorf("%d characters", len(got))
	}
	if got := cut("a世", 3); got != "a" {
		t.Errorf("%q", got)
	}
}

func TestFailuresAndTheirKinds(t *testing.T) {
	gone := toFailure("s", &wire.Failure{Id: "a", Kind: wire.FailureKind_FAILURE_KIND_GONE})
	if diff := cmp.Diff(core.Change(core.Removal{ExternalID: "a"}), gone); diff != "" {
		t.Error(diff)
	}
	got := toFailure("s", &wire.Failure{Id: "a", Title: "A", Kind: 99, Detail: "d", HttpStatus: 500})
	want := core.Failure{ExternalID: "a", Title: "A", Kind: core.KindUnavailable, Detail: "d (HTTP status 500)"}
	if diff := cmp.Diff(core.Change(want), got); diff != "" {
		t.Error(diff)
	}
}

func TestFailuresOfFolders(t *testing.T) {
	for name, kind := range map[string]wire.FailureKind{"denied": wire.FailureKind_FAILURE_KIND_DENIED, "gone": wire.FailureKind_FAILURE_KIND_GONE} {
		got, ok := toFailure("s", &wire.Failure{Id: "a", Folder: "a", Kind: kind}).(core.Failure)
		if !ok || got.Folder != "a" || got.ExternalID != "a" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	up, ok := toFailure("s", &wire.Failure{Id: "a", Document: &wire.Document{Id: "a", Folders: []string{"f"}}}).(core.Upsert)
	if !ok || len(up.Document.Folders) != 1 {
		t.Errorf("a document without content lost its folders: %+v", up)
	}
}

func TestCursorOverTheLimitEndsTheSync(t *testing.T) {
	event := &wire.SyncEvent{Event: &wire.SyncEvent_Checkpoint{Checkpoint: &wire.Checkpoint{Cursor: make([]byte, wire.MaxCursor+1)}}}
	if _, err := toChange("s", event); core.KindOf(err) != core.KindTooLarge {
		t.Error(err)
	}
}

func TestSplitSecrets(t *testing.T) {
	schema := json.RawMessage(`{"properties":{"token":{"type":"string","writeOnly":true},"pin":{"writeOnly":true},"dir":{"type":"string"}}}`)
	rest, secrets, err := splitSecrets(json.RawMessage(`{"dir":"d","token":"t0p","pin":5,"more":1}`), schema)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"token": "t0p"}, secrets); diff != "" {
		t.Error(diff)
	}
	if string(rest) != `{"dir":"d","more":1,"pin":5}` {
		t.Errorf("%s", rest)
	}
}

func TestStderrTail(t *testing.T) {
	var log strings.Builder
	s := &stderr{log: slog.New(slog.NewTextHandler(&log, nil))}
	s.hide([]string{"s3cret"})
	for _, piece := range []string{
		strings.Repeat("x", 40<<10) + "\n", `{"time":"2026-01-01T00:00:00Z","level":"WARN","msg":"half`, ` s3cret","page":3,"connector":"fake"}` + "\n",
		"pan", "ic: s3cret broke\n\ngoroutine 1\n", "{not json\n",
	} {
		if n, err := s.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatal(n, err)
		}
	}
	tail, why := s.last()
	if len(tail) > tailSize+100 || strings.Contains(tail, "s3cret") || why != "panic: •••• broke" {
		t.Errorf("%d bytes, why %q", len(tail), why)
	}
	if text := log.String(); !strings.Contains(text, `level=WARN msg="half ••••" page=3`) || strings.Contains(text, "fake") {
		t.Error(text)
	}
}

func TestVersionMessage(t *testing.T) {
	for theirs, want := range map[int64]string{wire.ProtocolVersion + 1: "upgrade Footnote", wire.ProtocolVersion - 1: "rebuild it"} {
		if got := versionMessage("x", theirs); !strings.Contains(got, want) {
			t.Error(got)
		}
	}
}
