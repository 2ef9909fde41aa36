package httpapi

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
)

// Bounds of one pushed document, in bytes or entries.
const (
	maxPushID    = 1024
	maxPushShort = 4096 // a title, an address, a name, a value
	maxPushList  = 1000 // authors, folders, readers, metadata
)

// PushDocument is a document as it is pushed. Text or File holds its content; both
// may.
type PushDocument struct {
	ID        string            `json:"id"`
	Title     string            `json:"title,omitempty"`
	URL       string            `json:"url,omitempty"`
	Kind      string            `json:"kind,omitempty"`
	MediaType string            `json:"media_type,omitempty"` // of Text; Markdown if missing
	Text      string            `json:"text,omitempty"`
	File      *PushFile         `json:"file,omitempty"`
	Authors   []string          `json:"authors,omitempty"`
	Created   *time.Time        `json:"created,omitempty"`
	Updated   *time.Time        `json:"updated,omitempty"`
	Meta      map[string]string `json:"meta,omitempty"`
	Folders   []string          `json:"folders,omitempty"`
	// Access lists who may read it; missing leaves that to the source, an empty list
	// means nobody.
	Access *[]string `json:"access,omitempty"`
	Delete bool      `json:"delete,omitempty"`
}

// PushFile is a file that is pushed, such as a PDF.
type PushFile struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type,omitempty"`
	Base64    string `json:"base64"`
}

// documentOf checks one document and makes a change of it. The id is returned
// whatever else is wrong, "" if there is none.
func documentOf(raw []byte, hostAccess bool, files map[string][]byte) (core.Change, string, error) {
	var d PushDocument
	if err := decode(raw, &d); err != nil {
		var named struct{ ID string }
		_ = json.Unmarshal(raw, &named) // to say which it was
		return nil, named.ID, err
	}
	if err := idProblem(d.ID); err != nil {
		return nil, d.ID, err
	}
	if d.Delete {
		return core.Removal{ExternalID: d.ID}, d.ID, nil
	}
	if err := d.check(); err != nil {
		return nil, d.ID, err
	}
	u := core.Upsert{Document: core.Document{
		ExternalID: d.ID, Title: strings.TrimSpace(d.Title), URL: d.URL, Kind: d.Kind, MediaType: d.MediaType, Body: d.Text,
		Authors: d.Authors, Meta: d.Meta, Folders: d.Folders,
	}}
	if u.Document.Body != "" && u.Document.MediaType == "" {
		u.Document.MediaType = "text/markdown"
	}
	if d.Created != nil {
		u.Document.Created = d.Created.UTC()
	}
	if d.Updated != nil {
		u.Document.Updated = d.Updated.UTC()
	}
	if err := d.readers(&u, hostAccess); err != nil {
		return nil, d.ID, err
	}
	return u, d.ID, d.attach(&u, files)
}

func idProblem(id string) error {
	switch {
	case strings.TrimSpace(id) == "":
		return core.Errorf(core.KindInvalid, "The document has no id; give it one that stays the same when it is pushed again.")
	case len(id) > maxPushID:
		return core.Errorf(core.KindTooLarge, "The id is longer than %d bytes.", maxPushID)
	case !utf8.ValidString(id) || strings.ContainsRune(id, 0):
		return core.Errorf(core.KindInvalid, "The id holds a NUL character or is not valid UTF-8.")
	}
	return nil
}

func (d PushDocument) check() error {
	for field, value := range map[string]string{"title": d.Title, "url": d.URL, "kind": d.Kind, "media_type": d.MediaType} {
		if len(value) > maxPushShort {
			return core.Errorf(core.KindTooLarge, "The field %q is longer than %d bytes.", field, maxPushShort)
		}
	}
	for field, n := range map[string]int{"authors": len(d.Authors), "folders": len(d.Folders), "meta": len(d.Meta)} {
		if n > maxPushList {
			return core.Errorf(core.KindTooLarge, "The field %q has more than %d entries.", field, maxPushList)
		}
	}
	for key, value := range d.Meta {
		if len(key)+len(value) > maxPushShort {
			return core.Errorf(core.KindTooLarge, "The field \"meta\" has an entry longer than %d bytes.", maxPushShort)
		}
	}
	if d.URL != "" {
		if u, err := url.Parse(d.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return core.Errorf(core.KindInvalid, "The field \"url\" must be a whole address that begins with http:// or https://.")
		}
	}
	if d.Text == "" && d.File == nil && strings.TrimSpace(d.Title) == "" {
		return core.Errorf(core.KindInvalid, "The document has neither text, file nor title.")
	}
	return nil
}

// readers takes over who may read the document. What it does not state only the
// source may say.
func (d PushDocument) readers(u *core.Upsert, hostAccess bool) error {
	if d.Access == nil {
		if !hostAccess {
			return core.Errorf(core.KindInvalid, "The field \"access\" is missing: list who may read the document (public, workspace, user:EMAIL, group:SOURCE/NAME), or give the source a rule with --access.")
		}
		u.HostAccess = true
		return nil
	}
	if len(*d.Access) > maxPushList {
		return core.Errorf(core.KindTooLarge, "The field \"access\" has more than %d entries.", maxPushList)
	}
	var list []core.Principal
	for _, one := range *d.Access {
		p, err := core.ParsePrincipal(one)
		if err != nil {
			return core.Errorf(core.KindInvalid, "The field \"access\": %w", err)
		}
		list = append(list, p)
	}
	u.Document.Access = core.NewAccess(list...)
	return nil
}

func (d PushDocument) attach(u *core.Upsert, files map[string][]byte) error {
	if d.File == nil {
		return nil
	}
	if name := strings.TrimSpace(d.File.Name); name == "" || len(name) > maxPushShort {
		return core.Errorf(core.KindInvalid, "The field \"file.name\" is missing or too long; its ending tells how the file is read.")
	}
	body, err := base64.StdEncoding.DecodeString(d.File.Base64)
	if err != nil {
		return core.Errorf(core.KindInvalid, "The field \"file.base64\" is not valid base64.")
	}
	ref := fileRef(body)
	files[ref] = body
	u.Document.Files = []core.FileRef{{Ref: ref, Name: d.File.Name, MediaType: d.File.MediaType, Size: int64(len(body))}}
	return nil
}
