package agent

import (
	"mime"
	"net/url"
	"path"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// opens is the address that opens a document at the passage, as it may be shown:
// at its page in a PDF, at its heading in an HTML page. An address with a fragment of its own
// and all other kinds of document stay as they are.
func opens(d core.Document, p core.Passage) string {
	d.URL = core.ShareableURL(d.URL)
	u, err := url.Parse(d.URL)
	if err != nil || d.URL == "" || strings.Contains(d.URL, "#") {
		return d.URL
	}
	switch kind := kindOf(d, p, u); {
	case kind == "application/pdf" && p.Page > 0:
		return d.URL + "#page=" + itoa(p.Page)
	case (kind == "text/html" || kind == "application/xhtml+xml") && p.Anchor != "":
		return d.URL + (&url.URL{Fragment: p.Anchor}).String()
	}
	return d.URL
}

// kindOf is the media type of what the address opens: that of the document, of
// its only file, or what the address's ending says.
func kindOf(d core.Document, p core.Passage, u *url.URL) string {
	stated := d.MediaType
	if len(d.Files) == 1 && (stated == "" || p.Page > 0) {
		stated = d.Files[0].MediaType // only a file has pages
	}
	if kind, _, err := mime.ParseMediaType(stated); err == nil && kind != "application/octet-stream" {
		return kind
	}
	switch strings.ToLower(path.Ext(u.Path)) {
	case ".pdf":
		return "application/pdf"
	case ".html", ".htm", ".xhtml":
		return "text/html"
	}
	return ""
}
