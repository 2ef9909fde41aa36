package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// filesAtOnce is after how many files a checkpoint is sent.
const filesAtOnce = 50

// files sends the files that differ from the tree that was sent last. A file whose
// blob is the same is not fetched.
func (p *pass) files(ctx context.Context, r *repo, at *place) error {
	head, err := p.src.head(ctx, *r)
	if err != nil || head == at.Tree && at.Next == "" {
		return err
	}
	if head == "" {
		return fmt.Errorf("the branch %s of %s has vanished; its files are kept", r.branch, r.full())
	}
	now, err := p.src.tree(ctx, *r, head)
	if err != nil {
		return err
	}
	sent, err := p.sent(ctx, *r, at)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		if _, ok := now[name]; !ok {
			if err := p.out.Removed(r.document("blob", name)); err != nil {
				return err
			}
		}
	}
	changed := slices.DeleteFunc(slices.Sorted(maps.Keys(now)), func(name string) bool { return sent[name].sha == now[name].sha })
	if at.Next != head {
		if at.Next != "" {
			at.Tree = "" // a third state: if this pass breaks off too, no tree tells what was sent
		}
		at.Next, at.At = head, ""
	}
	for part := range slices.Chunk(changed, filesAtOnce) {
		if err := p.look(ctx, r); err != nil {
			return err
		}
		if err := p.someFiles(ctx, r, part, now); err != nil {
			return err
		}
		at.At = part[len(part)-1]
		if err := p.checkpoint(); err != nil {
			return err
		}
	}
	at.Tree, at.Next, at.At = head, "", ""
	return nil
}

// sent is what of which file was sent: the last whole tree, and up to a path the
// one that was being sent when the pass ended. A tree that is no more, after a push
// by force, counts as nothing.
func (p *pass) sent(ctx context.Context, r repo, at *place) (map[string]blob, error) {
	out, err := p.known(ctx, r, at.Tree)
	if err != nil || at.Next == "" {
		return out, err
	}
	begun, err := p.known(ctx, r, at.Next)
	for name := range out {
		if _, ok := begun[name]; !ok {
			delete(out, name) // it was removed when that pass began
		}
	}
	for name, b := range begun {
		if name <= at.At {
			out[name] = b
		}
	}
	return out, err
}

func (p *pass) known(ctx context.Context, r repo, sha string) (map[string]blob, error) {
	out, err := p.src.tree(ctx, r, sha)
	if sdk.KindOf(err) == "gone" {
		return map[string]blob{}, nil
	}
	return out, err
}

func (p *pass) someFiles(ctx context.Context, r *repo, part []string, tree map[string]blob) error {
	of := *r
	docs, errs := make([]sdk.Document, len(part)), make([]error, len(part))
	group, reading := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for n, name := range part {
		group.Go(func() (err error) {
			defer recovered(&err)
			docs[n], errs[n] = p.src.file(reading, of, name, tree[name])
			if errs[n] != nil && passing(errs[n]) {
				return errs[n]
			}
			return reading.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for n, d := range docs {
		if errs[n] != nil {
			if err := p.unread(ctx, r, d, errs[n]); err != nil {
				return err
			}
		} else if err := p.send(ctx, r, d); err != nil {
			return err
		}
	}
	return nil
}

// file reads a file. With an error the document has all but the text.
func (s *Source) file(ctx context.Context, r repo, name string, b blob) (sdk.Document, error) {
	d := s.fileFacts(r, name)
	if b.size > sdk.MaxBody {
		return d, sdk.TooLarge(fmt.Errorf("the file has %d bytes, the limit is %d", b.size, sdk.MaxBody))
	}
	got, _, err := s.api.Git.GetBlob(ctx, r.owner, r.name, b.sha)
	if err != nil {
		return d, explain("the file "+name+" of "+r.full(), err)
	}
	text, err := decodeBlob(got, b.sha)
	if err != nil {
		return d, explain("the file "+name+" of "+r.full(), err)
	}
	if bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text) {
		return d, sdk.Invalid(errors.New("the file is no text in UTF-8"))
	}
	if len(text) > sdk.MaxBody {
		return d, sdk.TooLarge(fmt.Errorf("the file has %d bytes, the limit is %d", len(text), sdk.MaxBody))
	}
	d.Body = strings.TrimPrefix(string(text), "\uFEFF")
	if h := heading(d.Body); h != "" && d.MediaType == "text/markdown" {
		d.Title = h
	}
	return d, nil
}

func (s *Source) fileFacts(r repo, name string) sdk.Document {
	folders := r.folders()
	for i, c := range name {
		if c == '/' {
			folders = append(folders, r.full()+"/"+name[:i])
		}
	}
	link := r.page + "/blob/" + (&url.URL{Path: r.branch + "/" + name}).EscapedPath()
	return sdk.Document{
		ID: r.document("blob", name), Title: path.Base(name), URL: link, MediaType: mediaType(name), Kind: "file",
		Folders: folders, Access: s.access(r), Meta: map[string]string{"repository": r.full(), "path": name},
	}
}

func mediaType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdx":
		return "text/markdown"
	case ".html", ".htm":
		return "text/html"
	}
	return "text/plain"
}

// heading is a Markdown text's first heading of the first level.
func heading(text string) string {
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			fenced = !fenced
		case !fenced && strings.HasPrefix(line, "# "):
			return strings.TrimSpace(strings.TrimRight(line[2:], "# "))
		}
	}
	return ""
}
