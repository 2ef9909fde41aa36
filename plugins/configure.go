package plugins

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/url"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// configure sends the source's configuration, with the secrets apart, and makes
// sure that no secret is ever repeated in an error or a log line.
func (c *Connection) configure(ctx context.Context, dir string) error {
	config, secrets, err := splitSecrets(c.src.Config, c.about.Schema)
	if err != nil {
		return core.Errorf(core.KindConfig, "source %q: the configuration is not a JSON object: %w", c.src.Name, err)
	}
	for _, value := range secrets {
		c.process.stderr.hide(shapes(value))
	}
	token, err := c.firstToken(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.host.opts.CallTimeout)
	defer cancel()
	_, err = c.process.client.Configure(ctx, &wire.ConfigureRequest{
		Config: config, Secrets: secrets, DataDir: dir, Source: c.src.Name, LogLevel: logLevel(ctx, c.log),
		Token: toToken(token), Features: []string{wire.FeatureRenew},
	})
	if err != nil {
		return c.explain(ctx, "configuring", err)
	}
	if c.renewable() {
		c.process.beside.Go(func() { c.keepFresh(token) })
	}
	return nil
}

// splitSecrets takes the fields that the schema marks writeOnly out of the
// config. A secret that is not text stays, for the connector to complain about.
func splitSecrets(config, schema json.RawMessage) (json.RawMessage, map[string]string, error) {
	if len(config) == 0 {
		return json.RawMessage("{}"), nil, nil
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(config, &values); err != nil {
		return nil, nil, err
	}
	var described struct {
		Properties map[string]struct {
			WriteOnly bool `json:"writeOnly"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(schema, &described); err != nil {
		return nil, nil, err
	}
	secrets := map[string]string{}
	for name, property := range described.Properties {
		var text string
		if property.WriteOnly && len(values[name]) > 0 && json.Unmarshal(values[name], &text) == nil {
			secrets[name] = text
			delete(values, name)
		}
	}
	rest, err := json.Marshal(values)
	return rest, secrets, err
}

// shapes lists the ways in which a secret may stand in a text: as it is, as in an
// address, as inside JSON, and line by line. Values so short that hiding them
// would only garble every text are left out.
func shapes(secret string) []string {
	var out []string
	add := func(text string, least int) {
		if len(text) >= least && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	inJSON, _ := json.Marshal(secret) // a string is always written
	add(secret, 4)
	add(strings.Trim(string(inJSON), `"`), 4)
	add(url.QueryEscape(secret), 4)
	add(url.PathEscape(secret), 4)
	if strings.Contains(secret, "\n") {
		for line := range strings.Lines(secret) {
			add(strings.TrimSpace(line), 16)
		}
	}
	// The longest first: a part must not spoil the whole.
	slices.SortFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

func logLevel(ctx context.Context, log *slog.Logger) string {
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn} {
		if log.Enabled(ctx, level) {
			return level.String()
		}
	}
	return slog.LevelError.String()
}
