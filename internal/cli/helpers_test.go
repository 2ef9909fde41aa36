package cli

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/internal/cli/config"
)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// eventually waits for what another goroutine or process does.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it does not come to pass: %s", what)
		}
	}
}

// lately tells whether something happened just now, on a machine that may be slow.
func lately(out string) bool {
	return strings.Contains(out, "just now") || strings.Contains(out, " min ago")
}

// mustConfig is the configuration that the user's commands see.
func mustConfig(t testing.TB, u *user) config.Config {
	t.Helper()
	cfg, err := u.invocation(nil, nil, nil).config()
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}
