package sdk

import (
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// Document is one page, file, ticket or thread.
type Document struct {
	ID        string // stable over time, unique in the source, at most 1 KiB
	Title     string
	URL       string // absolute, opens the document for a person
	Body      string // UTF-8, at most 1 MiB; larger content goes in Files
	MediaType string // of Body; empty means text/markdown
	Kind      string // page, file, ticket, thread, message; for people
	Author    string // the same as one element of Authors
	Authors   []string
	Created   time.Time // zero if unknown
	Updated   time.Time // zero if unknown
	// Meta is searched by conditions and shown where the title is. The key
	// MetaSupersededBy is reserved.
	Meta map[string]string
	// Folders are the connector's own ids of all folders or spaces that it lies
	// in, outermost first, also those that only hold other folders. The owner
	// binds collections to them, so they must be as stable as ID. Together at most
	// 64 KiB.
	Folders []string
	Files   []FileRef
	Access  Access
}

// MetaSupersededBy is the key of Document.Meta under which a connector names the
// document of the same source, by its ID, that takes the place of this one: a newer
// version, or the page that it was moved to. The old one is then found behind the
// new one by whoever may read both.
const MetaSupersededBy = "superseded_by"

// FileRef points at an attachment; the host may ask Fetcher for it.
type FileRef struct {
	Ref       string // opaque to the host; must change when the content does
	Name      string
	MediaType string
	Size      int64 // bytes; 0 if unknown
}

// Access says who may read a document: the union of its fields. The zero value
// means nobody.
type Access struct {
	Public    bool     // anyone, also outside the team
	Workspace bool     // every full member of the team
	Users     []string // e-mail addresses
	Groups    []string // the connector's own names
	// Principals are readers as the owner wrote them in the source's
	// configuration, such as group:SOURCE/NAME or user:EMAIL.
	Principals []string
	// Host leaves access to what is configured for the source in the host.
	Host bool
}

// The usual values of Access. Nobody is the zero value.
var (
	Public    = Access{Public: true}    // anyone, also outside the team
	Workspace = Access{Workspace: true} // every full member of the team
	// HostAccess is for connectors that know nothing of access: the source's
	// configured access applies.
	HostAccess = Access{Host: true}
)

// MaxBody is the largest Body of a Document, in bytes.
const MaxBody = wire.MaxBody

const maxID = 1 << 10 // bytes

// problem tells why a document cannot be sent, nil if it can.
func (d *Document) problem() *Error {
	switch {
	case d.ID == "":
		return newError(kindInvalid, "the document has no id")
	case len(d.ID) > maxID:
		return newError(kindInvalid, "the document's id is longer than 1 KiB")
	case !utf8.ValidString(d.ID):
		return newError(kindInvalid, "the document's id is not valid UTF-8")
	case len(d.Body) > MaxBody:
		return newError(kindTooLarge, "the body is larger than 1 MiB; send it as a file")
	case !utf8.ValidString(d.Body):
		return newError(kindInvalid, "the body is not valid UTF-8")
	}
	return nil
}

// light tells that all but the body is far below the limit of a message. It
// guesses high: each entry of a list costs a few bytes more than its text.
func (d *Document) light() bool {
	size := len(d.Title) + len(d.URL) + len(d.MediaType) + len(d.Kind) + len(d.Author)
	for key, value := range d.Meta {
		size += len(key) + len(value) + 32
	}
	for _, list := range [][]string{d.Authors, d.Folders, d.Access.Users, d.Access.Groups, d.Access.Principals} {
		for _, text := range list {
			size += len(text) + 16
		}
	}
	for _, f := range d.Files {
		size += len(f.Ref) + len(f.Name) + len(f.MediaType) + 64
	}
	return size < wire.MaxBody
}

func (d *Document) wire() *wire.Document {
	authors := d.Authors
	if d.Author != "" {
		authors = append([]string{d.Author}, authors...)
	}
	out := &wire.Document{
		Id: d.ID, Title: valid(d.Title), Url: valid(d.URL), Body: bytesOf(d.Body),
		MediaType: valid(d.MediaType), Kind: valid(d.Kind), Authors: validAll(authors),
		Created: stamp(d.Created), Updated: stamp(d.Updated), Access: d.Access.wire(),
		Folders: validAll(d.Folders),
	}
	for key, value := range d.Meta {
		if out.Meta == nil {
			out.Meta = make(map[string]string, len(d.Meta))
		}
		out.Meta[valid(key)] = valid(value)
	}
	for _, f := range d.Files {
		out.Files = append(out.Files, &wire.FileRef{
			Ref: valid(f.Ref), Name: valid(f.Name), MediaType: valid(f.MediaType), Size: f.Size,
		})
	}
	return out
}

func (a Access) wire() *wire.Access {
	return &wire.Access{
		Public: a.Public, Workspace: a.Workspace, Host: a.Host,
		Users: validAll(a.Users), Groups: validAll(a.Groups), Principals: validAll(a.Principals),
	}
}

// bytesOf lends a text's bytes without copying them: up to 1 MiB for each
// document. They are only read, on the way to the wire.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

func stamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

// valid keeps one bad byte from breaking the whole stream: the wire refuses
// strings that are not UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func validAll(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, valid(s))
	}
	return out
}
