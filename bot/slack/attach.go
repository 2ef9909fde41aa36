package slack

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
)

const (
	mostFiles    = 5
	largestFile  = 10_000_000
	largestImage = 5_000_000
	mostFileText = 60_000 // bytes of text taken of one file
)

// images are the types that models take.
var images = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// attachments reads the files of a message. What is not read is named, with the
// reason, so that nobody takes the answer for one about it.
func (a *app) attachments(ctx context.Context, files []file) (read []core.Attachment, unread []string) {
	for i, f := range files {
		var at core.Attachment
		why := "only the first 5 files are read"
		if i < mostFiles {
			at, why = a.attachment(ctx, f)
		}
		if why != "" {
			unread = append(unread, fmt.Sprintf("%s (%s)", firstOf(f.Name, f.Title, "a file"), why))
			continue
		}
		read = append(read, at)
	}
	return read, unread
}

// attachment reads one file, or says why not.
func (a *app) attachment(ctx context.Context, f file) (core.Attachment, string) {
	address := firstOf(f.URL, f.Private)
	at := core.Attachment{Name: firstOf(f.Name, f.Title)}
	image := images[f.MIME]
	most := largestFile
	if image {
		most = largestImage
	}
	switch {
	case f.Mode == "tombstone" || f.Mode == "hidden_by_limit":
		return at, "it is no longer there"
	case f.External || address == "":
		return at, "it is not kept in Slack"
	case strings.HasPrefix(f.MIME, "image/") && (!image || !a.opts.Vision):
		return at, "images of this kind are not read"
	case strings.HasPrefix(f.MIME, "audio/"), strings.HasPrefix(f.MIME, "video/"):
		return at, "sound and video are not read"
	case f.Size > most:
		return at, fmt.Sprintf("larger than %d MB", most/1_000_000)
	}
	content, err := a.api.download(ctx, address, most)
	if err != nil {
		a.log.Warn("a file of a question cannot be read", "media_type", f.MIME, "kind", core.KindOf(err))
		return at, "it cannot be read"
	}
	if signInPage(content, f.MIME) {
		return at, "the app may not read files; it lacks the scope files:read"
	}
	if image && http.DetectContentType(content) != f.MIME {
		return at, "it is not the image that it says it is"
	}
	if image {
		at.MediaType, at.Data = f.MIME, content
		return at, ""
	}
	return a.extract(ctx, at, f, content)
}

// extract makes text of a file.
func (a *app) extract(ctx context.Context, at core.Attachment, f file, content []byte) (core.Attachment, string) {
	plain := strings.HasPrefix(f.MIME, "text/") && f.MIME != "text/html" || f.MIME == "application/json" || f.Mode == "snippet"
	switch {
	case plain && utf8.Valid(content):
		at.Text = string(content)
	case a.opts.Extract == nil:
		return at, "files of this kind are not read"
	default:
		text, err := a.opts.Extract.Extract(ctx, at.Name, f.MIME, content)
		if err != nil {
			a.log.Warn("a file of a question cannot be turned into text", "media_type", f.MIME, "kind", core.KindOf(err)) // the error names the file
			return at, "no text can be made of it"
		}
		at.Text = text
	}
	if strings.TrimSpace(at.Text) == "" {
		return at, "it holds no text"
	}
	at.Text = cutText(at.Text, mostFileText)
	return at, ""
}

// signInPage tells that Slack sent its sign-in page instead of the file, which it
// does where the token may not read files.
func signInPage(content []byte, mime string) bool {
	head := bytes.ToLower(bytes.TrimSpace(content[:min(len(content), 512)]))
	return mime != "text/html" && bytes.HasPrefix(head, []byte("<!doctype html"))
}
