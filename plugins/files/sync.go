package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Checkpoints are sent at least this often.
const (
	checkpointDocuments = 500
	checkpointEvery     = 30 * time.Second
)

const sniffSize = 8 << 10 // bytes of a file of unknown kind that are looked at

// Sync sends every file of a folder each time, whatever the cursor. No time
// stamp can tell that a file was moved in, restored or had its rights changed; the
// host compares hashes, and reading a few thousand files takes a fraction of a
// second. Of a repository it sends what changed since the commit in the cursor.
func (s *Source) Sync(ctx context.Context, since sdk.Cursor, out *sdk.Out) error {
	if s.repo != nil {
		return s.syncClone(ctx, since, out)
	}
	root, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer root.Close()
	now := sdk.TimeCursor(time.Now())
	p := s.pass(root, out, now)
	if err := p.run(ctx); err != nil {
		return err
	}
	return out.Checkpoint(now)
}

// sink is the part of sdk.Out that takes what a run finds.
type sink interface {
	Document(sdk.Document) error
	Unread(sdk.Document, error) error
	FolderFailed(folder string, err error) error
	Note(text string) error
	Checkpoint(sdk.Cursor) error
}

// pass prepares a run that sends mark with each checkpoint on its way.
func (s *Source) pass(r root, out sink, mark sdk.Cursor) *pass {
	return &pass{src: s, root: r, out: out, mark: mark, last: time.Now(), skipped: map[string]int{}, used: map[string]bool{}}
}

func (p *pass) run(ctx context.Context) error {
	w := p.src.walker(p.root)
	w.each, w.failed, w.closed = p.file, p.unreadable, p.folderFailed
	if err := w.walk(ctx); err != nil {
		return err
	}
	return p.notes(w)
}

func (s *Source) walker(r root) *walker {
	return &walker{root: r, include: s.Include, exclude: s.exclude}
}

// pass is one run of Sync.
type pass struct {
	src  *Source
	root root
	out  sink
	mark sdk.Cursor
	only *changes // what of a clone is sent; nil means all

	last    time.Time // of the last checkpoint
	sent    int       // since then
	skipped map[string]int
	used    map[string]bool // globs of access rules that matched a file
	lfs     int             // files whose content git keeps elsewhere
	again   bool            // something could not be read that may be readable next time
}

func (p *pass) file(e entry) error {
	if p.only != nil && !p.only.paths[p.root.inTree(e.actual)] {
		return p.unchanged(e)
	}
	doc, err := p.document(e)
	switch {
	case errors.Is(err, errBinary):
		p.skipped[extension(e.name)]++
		return nil
	case errors.Is(err, errElsewhere):
		p.lfs++
		return nil
	case err != nil:
		p.again = p.again || sdk.KindOf(err) == ""
		// Who may read the version before it is known without the content.
		return p.out.Unread(doc, err)
	}
	if err := p.out.Document(doc); err != nil {
		return err
	}
	p.sent++
	if p.sent < checkpointDocuments && time.Since(p.last) < checkpointEvery {
		return nil
	}
	p.sent, p.last = 0, time.Now()
	return p.out.Checkpoint(p.mark)
}

// unchanged counts a file that is not sent, for the notes.
func (p *pass) unchanged(e entry) error {
	_, glob := accessOf(p.src.access, e.name)
	p.used[glob] = true
	kind, _ := classify(e.name)
	switch {
	case kind == binary, kind == unknown && errors.Is(sniff(p.root, e.actual), errBinary):
		p.skipped[extension(e.name)]++
	case elsewhere(p.root, e):
		p.lfs++
	}
	return nil
}

func (p *pass) folderFailed(name string, err error) error {
	p.again = true
	return p.out.FolderFailed(name, err)
}

// unreadable records a path that could not even be looked at.
func (p *pass) unreadable(name string, err error) error {
	return p.out.Unread(p.facts(entry{name: name, actual: name}), err)
}

// facts are what a path alone tells of a document.
func (p *pass) facts(e entry) sdk.Document {
	access, glob := accessOf(p.src.access, e.name)
	p.used[glob] = true
	doc := sdk.Document{
		ID: e.name, Kind: "file", URL: p.src.link(p.root, e), Title: readableName(e.name),
		Meta: map[string]string{"path": e.name}, Folders: foldersOf(e.name), Access: access,
	}
	switch {
	case p.root.tree != nil:
		doc.Updated = p.root.tree.dates[p.root.inTree(e.actual)] // the file's own time is that of the clone
	case e.info != nil:
		doc.Updated = e.info.ModTime()
	}
	return doc
}

// foldersOf lists the paths of the folders that a file lies in.
func foldersOf(name string) []string {
	var out []string
	for i, c := range name {
		if c == '/' {
			out = append(out, name[:i])
		}
	}
	return out
}

// errBinary says that a file is left out and counted.
var errBinary = errors.New("a binary file")

// document returns what is known also where the content cannot be read.
func (p *pass) document(e entry) (sdk.Document, error) {
	kind, mediaType := classify(e.name)
	if kind == binary {
		return sdk.Document{}, errBinary
	}
	if elsewhere(p.root, e) {
		return sdk.Document{}, errElsewhere
	}
	doc := p.facts(e)
	doc.MediaType = mediaType
	if size := Size(e.info.Size()); size > p.src.MaxSize {
		return doc, sdk.TooLarge(fmt.Errorf(
			"the file has %s, the limit is %s: exclude it or raise max_size", size, p.src.MaxSize))
	}
	if kind == unknown {
		if err := sniff(p.root, e.actual); err != nil {
			return doc, err
		}
		kind, doc.MediaType = text, "text/plain"
	}
	if kind == attachment || e.info.Size() > sdk.MaxBody {
		return p.attach(doc, e), nil
	}
	return p.withBody(doc, e)
}

// withBody reads a text file. One that grew over the limit since the walk, or
// that does so by becoming UTF-8, goes as an attachment.
func (p *pass) withBody(doc sdk.Document, e entry) (sdk.Document, error) {
	f, err := openFile(p.root, e.actual)
	if err != nil {
		return doc, unreadable(err)
	}
	data, err := io.ReadAll(io.LimitReader(f, sdk.MaxBody+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return doc, unreadable(err)
	}
	if len(data) > sdk.MaxBody {
		return p.attach(doc, e), nil
	}
	body, err := decode(data, doc.MediaType)
	if err != nil {
		return doc, sdk.Invalid(err)
	}
	if len(body) > sdk.MaxBody {
		return p.attach(doc, e), nil
	}
	doc.Body, doc.Title = body, titleOf(e.name, doc.MediaType, body)
	return doc, nil
}

func unreadable(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("the file disappeared while the folder was read")
	}
	return fmt.Errorf("the file cannot be read: %w", cause(err))
}

// sniff tells by its first bytes whether a file is text.
func sniff(r root, actual string) error {
	f, err := openFile(r, actual)
	if err != nil {
		return unreadable(err)
	}
	head, err := io.ReadAll(io.LimitReader(f, sniffSize))
	if err = errors.Join(err, f.Close()); err != nil {
		return unreadable(err)
	}
	if _, err := decode(wholeRunes(head), "text/plain"); err != nil {
		return errBinary
	}
	return nil
}

// wholeRunes drops up to three bytes of a character that the window cut.
func wholeRunes(head []byte) []byte {
	for i := 1; i <= 3 && i < len(head); i++ {
		if c := head[len(head)-i]; c >= 0xC0 {
			return head[:len(head)-i]
		} else if c < 0x80 {
			break
		}
	}
	return head
}

func (p *pass) attach(doc sdk.Document, e entry) sdk.Document {
	doc.Files = []sdk.FileRef{{
		Ref: p.root.revision(e) + ":" + e.name, Name: path.Base(e.name), MediaType: doc.MediaType, Size: e.info.Size(),
	}}
	doc.MediaType = ""
	return doc
}

// revision changes whenever the file may have.
func revision(info fs.FileInfo) string {
	return strings.Join([]string{
		strconv.FormatInt(info.Size(), 36), strconv.FormatInt(info.ModTime().UnixNano(), 36), strconv.FormatInt(changed(info), 36),
	}, "-")
}

// link is the address that opens a file for a person.
func (s *Source) link(r root, e entry) string {
	if s.base != nil {
		return s.base.JoinPath(escaped(e.name)).String()
	}
	if r.state != nil {
		if link := s.webLink(r.state.Branch, r.inTree(e.actual)); link != "" {
			return link
		}
	}
	full := filepath.ToSlash(filepath.Join(r.real, filepath.FromSlash(e.name)))
	if !strings.HasPrefix(full, "/") {
		full = "/" + full
	}
	return (&url.URL{Scheme: "file", Path: full}).String()
}

func escaped(name string) string { return (&url.URL{Path: name}).EscapedPath() }

// notes tells the owner what was left out and which access rules are idle.
func (p *pass) notes(w *walker) error {
	var list []string
	if text := skippedText(p.skipped); text != "" {
		list = append(list, text)
	}
	if p.lfs > 0 {
		list = append(list, fmt.Sprintf("%d files were left out because their content lies in Git LFS, which is not fetched", p.lfs))
	}
	if w.outside > 0 {
		list = append(list, fmt.Sprintf("%d links that lead out of the folder were not followed", w.outside))
	}
	if w.special > 0 {
		list = append(list, fmt.Sprintf("%d pipes, sockets or devices were skipped", w.special))
	}
	list = append(list, w.bad...)
	for _, rule := range p.src.access {
		if !p.used[rule.glob] {
			list = append(list, fmt.Sprintf("the access rule %q applies to no file", rule.glob))
		}
	}
	for _, text := range list {
		if err := p.out.Note(text); err != nil {
			return err
		}
	}
	return nil
}

// skippedText lists how many binary files were skipped, by ending.
func skippedText(skipped map[string]int) string {
	total, parts := 0, make([]string, 0, len(skipped))
	for ext, n := range skipped {
		total += n
		if ext == "" {
			ext = "no ending"
		}
		parts = append(parts, fmt.Sprintf("%s: %d", ext, n))
	}
	if total == 0 {
		return ""
	}
	slices.Sort(parts)
	if more := len(parts) - 8; more > 0 {
		parts = append(parts[:8], fmt.Sprintf("%d more endings", more))
	}
	return fmt.Sprintf("%d files without readable text were skipped (%s)", total, strings.Join(parts, ", "))
}
