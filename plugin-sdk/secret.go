package sdk

import "log/slog"

// Secret is a configuration value that must not be shown: it prints as dots in
// every format, in logs and in JSON. Convert it to string to use it.
type Secret string

const dots = "••••"

// String returns dots.
func (Secret) String() string { return dots }

// GoString returns dots, for %#v.
func (Secret) GoString() string { return dots }

// LogValue returns dots, for slog.
func (Secret) LogValue() slog.Value { return slog.StringValue(dots) }

// MarshalJSON writes dots.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + dots + `"`), nil }
