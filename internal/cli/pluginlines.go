package cli

import (
	"time"

	"github.com/footnote-bot/footnote/core"
)

// The events of plugin run.
const (
	eventDocument   = "document"
	eventRemoved    = "removed"
	eventFailed     = "failed"
	eventCheckpoint = "checkpoint"
	eventNote       = "note"
)

// changeView is one change as plugin run prints it.
type changeView struct {
	Event     string            `json:"event"`
	ID        string            `json:"id,omitempty"`
	Title     string            `json:"title,omitempty"`
	URL       string            `json:"url,omitempty"`
	Kind      string            `json:"kind,omitempty"`
	MediaType string            `json:"media_type,omitempty"`
	Authors   []string          `json:"authors,omitempty"`
	Created   *time.Time        `json:"created,omitempty"`
	Updated   *time.Time        `json:"updated,omitempty"`
	Meta      map[string]string `json:"meta,omitempty"`
	Folders   []string          `json:"folders,omitempty"`
	Access    *core.Access      `json:"access,omitempty"` // absent where it is left to the source's settings
	Files     []fileView        `json:"files,omitempty"`
	Body      string            `json:"body,omitempty"`
	Cursor    string            `json:"cursor,omitempty"`
	Error     string            `json:"error,omitempty"`
	ErrorKind core.Kind         `json:"error_kind,omitempty"`
	Text      string            `json:"text,omitempty"`
}

type fileView struct {
	Ref       string `json:"ref"`
	Name      string `json:"name"`
	MediaType string `json:"media_type,omitempty"`
	Size      int64  `json:"size,omitempty"`
}

// shownChange is what a change looks like on a line.
func shownChange(change core.Change) changeView {
	switch ch := change.(type) {
	case core.Upsert:
		return shownUpsert(ch)
	case core.Removal:
		return changeView{Event: eventRemoved, ID: ch.ExternalID}
	case core.Failure:
		v := changeView{Event: eventFailed, ID: ch.ExternalID, Title: ch.Title, Error: ch.Detail, ErrorKind: ch.Kind}
		if ch.Folder != "" {
			v.Folders = []string{ch.Folder}
		}
		return v
	case core.Checkpoint:
		return changeView{Event: eventCheckpoint, Cursor: cursorText(ch.Cursor)}
	case core.Note:
		return changeView{Event: eventNote, Text: ch.Text}
	}
	return changeView{Event: "unknown"}
}

func shownUpsert(up core.Upsert) changeView {
	d := up.Document
	v := changeView{
		Event: eventDocument, ID: d.ExternalID, Title: d.Title, URL: d.URL, Kind: d.Kind, MediaType: d.MediaType,
		Authors: d.Authors, Created: unlessZero(d.Created), Updated: unlessZero(d.Updated),
		Meta: d.Meta, Folders: d.Folders, Body: d.Body,
	}
	if !up.HostAccess {
		access := append(core.Access{}, d.Access...)
		v.Access = &access
	}
	for _, f := range d.Files {
		v.Files = append(v.Files, fileView{f.Ref, f.Name, f.MediaType, f.Size})
	}
	if up.Failed != nil {
		v.Event, v.Error, v.ErrorKind = eventFailed, up.Failed.Detail, up.Failed.Kind
	}
	return v
}

func unlessZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
