package web

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/temoto/robotstxt"
)

// maxRobots is how much of a robots.txt counts, as RFC 9309 has it.
const maxRobots = 512 << 10

// rules are what one host asks of crawlers.
type rules struct {
	group    *robotstxt.Group // nil allows all
	sitemaps []string
}

// allow tells whether an address may be read.
func (r *rules) allow(u *url.URL) bool {
	if r.group == nil {
		return true
	}
	p := u.EscapedPath()
	if u.RawQuery != "" {
		p += "?" + u.RawQuery
	}
	return r.group.Test(p)
}

// robots reads the robots.txt of an address's host. One that is not there allows all;
// one that cannot be had now is an error, for then nothing may be read.
func (c *client) robots(ctx context.Context, u *url.URL) (*rules, error) {
	a, err := c.follow(ctx, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}, c.time)
	if err != nil {
		return nil, fmt.Errorf("without its robots.txt nothing of %s may be read: %w", u.Host, err)
	}
	defer a.Body.Close()
	if a.StatusCode >= 300 {
		return &rules{}, nil
	}
	text, err := io.ReadAll(io.LimitReader(a.Body, maxRobots))
	if err != nil {
		return nil, fmt.Errorf("the robots.txt of %s broke off: %w", u.Host, bare(err))
	}
	r := parseRobots(text)
	if r.group != nil {
		c.slower(u.Host, r.group.CrawlDelay)
	}
	return r, nil
}

// parseRobots reads what can be understood. Lines are cleaned first: the parser gives
// up a file for one bad line, and takes a group that forbids nothing for a part of the
// next one.
func parseRobots(text []byte) *rules {
	var clean bytes.Buffer
	begun := false
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))))
	lines.Buffer(nil, maxRobots+64) // a long line must not hide the rules after it
	for lines.Scan() {
		line, _, _ := strings.Cut(strings.ToValidUTF8(lines.Text(), ""), "#")
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		if !ok || strings.ContainsAny(value, " \t") && name != "user-agent" {
			continue
		}
		switch name {
		case "user-agent", "useragent":
			begun = begun || value != ""
		case "disallow", "allow":
			if value == "" && name == "disallow" {
				name, value = "allow", "/"
			}
			if !begun || value == "" {
				continue
			}
		case "crawl-delay":
			if seconds, err := strconv.ParseFloat(value, 64); err != nil || !begun || !(seconds >= 0 && seconds < 1e6) {
				continue
			}
		case "sitemap":
		default:
			continue
		}
		fmt.Fprintf(&clean, "%s: %s\n", name, value)
	}
	data, err := robotstxt.FromBytes(clean.Bytes())
	if err != nil {
		return &rules{}
	}
	return &rules{group: data.FindGroup(agent), sitemaps: data.Sitemaps}
}
