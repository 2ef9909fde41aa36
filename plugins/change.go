package plugins

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// Limits on what a connector may send, in bytes unless said otherwise.
const (
	maxID    = 1 << 10
	maxTitle = 300 // characters
	maxMeta  = 64 << 10
	maxPath  = 64 << 10 // of all folders together
	maxText  = 2 << 10  // of a note or a failure's detail
)

// toChange turns an event of the wire into a change. It is nil for an event of
// a kind that is not known. An error means that the stream cannot go on; a
// document that cannot be used is a core.Failure.
func toChange(source string, event *wire.SyncEvent) (core.Change, error) {
	switch e := event.GetEvent().(type) {
	case *wire.SyncEvent_Document:
		return toUpsert(source, e.Document), nil
	case *wire.SyncEvent_Removed:
		if e.Removed.GetId() == "" {
			return core.Failure{Kind: core.KindInvalid, Detail: "the connector removed a document without an id"}, nil
		}
		return core.Removal{ExternalID: e.Removed.GetId()}, nil
	case *wire.SyncEvent_Failure:
		return toFailure(source, e.Failure), nil
	case *wire.SyncEvent_Checkpoint:
		if err := checkCursor(source, e.Checkpoint.GetCursor()); err != nil {
			return nil, err
		}
		return core.Checkpoint{Cursor: e.Checkpoint.GetCursor()}, nil
	case *wire.SyncEvent_Note:
		return core.Note{Text: cut(oneLine(e.Note.GetText()), maxText)}, nil
	}
	return nil, nil
}

var kinds = map[wire.FailureKind]core.Kind{
	wire.FailureKind_FAILURE_KIND_AUTH:      core.KindAuth,
	wire.FailureKind_FAILURE_KIND_DENIED:    core.KindDenied,
	wire.FailureKind_FAILURE_KIND_BUSY:      core.KindBusy,
	wire.FailureKind_FAILURE_KIND_CONFIG:    core.KindConfig,
	wire.FailureKind_FAILURE_KIND_INVALID:   core.KindInvalid,
	wire.FailureKind_FAILURE_KIND_TOO_LARGE: core.KindTooLarge,
}

// toFailure turns a failure of one document into a change: a removal where the
// document is gone, and where its readers are known an upsert without content.
func toFailure(source string, f *wire.Failure) core.Change {
	if f.GetKind() == wire.FailureKind_FAILURE_KIND_GONE && f.GetId() != "" && f.GetFolder() == "" {
		return core.Removal{ExternalID: f.GetId()}
	}
	kind, ok := kinds[f.GetKind()]
	if !ok {
		kind = core.KindUnavailable
	}
	detail := f.GetDetail()
	if f.GetHttpStatus() != 0 {
		detail += fmt.Sprintf(" (HTTP status %d)", f.GetHttpStatus())
	}
	failed := core.Failure{
		ExternalID: cut(f.GetId(), maxID), Title: title(f.GetTitle()), Kind: kind, Detail: cut(oneLine(detail), maxText),
		Folder: f.GetFolder(),
	}
	if d := f.GetDocument(); d.GetId() == f.GetId() {
		return unread(source, d, failed)
	}
	return failed
}

// unread is what a document without usable content still changes. Readers that
// cannot be understood are nobody: the ones before may be too many.
func unread(source string, d *wire.Document, failed core.Failure) core.Change {
	bare := &wire.Document{Id: d.GetId(), Title: d.GetTitle(), Url: d.GetUrl(), MediaType: d.GetMediaType(), Kind: d.GetKind(),
		Authors: d.GetAuthors(), Created: d.GetCreated(), Updated: d.GetUpdated(), Meta: d.GetMeta(), Access: d.GetAccess(),
		Folders: d.GetFolders()}
	if _, why := problem(bare); why != "" {
		bare.Meta, bare.Folders = nil, nil
	}
	if _, _, err := toAccess(source, d.GetAccess()); err != nil {
		bare.Access = nil
	}
	up, ok := toUpsert(source, bare).(core.Upsert)
	if !ok {
		return failed // its id cannot be used, so nothing is stored under it
	}
	up.Failed = &failed
	return up
}

// toUpsert checks a document and binds it to its source.
func toUpsert(source string, d *wire.Document) core.Change {
	if kind, why := problem(d); why != "" {
		failed := core.Failure{ExternalID: cut(d.GetId(), maxID), Title: title(d.GetTitle()), Kind: kind, Detail: why}
		if badID(d.GetId()) {
			return failed
		}
		return unread(source, d, failed)
	}
	access, host, err := toAccess(source, d.GetAccess())
	if err != nil {
		return unread(source, d, core.Failure{
			ExternalID: d.GetId(), Title: title(d.GetTitle()), Kind: core.KindInvalid, Detail: err.Error()})
	}
	doc := core.Document{
		ID: core.DocumentID(source, d.GetId()), Source: source, ExternalID: d.GetId(),
		Title: title(d.GetTitle()), URL: absolute(d.GetUrl()), Kind: d.GetKind(), MediaType: d.GetMediaType(),
		Authors: d.GetAuthors(), Created: moment(d.GetCreated()), Updated: moment(d.GetUpdated()),
		Meta: d.GetMeta(), Folders: folders(d.GetFolders()), Access: access, Body: textOf(d.GetBody()),
	}
	if doc.MediaType == "" {
		doc.MediaType = "text/markdown"
	}
	for _, f := range d.GetFiles() {
		if f.GetRef() != "" {
			doc.Files = append(doc.Files, core.FileRef{
				Ref: f.GetRef(), Name: f.GetName(), MediaType: f.GetMediaType(), Size: max(f.GetSize(), 0),
			})
		}
	}
	return core.Upsert{Document: doc, HostAccess: host}
}

// textOf takes a body over without copying it: the message is not used again.
func textOf(body []byte) string { return unsafe.String(unsafe.SliceData(body), len(body)) }

// folders keeps the first of each id.
func folders(ids []string) []string {
	var out []string
	for _, id := range ids {
		if id != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

func badID(id string) bool {
	return id == "" || len(id) > maxID || strings.ContainsFunc(id, unicode.IsControl)
}

// problem tells why a document cannot be used, "" if it can.
func problem(d *wire.Document) (core.Kind, string) {
	meta := 0
	for key, value := range d.GetMeta() {
		meta += len(key) + len(value)
	}
	path := 0
	for _, id := range d.GetFolders() {
		path += len(id) + 1
	}
	switch {
	case d.GetId() == "":
		return core.KindInvalid, "the connector sent a document without an id"
	case len(d.GetId()) > maxID:
		return core.KindTooLarge, "the document's id is longer than 1 KiB"
	case strings.ContainsFunc(d.GetId(), unicode.IsControl):
		return core.KindInvalid, "the document's id holds a control character, such as a line break: rename the document"
	case len(d.GetBody()) > wire.MaxBody:
		return core.KindTooLarge, "the document's body is larger than 1 MiB"
	case !utf8.Valid(d.GetBody()):
		return core.KindInvalid, "the document's body is not valid UTF-8"
	case meta > maxMeta:
		return core.KindTooLarge, "the document's metadata takes more than 64 KiB"
	case path > maxPath:
		return core.KindTooLarge, "the ids of the folders that the document lies in take more than 64 KiB"
	}
	return "", ""
}

// toAccess turns what the connector says of a document's readers into
// principals. What cannot be read as a reader is an error: leaving it out could
// hide a mistake for ever, and letting it in could leak.
func toAccess(source string, a *wire.Access) (access core.Access, host bool, err error) {
	if a.GetHost() {
		return nil, true, nil
	}
	var list []core.Principal
	if a.GetPublic() {
		list = append(list, core.Public)
	}
	if a.GetWorkspace() {
		list = append(list, core.Workspace)
	}
	for _, email := range a.GetUsers() {
		if !strings.Contains(email, "@") {
			return nil, false, fmt.Errorf("the connector names a reader %q, which is not an e-mail address", email)
		}
		list = append(list, core.User(email))
	}
	for _, name := range a.GetGroups() {
		if name == "" {
			return nil, false, fmt.Errorf("the connector names a group of readers without a name")
		}
		list = append(list, core.Group(source, name))
	}
	for _, text := range a.GetPrincipals() {
		p, err := core.ParsePrincipal(text)
		if err != nil {
			return nil, false, err
		}
		list = append(list, p)
	}
	return core.NewAccess(list...), false, nil
}

// absolute returns a URL that opens something for a person, "" for any other.
func absolute(text string) string {
	u, err := url.Parse(text)
	if err != nil || len(text) > 4<<10 {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Host != "" {
			return text
		}
	case "file":
		if strings.HasPrefix(u.Path, "/") {
			return text
		}
	}
	return ""
}

// title makes one line of at most 300 characters.
func title(text string) string {
	text = oneLine(text)
	if runes := []rune(text); len(runes) > maxTitle {
		return string(runes[:maxTitle-1]) + "…"
	}
	return text
}

// oneLine replaces line breaks and other control characters by spaces.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// cut shortens a text to so many bytes without splitting a character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

func moment(t *timestamppb.Timestamp) time.Time {
	if t == nil || !t.IsValid() {
		return time.Time{}
	}
	return t.AsTime()
}
