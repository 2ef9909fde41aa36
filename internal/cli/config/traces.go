package config

import (
	"net/url"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// Traces is where OpenTelemetry traces go.
type Traces struct {
	Endpoint string `yaml:"endpoint" help:"address of a collector that takes OTLP over HTTP, such as http://localhost:4318; without it none are sent"`
	Headers  string `yaml:"headers" secret:"true" help:"what the collector wants with each request, as name=value,name=value"`
	Service  string `yaml:"service" help:"the name that the traces bear; footnote if not set"`
}

// ServiceName is the name that the traces bear.
func (t Traces) ServiceName() string {
	if t.Service == "" {
		return "footnote"
	}
	return t.Service
}

// HeaderList reads the headers. Values may be written as in a URL, with %2C for a comma.
// Errors are of kind config and do not quote a value.
func (t Traces) HeaderList() (map[string]string, error) {
	if strings.TrimSpace(t.Headers) == "" {
		return nil, nil
	}
	out := map[string]string{}
	for n, pair := range strings.Split(t.Headers, ",") {
		name, raw, ok := strings.Cut(strings.TrimSpace(pair), "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(raw))
		if !ok || err != nil || !headerName(name) || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return nil, core.Errorf(core.KindConfig, "traces.headers: number %d is not name=value", n+1)
		}
		out[name] = value
	}
	return out, nil
}

func headerName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
}

func (c *Config) validateTraces() error {
	if c.Traces.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(c.Traces.Endpoint)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Scheme != "http" && u.Scheme != "https" {
		return core.Errorf(core.KindConfig, "%s: traces.endpoint: this is no address of a collector; write one like http://localhost:4318, and what it asks for into traces.headers", c.File)
	}
	_, err = c.Traces.HeaderList()
	return err
}
