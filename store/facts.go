package store

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// factsPage is how many documents' facts are handed over at a time.
const factsPage = 1 << pageBits

const factsColumns = `id, source, title, kind, hidden, folders, meta, created, updated`

// pageFacts merges the two by row number.
func pageFacts(documents *sql.Rows, access *grants, each func([]core.Facts) error) error {
	var page []core.Facts
	reader := newFactsReader()
	for documents.Next() {
		var n int64
		f, err := reader.scan(documents, &n)
		if err != nil {
			return err
		}
		if f.Access, err = access.of(n); err != nil {
			return err
		}
		if page = append(page, f); len(page) == factsPage {
			if err := each(page); err != nil {
				return err
			}
			page = make([]core.Facts, 0, factsPage) // a ledger with one page mostly has more
		}
	}
	if err := documents.Err(); err != nil || len(page) == 0 {
		return err
	}
	return each(page)
}

// factsReader reads rows of factsColumns. Documents of one folder share one
// list, and a list of tags that many have is made once.
type factsReader struct {
	folders map[[2]string][]string // by source and column
	tags    map[string][]string    // by column
	names   map[string]string      // one copy of each source and kind

	source, kind, folderList, meta sql.RawBytes // of the row at hand, as are the times
	created, updated               sql.NullInt64
	into                           []any
}

func newFactsReader() *factsReader {
	return &factsReader{folders: map[[2]string][]string{}, tags: map[string][]string{}, names: map[string]string{}}
}

// scan reads a row whose first columns go elsewhere.
func (r *factsReader) scan(rows *sql.Rows, first ...any) (core.Facts, error) {
	var f core.Facts
	r.into = append(append(r.into[:0], first...), &f.Document, &r.source, &f.Title, &r.kind, &f.Hidden, &r.folderList, &r.meta, &r.created, &r.updated)
	err := rows.Scan(r.into...)
	if err != nil {
		return f, err
	}
	f.Source, f.Kind = r.name(r.source), r.name(r.kind)
	f.Created, f.Updated = fromMicros(r.created), fromMicros(r.updated)
	if f.Folders, err = r.foldersOf(f.Source, r.folderList); err != nil {
		return f, err
	}
	f.Tags, err = r.tagsOf(r.meta)
	return f, err
}

func (r *factsReader) name(column []byte) string {
	name, ok := r.names[string(column)]
	if !ok {
		name = string(column)
		if len(r.names) < factsPage {
			r.names[name] = name
		}
	}
	return name
}

func (r *factsReader) foldersOf(source string, column []byte) ([]string, error) {
	if out, ok := r.folders[[2]string{source, string(column)}]; ok {
		return out, nil
	}
	var ids []string
	if err := json.Unmarshal(column, &ids); err != nil {
		return nil, err
	}
	out := folderIDs(source, ids)
	r.folders[[2]string{source, string(column)}] = out
	return out, nil
}

func (r *factsReader) tagsOf(column []byte) ([]string, error) {
	if out, ok := r.tags[string(column)]; ok {
		return out, nil
	}
	out, err := tagsIn(string(column))
	if err != nil {
		return nil, err
	}
	if len(r.tags) < factsPage { // most metadata of some sources is one of a kind
		r.tags[string(column)] = out
	}
	return out, nil
}

// tagsIn reads the tags from a column of metadata. As the column was written by
// asJSON, nothing but quotation marks has to be looked for unless something is
// escaped: at start the metadata of every document passes here.
func tagsIn(column string) ([]string, error) {
	if strings.ContainsRune(column, '\\') {
		var meta map[string]string
		err := json.Unmarshal([]byte(column), &meta)
		return tagsOf(meta), err
	}
	n := strings.Count(column, `"`) / 4
	if n == 0 {
		return nil, nil
	}
	out := make([]string, n)
	for i := range out {
		_, column, _ = strings.Cut(column, `"`)
		key, rest, _ := strings.Cut(column, `":"`)
		value, rest, _ := strings.Cut(rest, `"`)
		out[i], column = core.TagOf(key, value), rest
	}
	slices.Sort(out)
	return out, nil
}

// folderIDs and tagsOf return nil for nothing, so that facts can be compared.
func folderIDs(source string, folders []string) []string {
	var out []string
	for _, f := range folders {
		out = append(out, core.FolderID(source, f))
	}
	return slices.Clip(out)
}

func tagsOf(meta map[string]string) []string {
	if len(meta) == 0 {
		return nil
	}
	return core.TagsOf(meta)
}

// grants reads the access table in step with the documents.
type grants struct {
	rows  *sql.Rows
	next  int64 // document of the row that was read last; 0 before the first
	name  core.Principal
	names map[string]core.Principal // one copy of each, however many documents it reads
}

func (g *grants) of(n int64) (core.Access, error) {
	var out core.Access
	for {
		if g.next == n {
			out = append(out, g.name)
		}
		if g.next > n || !g.rows.Next() {
			return out, g.rows.Err()
		}
		var name sql.RawBytes
		if err := g.rows.Scan(&g.next, &name); err != nil {
			return nil, err
		}
		p, ok := g.names[string(name)]
		if !ok {
			p = core.Principal(name)
			g.names[string(name)] = p
		}
		g.name = p
	}
}
