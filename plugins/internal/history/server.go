package history

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ParseServer reads the address of a server with the system's API; usual is the one
// that counts where none is given.
func ParseServer(address, usual string) (*url.URL, error) {
	if address == "" {
		address = usual
	}
	u, err := url.Parse(strings.TrimSuffix(strings.TrimSuffix(address, "/"), "/api"))
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%q is not an address such as %s", address, usual)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("it may hold nothing but the server's address")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, errors.New("it has to begin with https://: the token would be readable on its way")
	}
	return u, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Wire is a transport with time limits on connecting and on waiting for an answer to
// begin.
func Wire() *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
		DialContext:         (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: 15 * time.Second, ResponseHeaderTimeout: time.Minute, MaxIdleConnsPerHost: 8, IdleConnTimeout: 90 * time.Second,
	}
}
