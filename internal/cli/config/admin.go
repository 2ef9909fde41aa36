package config

import (
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Admin is the pages for those who run Footnote.
type Admin struct {
	Listen string `yaml:"listen" help:"address and port of the admin pages and of /metrics; 127.0.0.1:8081 if not set, off for none"`
	URL    string `yaml:"url" help:"https address under which a proxy shows the admin pages; only this machine reaches them if not set"`
}

const (
	// DefaultAdminListen is where the admin pages are if nothing is set.
	DefaultAdminListen = "127.0.0.1:8081"
	// AdminOff as the address means that there are no admin pages.
	AdminOff = "off"
)

// Outside is the address of the proxy, nil if only this machine reaches the pages.
// Errors are of kind config: an address that is no https one, and listening for other
// machines without one, as a password in the clear would be.
func (a Admin) Outside() (*url.URL, error) {
	if a.URL == "" {
		if a.Listen != "" && a.Listen != AdminOff && !loopback(a.Listen) {
			return nil, core.Errorf(core.KindConfig,
				"admin.listen: %s lets other machines reach the admin pages; put a proxy with TLS in front and give its address as admin.url, or listen on %s", a.Listen, DefaultAdminListen)
		}
		return nil, nil
	}
	u, err := url.Parse(a.URL)
	if err != nil || u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" {
		return nil, core.Errorf(core.KindConfig, "admin.url: %q is no address such as https://footnote.example.com", a.URL)
	}
	return u, nil
}

func loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return true // what is wrong with it shows when it is opened
	}
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Digest is the regular word on what the documents do not tell.
type Digest struct {
	Place string        `yaml:"place" help:"the channel that gets it, such as slack:T1/C1"`
	File  string        `yaml:"file" help:"the file that it is written to, as text for a mail"`
	Every time.Duration `yaml:"every" help:"how often; 168h, a week, if not set"`
}

// Week is how often a digest is made where nothing is set.
const Week = 7 * 24 * time.Hour
