package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/url"
	"path"
	"strings"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// fileTypes are what is read beside pages, by ending. The value says whether it is
// text that goes as it is.
var fileTypes = map[string]struct {
	media string
	text  bool
}{
	"pdf":  {"application/pdf", false},
	"docx": {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", false},
	"pptx": {"application/vnd.openxmlformats-officedocument.presentationml.presentation", false},
	"xlsx": {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", false},
	"odt":  {"application/vnd.oasis.opendocument.text", false},
	"epub": {"application/epub+zip", false},
	"eml":  {"message/rfc822", false},
	"txt":  {"text/plain", true},
	"md":   {"text/markdown", true},
	"csv":  {"text/csv", true},
}

// skipped are endings of what has no text, and is not asked for.
var skipped = set("png jpg jpeg gif webp bmp tif tiff ico svg avif heic mp3 wav flac ogg oga m4a mp4 m4v mov avi mkv webm ogv " +
	"zip gz tgz bz2 xz zst 7z rar tar jar exe msi dmg pkg deb rpm apk iso bin woff woff2 ttf otf eot css js mjs map wasm " +
	"json rss atom xml ics vcf doc xls ppt")

func extension(p string) string {
	return strings.ToLower(strings.TrimPrefix(path.Ext(p), "."))
}

// fileType is what a file is read as, "" where it is not read. Its ending counts
// where the server says little.
func fileType(p, media string) (kind string, text bool) {
	for _, t := range fileTypes {
		if t.media == media && media != "text/plain" {
			return t.media, t.text
		}
	}
	switch media {
	case "", "application/octet-stream", "binary/octet-stream", "application/x-download", "application/force-download", "text/plain":
		if t, ok := fileTypes[extension(p)]; ok {
			return t.media, t.text
		}
	}
	if media == "text/plain" {
		return media, true
	}
	return "", false
}

// facts are what an address alone tells of its document.
func (s *Source) facts(k *known) sdk.Document {
	d := sdk.Document{ID: keyOf(k.URL), Kind: "page", URL: k.URL, Access: sdk.HostAccess}
	u, err := url.Parse(k.URL)
	if err != nil {
		return d
	}
	d.Title, d.Access = nameOf(u), accessOf(s.access, u.Path)
	d.Meta, d.Folders = map[string]string{"host": u.Host, "path": u.Path}, foldersOf(u)
	return d
}

// nameOf is a title for what has none: the last part of its path.
func nameOf(u *url.URL) string {
	if name := path.Base(u.Path); name != "/" && name != "." {
		return name
	}
	return u.Host
}

// foldersOf are the host and the folders of its path, outermost first.
func foldersOf(u *url.URL) []string {
	out := []string{u.Host}
	trimmed := strings.Trim(u.Path, "/")
	for i, c := range trimmed {
		if c == '/' && len(out) < mostSegments {
			out = append(out, u.Host+"/"+trimmed[:i])
		}
	}
	return out
}

// document is what a page becomes. Its subject is for the host to find.
func (s *Source) document(k *known, a *answer, p *page) sdk.Document {
	d := s.facts(k)
	d.URL = linkOf(a)
	if p.title != "" {
		d.Title = clip(p.title, 500)
	}
	d.Author, d.Created, d.Updated = p.author, s.past(p.created), s.past(p.updated)
	if d.Updated.IsZero() {
		d.Updated = s.past(modified(a))
	}
	for name, value := range map[string]string{"description": p.description, "language": clip(p.language, 35)} {
		if value != "" {
			d.Meta[name] = value
		}
	}
	d.Body, d.MediaType = p.body, "text/html"
	if len(d.Body) > sdk.MaxBody {
		sum := sha256.Sum256([]byte(d.Body))
		d.Files, d.Body, d.MediaType = []sdk.FileRef{s.file(a, short(sum[:]), "text/html", int64(len(d.Body)))}, "", ""
	}
	return d
}

func (s *Source) textDocument(k *known, a *answer, media, text string) sdk.Document {
	d := s.facts(k)
	d.URL, d.Body, d.MediaType, d.Kind, d.Updated = linkOf(a), text, media, "file", s.past(modified(a))
	return d
}

// linkOf is the address that a person opens.
func linkOf(a *answer) string { return a.url.String() }

// past drops a time that lies in the future, which a clock ahead of ours wrote.
func (s *Source) past(t time.Time) time.Time {
	if t.After(s.now()) {
		return time.Time{}
	}
	return t
}

// readFile is told of a file that the host reads. Where the server does not say which
// version it is, the content does.
func (c *crawl) readFile(k *known, a *answer, media string) error {
	most := c.src.maxBytes()
	if a.ContentLength > most {
		return tooLarge(most)
	}
	c.validate(k, a)
	revision, size := k.ETag+"\n"+k.Modified, max(a.ContentLength, 0)
	if revision == "\n" {
		sum := sha256.New()
		n, err := io.Copy(sum, io.LimitReader(a.Body, most+1))
		switch {
		case err != nil:
			return fmt.Errorf("the file broke off: %w", bare(err))
		case n > most:
			return tooLarge(most)
		}
		revision, size = string(sum.Sum(nil)), n
	}
	sum := sha256.Sum256([]byte(revision))
	d := c.src.facts(k)
	d.URL, d.Kind, d.Updated = linkOf(a), "file", c.src.past(modified(a))
	d.Files = []sdk.FileRef{c.src.file(a, short(sum[:]), media, size)}
	return c.send(k, a, d)
}

func tooLarge(most int64) error {
	return sdk.TooLarge(fmt.Errorf("the file has more than %d MB: exclude it or raise max_mb", most>>20))
}

func (s *Source) file(a *answer, revision, media string, size int64) sdk.FileRef {
	return sdk.FileRef{Ref: revision + " " + linkOf(a), Name: nameOf(a.url), MediaType: media, Size: size}
}

// digestOf tells whether a document is as it was.
func digestOf(d *sdk.Document) string {
	facts := *d
	facts.Body = ""
	text, err := json.Marshal(facts)
	if err != nil {
		return hex.EncodeToString([]byte(d.ID)) // never, of such values
	}
	sum := sha256.New()
	_, _ = io.Copy(sum, io.MultiReader(bytes.NewReader(text), strings.NewReader(d.Body)))
	return short(sum.Sum(nil))
}

// mediaOf is the media type of an answer without its parameters.
func mediaOf(a *answer) string {
	media, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	return media
}
