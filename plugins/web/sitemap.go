package web

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html/charset"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Limits on sitemaps. Their own specification allows 50 MB and 50,000 addresses to
// one, and more are in use.
const (
	mostSitemaps   = 1000
	sitemapLevels  = 3
	maxSitemap     = 256 << 20 // bytes, unpacked
	maxSitemapSent = 64 << 20  // bytes as they come, packed or not
)

// sitemaps reads sitemaps as they come in.
type sitemaps struct {
	web  *client
	seen map[string]bool
	each func(address string)
	note func(text string)
}

// read reads one and those that it names. What is wrong with it is noted and costs
// what stands behind the mistake; an error means that the host cannot be asked now.
func (m *sitemaps) read(ctx context.Context, address string, level int) error {
	u, err := parseAddress(address)
	if err != nil {
		m.note(fmt.Sprintf("the sitemap %s is left out: %v", clip(address, 200), err))
		return nil
	}
	u.Host, u.Fragment = hostOf(u), ""
	if m.seen[u.String()] {
		return nil
	}
	if len(m.seen) >= mostSitemaps {
		if len(m.seen) == mostSitemaps {
			m.seen["…"] = true
			m.note(fmt.Sprintf("there are more than %d sitemaps: the others are left out", mostSitemaps))
		}
		return nil
	}
	m.seen[u.String()] = true
	a, err := m.web.follow(ctx, u, fileTime)
	if err != nil {
		if ctx.Err() != nil || sdk.KindOf(err) == "busy" {
			return err
		}
		m.note(fmt.Sprintf("the sitemap %s is left out: %v", show(u), err))
		return nil
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		m.note(fmt.Sprintf("the sitemap %s is left out: the server answered %d", show(u), a.StatusCode))
		return nil
	}
	inner, err := m.parse(a.Body)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		m.note(fmt.Sprintf("the sitemap %s was read up to a mistake: %v", show(u), bare(err)))
	}
	if len(inner) > 0 && level >= sitemapLevels {
		m.note(fmt.Sprintf("the sitemap %s names others, too deep to be read", show(u)))
		return nil
	}
	for _, next := range inner {
		if err := m.read(ctx, next, level+1); err != nil {
			return err
		}
	}
	return nil
}

// parse hands out addresses while they are read, and returns the sitemaps that are
// named.
func (m *sitemaps) parse(r io.Reader) ([]string, error) {
	in := bufio.NewReader(&capped{r, maxSitemapSent})
	if head, _ := in.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReader(&capped{unpacked, maxSitemap})
	}
	for {
		head, err := in.Peek(1)
		switch {
		case err == io.EOF:
			return nil, errors.New("it is empty")
		case err != nil:
			return nil, err
		case head[0] == '<':
			return m.parseXML(in)
		case strings.IndexByte(" \t\r\n\xEF\xBB\xBF", head[0]) < 0:
			return nil, m.parseLines(in)
		}
		_, _ = in.Discard(1) // it was peeked at
	}
}

func (m *sitemaps) parseLines(in io.Reader) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if address := strings.TrimSpace(lines.Text()); strings.Contains(address, "://") {
			m.each(address)
		}
	}
	return lines.Err()
}

func (m *sitemaps) parseXML(in io.Reader) (inner []string, err error) {
	decoder := xml.NewDecoder(in)
	decoder.CharsetReader, decoder.Strict = charset.NewReaderLabel, false
	kind := "" // of the entry around
	for {
		token, err := decoder.RawToken()
		if err == io.EOF {
			return inner, nil
		}
		if err != nil {
			return inner, err
		}
		begin, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch name := strings.ToLower(begin.Name.Local); name {
		case "url", "sitemap":
			kind = name
		case "html":
			return nil, errors.New("it is a page and no sitemap")
		case "loc":
			if begin.Name.Space != "" && begin.Name.Space != "sm" {
				continue // of a picture or a video
			}
			address, err := locOf(decoder)
			if err != nil {
				return inner, err
			}
			if kind == "sitemap" && len(inner) < mostSitemaps {
				inner = append(inner, address)
			} else if kind == "url" {
				m.each(address)
			}
		}
	}
}

// locOf is the text up to the next tag.
func locOf(decoder *xml.Decoder) (string, error) {
	var text strings.Builder
	for {
		token, err := decoder.RawToken()
		if err != nil {
			return "", err
		}
		data, ok := token.(xml.CharData)
		if !ok {
			return strings.TrimSpace(text.String()), nil
		}
		if text.Len()+len(data) > 4*maxAddress {
			return "", errors.New("an address in it has no end")
		}
		text.Write(data)
	}
}

// capped fails where more comes than may.
type capped struct {
	io.Reader
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errTooMuch
	}
	n, err := c.Reader.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

var errTooMuch = errors.New("it is larger than what is read")

// robotsSitemaps resolves the sitemaps that a robots.txt names.
func robotsSitemaps(host *url.URL, list []string) []string {
	var out []string
	for _, written := range list {
		if ref, err := url.Parse(written); err == nil {
			out = append(out, host.ResolveReference(ref).String())
		}
	}
	return out
}

func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
