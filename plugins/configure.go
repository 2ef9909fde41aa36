package plugins

import (
	"context"
	"encoding/json"
	"log/slog"

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
	c.process.stderr.hide(worthHiding(secrets))
	ctx, cancel := context.WithTimeout(ctx, c.host.opts.CallTimeout)
	defer cancel()
	_, err = c.process.client.Configure(ctx, &wire.ConfigureRequest{
		Config: config, Secrets: secrets, DataDir: dir, Source: c.src.Name, LogLevel: logLevel(ctx, c.log),
	})
	if err != nil {
		return c.explain(ctx, "configuring", err)
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

// worthHiding leaves out values so short that hiding them would only garble
// every text.
func worthHiding(secrets map[string]string) []string {
	var out []string
	for _, value := range secrets {
		if len(value) >= 4 {
			out = append(out, value)
		}
	}
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
