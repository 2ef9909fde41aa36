package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// guard keeps the crawler from addresses that are not public: a page, a redirect or
// a name server must not lead it into the network of whoever runs it. It looks at the
// address that is dialled, after names were resolved.
type guard struct {
	hosts    map[string]bool
	networks []netip.Prefix
	instead  map[string]string // what is dialled in place of a host and port
}

func newGuard(allowed []string) (*guard, error) {
	g := &guard{hosts: map[string]bool{}}
	for _, written := range allowed {
		text := strings.ToLower(strings.Trim(strings.TrimSpace(written), "[]"))
		if network, err := netip.ParsePrefix(text); err == nil {
			g.networks = append(g.networks, network.Masked())
			continue
		}
		if address, err := netip.ParseAddr(text); err == nil {
			address = address.Unmap()
			g.networks = append(g.networks, netip.PrefixFrom(address, address.BitLen()))
			continue
		}
		if text == "" || strings.ContainsAny(text, "/:*@ ") {
			return nil, fmt.Errorf("%q is not a host, an address or a network such as 10.1.0.0/16", written)
		}
		g.hosts[text] = true
	}
	return g, nil
}

// privateError says that an address may not be read.
type privateError struct {
	host    string
	address netip.Addr
}

func (e *privateError) Error() string {
	if e.host == e.address.String() {
		return fmt.Sprintf("%s is not a public address; name it under allow_private if it is to be read", e.host)
	}
	return fmt.Sprintf("%s leads to %s, which is not a public address; name it under allow_private if it is to be read", e.host, e.address)
}

// check tells whether an address may be dialled for a host.
func (g *guard) check(host string, address netip.Addr) error {
	address = address.WithZone("").Unmap()
	for _, network := range g.networks {
		if network.Contains(address) {
			return nil
		}
	}
	inner := embedded(address)
	switch {
	case reserved(address), reserved(inner):
		// Addresses of machines' own secrets are opened by no name.
		if g.hosts[host] && !inner.IsLinkLocalUnicast() && !address.IsLinkLocalUnicast() && address != metadata {
			return nil
		}
		return &privateError{host, address}
	}
	return nil
}

var metadata = netip.MustParseAddr("fd00:ec2::254") // of one cloud; the others' are link-local

// notPublic are the networks of the IANA registries of special addresses that no
// public site has.
var notPublic = prefixes("0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 " +
	"192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 " +
	"::/127 64:ff9b:1::/48 100::/64 2001:db8::/32 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8")

func prefixes(list string) []netip.Prefix {
	var out []netip.Prefix
	for text := range strings.FieldsSeq(list) {
		out = append(out, netip.MustParsePrefix(text))
	}
	return out
}

func reserved(address netip.Addr) bool {
	for _, network := range notPublic {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// embedded is the IPv4 address that an address of a tunnel or translator leads to,
// else the address itself.
func embedded(address netip.Addr) netip.Addr {
	b := address.As16()
	v4 := func(at int) netip.Addr { return netip.AddrFrom4([4]byte(b[at : at+4])) }
	switch {
	case !address.Is6():
		return address
	case netip.MustParsePrefix("64:ff9b::/96").Contains(address), netip.MustParsePrefix("::/96").Contains(address):
		return v4(12)
	case netip.MustParsePrefix("2002::/16").Contains(address):
		return v4(2)
	case netip.MustParsePrefix("2001::/32").Contains(address): // Teredo keeps it inverted
		for i := 12; i < 16; i++ {
			b[i] = ^b[i]
		}
		return v4(12)
	}
	return address
}

// dialled is the host and port that an address stands for.
func dialled(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// dial connects to a host, to those of its addresses that may be reached.
func (g *guard) dial(ctx context.Context, network, target string) (net.Conn, error) {
	if other := g.instead[strings.ToLower(target)]; other != "" {
		target = other
	}
	host, _, err := net.SplitHostPort(target)
	if err != nil {
		return nil, err
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	dialer := net.Dialer{Timeout: 15 * time.Second, Control: func(_, dialled string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(dialled)
		if err != nil {
			return fmt.Errorf("the address %q cannot be judged: %w", dialled, err)
		}
		return g.check(host, at.Addr())
	}}
	conn, err := dialer.DialContext(ctx, network, target)
	var private *privateError
	if errors.As(err, &private) {
		return nil, private
	}
	return conn, err
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.Unmap().IsLoopback()
}
