package discord

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
)

const (
	mostFiles    = 5
	largestFile  = 10_000_000
	largestImage = 5_000_000
	mostFileText = 60_000 // code points of text taken of one file
)

// images are the types that models take.
var images = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// attachments reads the files of a message. What is not read is named, with the
// reason, so that nobody takes the answer for one about it.
func (a *app) attachments(ctx context.Context, files []attachment) (read []core.Attachment, unread []string) {
	for i, f := range files {
		var at core.Attachment
		why := "only the first 5 files are read"
		if i < mostFiles {
			at, why = a.attachment(ctx, f)
		}
		if why != "" {
			unread = append(unread, fmt.Sprintf("%s (%s)", firstOf(f.Name, "a file"), why))
			continue
		}
		read = append(read, at)
	}
	return read, unread
}

// attachment reads one file, or says why not.
func (a *app) attachment(ctx context.Context, f attachment) (core.Attachment, string) {
	kind, _, _ := strings.Cut(f.Type, ";")
	at := core.Attachment{Name: f.Name}
	most := largestFile
	if images[kind] {
		most = largestImage
	}
	switch {
	case strings.HasPrefix(kind, "image/") && (!images[kind] || !a.opts.Vision):
		return at, "images of this kind are not read"
	case strings.HasPrefix(kind, "audio/"), strings.HasPrefix(kind, "video/"):
		return at, "sound and video are not read"
	case f.Size > most:
		return at, fmt.Sprintf("larger than %d MB", most/1_000_000)
	}
	content, err := a.download(ctx, f.URL, most)
	if err != nil {
		a.log.Warn("a file of a question cannot be read", "error", err)
		return at, "it cannot be read"
	}
	if images[kind] {
		at.MediaType, at.Data = kind, content
		return at, ""
	}
	return a.extract(ctx, at, kind, content)
}

// extract makes text of a file.
func (a *app) extract(ctx context.Context, at core.Attachment, kind string, content []byte) (core.Attachment, string) {
	switch {
	case isPlain(kind, at.Name) && utf8.Valid(content):
		at.Text = string(content)
	case a.opts.Extract == nil:
		return at, "files of this kind are not read"
	default:
		text, err := a.opts.Extract.Extract(ctx, at.Name, kind, content)
		if err != nil {
			a.log.Warn("a file of a question cannot be turned into text", "media_type", kind, "error", err)
			return at, "no text can be made of it"
		}
		at.Text = text
	}
	if strings.TrimSpace(at.Text) == "" {
		return at, "it holds no text"
	}
	at.Text = cut(at.Text, mostFileText)
	return at, ""
}

// isPlain tells that a file is text as it is. Discord gives small text files no
// type at times, so some names do.
func isPlain(kind, name string) bool {
	if kind == "" {
		switch strings.ToLower(path.Ext(name)) {
		case ".txt", ".md", ".csv", ".log", ".json", ".yaml", ".yml", ".go", ".py", ".js", ".ts", ".sql", ".sh":
			return true
		}
	}
	return strings.HasPrefix(kind, "text/") && kind != "text/html" || kind == "application/json"
}

// download reads a file from where Discord keeps them, and from nowhere else.
func (a *app) download(ctx context.Context, address string, most int) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, core.Errorf(core.KindInvalid, "the file has no address")
	}
	own := a.files.api != nil && u.Host == a.files.api.Host
	known := u.Scheme == "https" && (u.Host == "cdn.discordapp.com" || u.Host == "media.discordapp.net")
	if !own && !known {
		return nil, core.Errorf(core.KindInvalid, "the file is not kept on Discord")
	}
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := a.files.next.RoundTrip(req) // follows no redirect, sends no token
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, core.Errorf(core.KindUnavailable, "the file server answers %s", resp.Status)
	}
	content, err := io.ReadAll(io.LimitReader(resp.Body, int64(most)+1))
	if err == nil && len(content) > most {
		err = core.Errorf(core.KindTooLarge, "the file is larger than it said")
	}
	return content, err
}
