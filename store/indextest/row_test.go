package indextest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/where"
)

// now is when all rows take place.
var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// row is one line of testdata/filters. In lists of the filter null is off and
// empty matches nothing, except where principals and grants are listed.
type row struct {
	Name      string          `json:"name"`
	Docs      []rowDocument   `json:"docs"`
	Filter    rowFilter       `json:"filter"`
	Want      []string        `json:"want_ids"`
	Note      json.RawMessage `json:"note"`
	Source    json.RawMessage `json:"source"`
	Certainty json.RawMessage `json:"certainty"`
}

type rowDocument struct {
	ID        string     `json:"id"`
	ACL       []string   `json:"acl"`
	Source    string     `json:"source"`
	Sets      []string   `json:"sets"`
	Tags      []string   `json:"tags"`
	Updated   *time.Time `json:"updated"`
	Created   *time.Time `json:"created"`
	Hidden    bool       `json:"hidden"`
	Ancestors []folder   `json:"ancestors"`
	Title     string     `json:"title"`
	Kind      string     `json:"kind"`
}

type rowFilter struct {
	ACL           []string     `json:"acl"`
	Bypass        bool         `json:"bypass_acl"`
	IncludeHidden bool         `json:"include_hidden"`
	Sources       []string     `json:"sources"`
	Tags          []string     `json:"tags"`
	TagMode       tagMode      `json:"tag_mode"`
	Sets          []string     `json:"document_sets"`
	Attached      []string     `json:"attached"`
	Ancestors     []folder     `json:"ancestors"`
	Under         []rowUnder   `json:"under"`
	Where         string       `json:"where"`
	Forced        []string     `json:"forced_sets"`
	Granted       []string     `json:"granted"`
	Updated       *rowRange    `json:"updated_range"`
	Created       *rowRange    `json:"created_range"`
	Audience      *rowAudience `json:"audience"`
	Censor        *rowCensor   `json:"censor"`
}

type rowUnder struct {
	Folder folder `json:"folder"`
	Levels int    `json:"levels"`
}

type rowRange struct {
	Start *time.Time `json:"start"`
	End   *time.Time `json:"end"`
}

type rowAudience struct {
	Kind    placeKind `json:"kind"`
	Asker   []string  `json:"asker_acl"`
	Channel []string  `json:"channel_acl"`
}

type rowCensor struct {
	Sources   []string `json:"sources"`
	Failed    []string `json:"failed_sources"`
	Visible   []string `json:"visible_ids"`
	Anonymous bool     `json:"anonymous"`
}

// folder is an ancestor's id; a number is the same as its digits.
type folder string

func (f *folder) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err == nil && string(b) != "null" {
		*f = folder(core.FolderID("folder", text))
		return nil
	}
	var number json.Number
	if err := json.Unmarshal(b, &number); err != nil || number == "" {
		return fmt.Errorf("the ancestor %s is neither a number nor a string", b)
	}
	*f = folder(core.FolderID("folder", number.String()))
	return nil
}

type tagMode core.TagMode

func (m *tagMode) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case `null`, `"any"`:
		*m = tagMode(core.TagAny)
	case `"per_key"`:
		*m = tagMode(core.TagPerKey)
	default:
		return fmt.Errorf("the tag_mode %s is unknown", b)
	}
	return nil
}

type placeKind core.PlaceKind

var placeKinds = []core.PlaceKind{
	core.PlaceDirect, core.PlaceEphemeral, core.PlaceGroup, core.PlacePublic, core.PlacePrivate, core.PlaceGuests, core.PlaceConnect,
	core.PlaceEveryone, core.PlaceHidden, core.PlacePrivateThread, core.PlaceAskedByMachine, core.PlaceUnknown,
}

func (k *placeKind) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil || !slices.Contains(placeKinds, core.PlaceKind(text)) {
		return fmt.Errorf("the kind %s is unknown", b)
	}
	*k = placeKind(text)
	return nil
}

func parseRow(line []byte) (r row, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, err
	}
	if d.More() {
		return r, errors.New("more stands behind the row")
	}
	if a := r.Filter.Audience; a != nil && a.Kind == "" {
		return r, errors.New("the audience has no kind")
	}
	if r.Filter.Where != "" {
		if _, err := where.Parse(r.Filter.Where); err != nil {
			return r, err
		}
	}
	seen := map[string]bool{}
	for _, doc := range r.Docs {
		if doc.ID == "" || seen[doc.ID] {
			return r, fmt.Errorf("the id %q is empty or occurs twice", doc.ID)
		}
		seen[doc.ID] = true
	}
	for _, id := range r.Want {
		if !seen[id] {
			return r, fmt.Errorf("the wanted id %q is no document of the row", id)
		}
	}
	return r, nil
}

func principals(list []string) []core.Principal {
	out := make([]core.Principal, len(list))
	for i, p := range list {
		out[i] = core.Principal(p)
	}
	return core.NewAccess(out...)
}

// facts writes a document as the index knows it. A set is a folder of its own
// kind, so that its name is compared to the letter.
func (d rowDocument) facts() core.Facts {
	f := core.Facts{Document: d.ID, Source: d.Source, Title: d.Title, Kind: d.Kind, Access: core.Access(principals(d.ACL)), Hidden: d.Hidden, Tags: d.Tags}
	for _, a := range d.Ancestors {
		f.Folders = append(f.Folders, string(a))
	}
	for _, s := range d.Sets {
		f.Folders = append(f.Folders, core.FolderID("set", s))
	}
	if d.Updated != nil {
		f.Updated = *d.Updated
	}
	if d.Created != nil {
		f.Created = *d.Created
	}
	return f
}

// collections gives the rules of sets. A name that no document knows is looked
// up in vain, which leaves an empty rule.
func (r row) collections(names []string) []core.Collection {
	if names == nil {
		return nil
	}
	out := []core.Collection{}
	for _, name := range names {
		c := core.Collection{Name: name}
		if slices.ContainsFunc(r.Docs, func(d rowDocument) bool { return slices.Contains(d.Sets, name) }) {
			c.Folders = []string{core.FolderID("set", name)}
		}
		out = append(out, c)
	}
	return out
}

// filter is the row's filter with everything that its audience decides.
func (r row) filter() core.Filter {
	in := r.Filter
	f := core.Filter{Principals: principals(in.ACL), Granted: r.collections(in.Granted), Bypass: in.Bypass}
	if in.Audience != nil {
		f = in.Audience.filter(f)
	}
	f.IncludeHidden, f.Sources, f.Tags, f.TagMode = in.IncludeHidden, in.Sources, in.Tags, core.TagMode(in.TagMode)
	f.Within, f.Collections, f.Attached = r.collections(in.Forced), r.collections(in.Sets), in.Attached
	if in.Ancestors != nil {
		f.Folders = []string{}
	}
	for _, a := range in.Ancestors {
		f.Folders = append(f.Folders, string(a))
	}
	if in.Under != nil {
		f.Under = []core.FolderScope{}
	}
	for _, u := range in.Under {
		f.Under = append(f.Under, core.FolderScope{Folder: string(u.Folder), Levels: u.Levels})
	}
	if in.Where != "" {
		f.Where, _ = where.Parse(in.Where) //nolint:errcheck // parseRow refuses what cannot be read
	}
	f.Updated, f.Created, f.Now = in.Updated.core(), in.Created.core(), now
	return f
}

func (r *rowRange) core() (out core.Range) {
	if r != nil && r.Start != nil {
		out.From = *r.Start
	}
	if r != nil && r.End != nil {
		out.To = *r.End
	}
	return out
}

// documents gives the row's documents in rank order: all match equally well, and
// equal scores are ordered by passage.
func (r row) documents() (out []core.IndexedDocument) {
	for i, d := range r.Docs {
		p := core.Passage{ID: core.PassageID(i + 1), Document: d.ID, Text: fmt.Sprintf("walrus of herd%03d", i)}
		out = append(out, core.IndexedDocument{Facts: d.facts(), Passages: []core.Passage{p}})
	}
	return out
}

// wanted is what the row wants, in the order of its documents.
func (r row) wanted() []string {
	out := []string{}
	for _, d := range r.Docs {
		if slices.Contains(r.Want, d.ID) {
			out = append(out, d.ID)
		}
	}
	return out
}
