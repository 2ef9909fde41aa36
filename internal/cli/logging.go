package cli

import (
	"log/slog"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// logger makes the logger that the flags ask for. It writes to standard error.
func (inv *invocation) logger() (*slog.Logger, error) {
	level := slog.LevelError // a command says itself what went wrong
	if len(inv.Args) > 0 && inv.Args[0] == "serve" {
		level = slog.LevelWarn
	}
	if err := level.UnmarshalText([]byte(inv.flags.logLevel)); inv.flags.logLevel != "" && err != nil {
		return nil, badChoice("--log-level", inv.flags.logLevel, "debug", "info", "warn", "error")
	}
	inv.level = &slog.LevelVar{}
	inv.level.Set(level)
	opts := &slog.HandlerOptions{Level: inv.level}
	switch inv.flags.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(inv.streams.Err, opts)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(inv.streams.Err, opts)), nil
	}
	return nil, badChoice("--log-format", inv.flags.logFormat, "text", "json")
}

func badChoice(flag, got string, choices ...string) error {
	hint := "choose one of " + strings.Join(choices, ", ")
	if near := config.Nearest(got, choices); near != "" {
		hint = "did you mean " + near + "?"
	}
	return core.Errorf(core.KindUsage, "%s: %q is not known; %s", flag, got, hint)
}
