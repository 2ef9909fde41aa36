package files

import (
	"fmt"
	"strconv"
	"strings"
)

// Size is a number of bytes, written as 1048576, 500KB or 20MiB.
type Size int64

var units = []struct {
	suffix string
	bytes  int64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"b", 1},
}

// UnmarshalText reads a size of at least one byte.
func (s *Size) UnmarshalText(text []byte) error {
	number, unit := strings.ToLower(strings.TrimSpace(string(text))), int64(1)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(number, u.suffix); ok {
			number, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if bytes := n * float64(unit); err == nil && bytes >= 1 && bytes < 1<<62 {
		*s = Size(bytes)
		return nil
	}
	return fmt.Errorf("%q is not a size: write one such as 500KB or 20MiB", text)
}

// String writes the size for people.
func (s Size) String() string {
	switch {
	case s >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(s)/(1<<30))
	case s >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(s)/(1<<20))
	case s >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(s)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", int64(s))
}
