package cli

import (
	"log/slog"
	"testing"

	"github.com/footnote-bot/footnote/internal/cli/config"
)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// mustConfig is the configuration that the user's commands see.
func mustConfig(t testing.TB, u *user) config.Config {
	t.Helper()
	cfg, err := u.invocation(nil, nil, nil).config()
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}
