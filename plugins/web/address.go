package web

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxAddress is how many bytes an address may have: it is the id of its document.
const maxAddress = 1000

// scope decides which addresses belong to the site.
type scope struct {
	starts  []*url.URL // in the form of normal
	bases   []string   // the folder of each
	include []string
	exclude []string
	named   map[string]bool // keys of the starts
}

// begin adds an address where reading begins.
func (s *scope) begin(written string) error {
	u, err := parseAddress(written)
	if err != nil {
		return err
	}
	u = s.normal(u)
	s.starts, s.bases, s.named[keyOf(u.String())] = append(s.starts, u), append(s.bases, folderOf(u.Path)), true
	return nil
}

func parseAddress(written string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(written))
	switch {
	case err != nil, u.Host == "", u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%q is not an address such as https://docs.example.com", written)
	case u.User != nil:
		return nil, errors.New("it may hold no user and password: write authorization for that")
	case len(written) > maxAddress:
		return nil, fmt.Errorf("an address may have %d bytes at most", maxAddress)
	}
	return u, nil
}

// folderOf is what lies below a start: the folder of a file, or the path itself.
func folderOf(p string) string {
	if path.Ext(p) != "" {
		p = path.Dir(p)
	}
	return strings.TrimSuffix(p, "/")
}

// tracking are parameters that say where a visitor came from, or who it is, and not
// which page it is.
var tracking = set("gclid gclsrc dclid gbraid wbraid fbclid msclkid twclid yclid igshid mc_cid mc_eid _ga _gl _hsenc _hsmi hsctatracking " +
	"mkt_tok ref_src phpsessid jsessionid aspsessionid sessionid session_id oly_anon_id oly_enc_id vero_id wickedid")

func set(words string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		out[word] = true
	}
	return out
}

// normal writes an address so that the same page has the same address: without a
// fragment, tracking parameters and session ids, with the parameters sorted, and with
// the scheme that the site was configured with.
func (s *scope) normal(in *url.URL) *url.URL {
	u := *in
	u.Scheme, u.Host = strings.ToLower(u.Scheme), hostOf(&u)
	u.User, u.Fragment, u.RawFragment, u.Opaque, u.ForceQuery = nil, "", "", "", false
	for _, start := range s.starts {
		if start.Host == u.Host {
			u.Scheme = start.Scheme
			break
		}
	}
	if i := strings.Index(strings.ToLower(u.Path), ";jsessionid="); i >= 0 {
		u.Path, u.RawPath = u.Path[:i], ""
	}
	if !strings.Contains(strings.ToLower(u.RawPath), "%2f") {
		u.RawPath = "" // the same path in the usual writing
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = normalQuery(u.RawQuery)
	return u.ResolveReference(&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}) // without dots
}

// hostOf is the host in small letters, with its port where that is not the usual one.
func hostOf(u *url.URL) string {
	host, port := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	if port == "" || u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		if strings.Contains(host, ":") {
			return "[" + host + "]"
		}
		return host
	}
	return net.JoinHostPort(host, port)
}

func normalQuery(raw string) string {
	if raw == "" {
		return ""
	}
	parts := strings.Split(raw, "&")
	parts = slices.DeleteFunc(parts, func(part string) bool {
		name, _, _ := strings.Cut(strings.ToLower(part), "=")
		return part == "" || tracking[name] || strings.HasPrefix(name, "utm_") || strings.HasPrefix(name, "pk_") || strings.HasPrefix(name, "mtm_")
	})
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), "&")
}

// keyOf names a page by its address in the form of normal: a slash at the end makes
// no other page.
func keyOf(address string) string {
	address, query, asked := strings.Cut(address, "?")
	if strings.Count(address, "/") > 3 {
		address = strings.TrimRight(address, "/")
	}
	if asked {
		return address + "?" + query
	}
	return address
}

// site tells whether an address in the form of normal belongs to what is read,
// whatever the globs say.
func (s *scope) site(u *url.URL) bool {
	if len(u.String()) > maxAddress {
		return false
	}
	for i, start := range s.starts {
		if start.Host == u.Host && (u.Path == s.bases[i] || strings.HasPrefix(u.Path, s.bases[i]+"/")) {
			return true
		}
	}
	return s.named[keyOf(u.String())]
}

// reads tells whether a page may become a document. One where reading begins is
// looked at for its links even if it may not.
func (s *scope) reads(u *url.URL) bool {
	if !s.site(u) || matches(s.exclude, u.Path) {
		return false
	}
	return len(s.include) == 0 || matches(s.include, u.Path)
}

func (s *scope) visits(u *url.URL) bool { return s.reads(u) || s.named[keyOf(u.String())] }

// parse reads a link on a page; nil is no page of the site that may be read.
func (s *scope) parse(base *url.URL, link string) *url.URL {
	ref, err := url.Parse(strings.TrimSpace(link))
	if err != nil {
		return nil
	}
	u := base.ResolveReference(ref)
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil
	}
	if u = s.normal(u); !s.visits(u) || skipped[extension(u.Path)] {
		return nil
	}
	return u
}

// rooted writes globs of paths with the slash that paths begin with.
func rooted(globs []string) []string {
	out := make([]string, len(globs))
	for i, glob := range globs {
		if out[i] = glob; !strings.HasPrefix(glob, "/") && !strings.HasPrefix(glob, "**") {
			out[i] = "/" + glob
		}
	}
	return out
}

func matches(globs []string, p string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		return doublestar.MatchUnvalidated(glob, p) || doublestar.MatchUnvalidated(glob, strings.TrimSuffix(p, "/"))
	})
}
