package cite

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// markdownLink is the default dialect.
func markdownLink(display int, url string) string {
	return "[[" + strconv.Itoa(display) + "]](" + url + ")"
}

// render writes one citation as its source may be shown.
func (o Options) render(display int, s Source) string {
	if s.Show == core.ShowLink {
		if url, ok := linkURL(s.URL, o.Schemes); ok {
			return o.Link(display, url)
		}
	}
	return "[" + strconv.Itoa(display) + "]"
}

// linkURL makes a URL safe inside the parentheses of a Markdown link. ok is
// false if it may not become a link.
func linkURL(url string, schemes []string) (safe string, ok bool) {
	url = strings.TrimSpace(url)
	scheme, rest, found := strings.Cut(url, ":")
	if !found || !allowed(scheme, schemes) || !hasAddress(rest) {
		return "", false
	}
	var b strings.Builder
	for i := range len(url) {
		if c := url[i]; c <= ' ' || c == 0x7f || strings.IndexByte("()<>\"\\`", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

func allowed(scheme string, schemes []string) bool {
	for _, s := range schemes {
		if strings.EqualFold(s, scheme) {
			return true
		}
	}
	return false
}

// hasAddress reports whether anything stands after the scheme.
func hasAddress(rest string) bool { return strings.Trim(rest, "/") != "" }
