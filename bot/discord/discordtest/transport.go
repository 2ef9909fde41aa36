package discordtest

import (
	"fmt"
	"net/http"
	"strings"
)

// Transport sends requests for discord.com/api and for Discord's file hosts to
// this server, for http.Client{Transport: srv.Transport()} on a
// discordgo.Session. The gateway needs nothing: its address comes from
// GET /gateway. A request for any other host fails, so that a test cannot reach
// the network.
func (s *Server) Transport() http.RoundTripper {
	return &transport{host: s.listener.Addr().String(), next: &http.Transport{DisableKeepAlives: true}}
}

type transport struct {
	host string
	next http.RoundTripper
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	switch host := r.URL.Hostname(); {
	case r.URL.Host == t.host:
		return t.next.RoundTrip(r)
	case host == "discord.com" && strings.HasPrefix(r.URL.Path, "/api/"), host == "cdn.discordapp.com", host == "media.discordapp.net":
	default:
		return nil, fmt.Errorf("discordtest: a request for %s %s would leave the test; only discord.com/api and cdn.discordapp.com are served", r.Method, r.URL.Redacted())
	}
	clone := r.Clone(r.Context())
	clone.URL.Scheme, clone.URL.Host, clone.Host = "http", t.host, t.host
	return t.next.RoundTrip(clone)
}
