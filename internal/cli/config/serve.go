package config

import (
	"log/slog"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Serve is how footnote serve runs.
type Serve struct {
	StopAfter time.Duration `yaml:"stop_after" help:"how long running answers may go on once it is told to stop; 20s if not set"`
	Syncs     int           `yaml:"syncs" help:"how many sources are read at the same time; 3 if not set"`
}

// Limits of Serve.
const (
	defaultStopAfter = 20 * time.Second
	longestStopAfter = 10 * time.Minute
	mostSyncs        = 32
)

// Patience is how long running answers may go on.
func (s Serve) Patience() time.Duration {
	if s.StopAfter == 0 {
		return defaultStopAfter
	}
	return s.StopAfter
}

func (c *Config) validateServe() error {
	switch {
	case c.Serve.StopAfter < 0 || c.Serve.StopAfter > longestStopAfter:
		return core.Errorf(core.KindConfig, "%s: serve.stop_after: %s is not a time up to %s", c.File, c.Serve.StopAfter, longestStopAfter)
	case c.Serve.Syncs < 0 || c.Serve.Syncs > mostSyncs:
		return core.Errorf(core.KindConfig, "%s: serve.syncs: %d is not a number up to %d", c.File, c.Serve.Syncs, mostSyncs)
	}
	var level slog.Level
	if c.LogLevel != "" && level.UnmarshalText([]byte(c.LogLevel)) != nil {
		return core.Errorf(core.KindConfig, "%s: log_level: %q is none of debug, info, warn and error", c.File, c.LogLevel)
	}
	for i, s := range c.Sources {
		for key, d := range map[string]time.Duration{"every": s.Every, "prune_every": s.PruneEvery, "access_every": s.AccessEvery, "fresh_within": s.FreshWithin} {
			if d < 0 {
				return core.Errorf(core.KindConfig, "%s, line %d: sources[%d]: %s: %s is negative", c.File, s.Line, i, key, d)
			}
		}
	}
	return nil
}
