package plugintest

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// record is what a host remembers of a source: its documents and how far it got.
type record struct {
	docs   map[string]*known
	cursor []byte
	now    time.Time // when the sync began

	events   int
	sent     int // documents
	repeated string
	failures []*wire.Failure
	marks    []int // events up to and with each checkpoint
	problems map[string]string

	since     int       // documents since the last checkpoint
	sinceTime time.Time // of the first of them
	open      bool      // something came after the last checkpoint
	inThis    map[string]bool
}

// known is what later checks need of a document.
type known struct {
	print   string // changes when anything of the document does
	title   string
	body    string // its beginning
	access  *wire.Access
	folders []string
	files   []*wire.FileRef
}

// Limits of the host, in bytes.
const (
	maxID   = 1 << 10
	maxMeta = 64 << 10
	// clocksDiffer is how far ahead a document's time may be.
	clocksDiffer = 5 * time.Minute
	perMark      = 1000             // documents for each checkpoint
	perMarkTime  = 65 * time.Second // a minute and a little
)

func newRecord() *record {
	return &record{docs: map[string]*known{}, problems: map[string]string{}}
}

// crashed is what is left of the record after a crash: what the last checkpoint
// covered, which is given.
func crashed(docs map[string]*known, cursor []byte) *record {
	r := newRecord()
	r.docs, r.cursor = maps.Clone(docs), cursor
	if r.docs == nil {
		r.docs = map[string]*known{}
	}
	return r
}

func (r *record) begin() {
	r.now, r.inThis, r.open, r.since = time.Now(), map[string]bool{}, false, 0
}

func (r *record) end() {
	switch {
	case len(r.marks) == 0 && r.sent > 0:
		r.problem("checkpoint", "there is none at all")
	case r.open:
		r.problem("checkpoint", "there is none after the last document")
	}
}

// problem keeps the first of its kind.
func (r *record) problem(kind, format string, args ...any) {
	if _, ok := r.problems[kind]; !ok {
		r.problems[kind] = fmt.Sprintf(format, args...)
	}
}

// mostEvents is how much one call may bring in a test.
const mostEvents = 100_000

// errTooMuch ends a call that goes on and on.
var errTooMuch = fmt.Errorf("more than %d events came: give the test a smaller system", mostEvents)

// see takes one event as a host does.
func (r *record) see(event *wire.SyncEvent) error {
	if r.events++; r.events > mostEvents {
		return errTooMuch
	}
	switch e := event.GetEvent().(type) {
	case *wire.SyncEvent_Document:
		r.document(e.Document)
	case *wire.SyncEvent_Removed:
		delete(r.docs, e.Removed.GetId())
		r.open = true
	case *wire.SyncEvent_Failure:
		r.failure(e.Failure)
		if e.Failure.GetKind() == wire.FailureKind_FAILURE_KIND_GONE && e.Failure.GetFolder() == "" {
			delete(r.docs, e.Failure.GetId())
		}
	case *wire.SyncEvent_Checkpoint:
		if size := len(e.Checkpoint.GetCursor()); size > wire.MaxCursor {
			r.problem("cursor", "a cursor takes %d bytes", size)
		} else {
			r.cursor = e.Checkpoint.GetCursor()
		}
		r.marks, r.open, r.since = append(r.marks, r.events), false, 0
	}
	return nil
}

// failure notes what went wrong with a document; whoever has to mend it needs to
// know which and why.
func (r *record) failure(f *wire.Failure) {
	r.failures = append(r.failures, f)
	if f.GetId() == "" && f.GetFolder() == "" {
		r.problem("failures", "a failure says neither which document nor which folder: %s", clip(f.GetDetail(), 200))
	} else if f.GetDetail() == "" {
		r.problem("failures", "the failure of %q does not say why", clip(f.GetId(), 80))
	}
}

func (r *record) document(d *wire.Document) {
	r.sent, r.open = r.sent+1, true
	r.judge(d)
	now := &known{
		print: fingerprint(d), title: d.GetTitle(), body: clip(string(d.GetBody()), 500), access: d.GetAccess(), folders: d.GetFolders(), files: d.GetFiles(),
	}
	if old := r.docs[d.GetId()]; r.inThis[d.GetId()] && old != nil && old.print != now.print && r.repeated == "" {
		r.repeated = fmt.Sprintf("two documents of one sync have the id %q, titled %q and %q", d.GetId(), old.title, now.title)
	}
	r.docs[d.GetId()], r.inThis[d.GetId()] = now, true
	if r.since++; r.since == 1 {
		r.sinceTime = time.Now()
	}
	if r.since > perMark {
		r.problem("checkpoint", "more than %d documents came without one", perMark)
	} else if time.Since(r.sinceTime) > perMarkTime {
		r.problem("checkpoint", "documents came for more than a minute without one")
	}
}

// judge notes what is wrong with a document.
func (r *record) judge(d *wire.Document) {
	id := clip(d.GetId(), 80)
	if a := d.GetAccess(); unread(a) {
		r.problem("access", "nobody may read document %q: say who, or leave it to the host with HostAccess", id)
	}
	if u := d.GetUrl(); u != "" && !absolute(u) {
		r.problem("url", "document %q has the link %q", id, clip(u, 200))
	}
	if t := d.GetUpdated(); t != nil && (!t.IsValid() || t.AsTime().After(r.now.Add(clocksDiffer))) {
		r.problem("updated", "document %q was updated at %v", id, t.AsTime())
	}
	if !utf8.Valid(d.GetBody()) {
		r.problem("utf8", "the body of document %q is not", id)
	}
	if why := overLimit(d); why != "" {
		r.problem("limits", "document %q: %s", id, why)
	}
}

func overLimit(d *wire.Document) string {
	meta, path := 0, 0
	for key, value := range d.GetMeta() {
		meta += len(key) + len(value)
	}
	for _, id := range d.GetFolders() {
		path += len(id) + 1
	}
	switch {
	case d.GetId() == "":
		return "it has no id"
	case len(d.GetId()) > maxID:
		return "its id is longer than 1 KiB"
	case strings.ContainsFunc(d.GetId(), unicode.IsControl):
		return "its id holds a control character"
	case len(d.GetBody()) > wire.MaxBody:
		return fmt.Sprintf("its body takes %s, the limit is 1 MiB: send it as a file", mebibytes(int64(len(d.GetBody()))))
	case meta > maxMeta:
		return "its metadata takes more than 64 KiB"
	case path > maxMeta:
		return "the ids of its folders take more than 64 KiB"
	}
	return ""
}

func unread(a *wire.Access) bool {
	return !a.GetPublic() && !a.GetWorkspace() && !a.GetHost() &&
		len(a.GetUsers())+len(a.GetGroups())+len(a.GetPrincipals()) == 0
}

// fingerprint changes when anything of the document does, but not with the order
// of what has none.
func fingerprint(d *wire.Document) string {
	d, _ = proto.Clone(d).(*wire.Document)
	if a := d.GetAccess(); a != nil {
		slices.Sort(a.Users)
		slices.Sort(a.Groups)
		slices.Sort(a.Principals)
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(d)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

// difference tells how the documents differ from those wanted, "" if they do not.
func difference(want, got map[string]*known) string {
	var missing, extra, other []string
	for id, w := range want {
		g, ok := got[id]
		switch {
		case !ok:
			missing = append(missing, id)
		case g.print != w.print:
			other = append(other, id)
		}
	}
	for id := range got {
		if _, ok := want[id]; !ok {
			extra = append(extra, id)
		}
	}
	var parts []string
	for _, p := range []struct {
		what string
		ids  []string
	}{{"missing", missing}, {"too many", extra}, {"another version of", other}} {
		if len(p.ids) > 0 {
			parts = append(parts, p.what+": "+some(p.ids))
		}
	}
	return strings.Join(parts, "; ")
}

// some names a few of many.
func some(ids []string) string {
	slices.Sort(ids)
	shown := make([]string, 0, 3)
	for _, id := range ids[:min(len(ids), 3)] {
		shown = append(shown, fmt.Sprintf("%q", clip(id, 80)))
	}
	text := strings.Join(shown, ", ")
	if len(ids) > 3 {
		text += fmt.Sprintf(" and %d more", len(ids)-3)
	}
	return text
}
