package plugins

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"
)

const (
	tailSize = 16 << 10 // bytes of stderr kept for error reports
	lineSize = 64 << 10 // bytes of one line that are looked at
)

// stderr takes what a connector writes on its standard error: the last 16 KiB
// are kept for error reports, and lines that are slog JSON go to the host's log.
type stderr struct {
	log *slog.Logger

	mu      sync.Mutex
	tail    []byte
	cut     bool // the tail has lost its beginning
	line    []byte
	secrets []string
	fatal   string // the last sentence that tells why the connector stopped
}

// Write never fails: it must not stop the connector.
func (s *stderr) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tail = append(s.tail, p...)
	if over := len(s.tail) - tailSize; over > 0 {
		s.tail, s.cut = slices.Delete(s.tail, 0, over), true
	}
	for rest := p; len(rest) > 0; {
		head, after, whole := bytes.Cut(rest, []byte("\n"))
		if room := lineSize - len(s.line); room > 0 {
			s.line = append(s.line, head[:min(room, len(head))]...)
		}
		if whole {
			s.endLine()
		}
		rest = after
	}
	return len(p), nil
}

func (s *stderr) endLine() {
	line := strings.TrimSpace(s.scrub(string(s.line)))
	s.line = s.line[:0]
	if line == "" {
		return
	}
	if record, ok := parseRecord(line); ok {
		if record.why != "" {
			s.fatal = record.why
		}
		s.log.LogAttrs(context.Background(), record.level, record.message, record.attrs...)
		return
	}
	if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
		s.fatal = line
	}
	s.log.Debug("connector output", "line", line)
}

// hide makes the values unreadable in all that is said of this process from now on.
func (s *stderr) hide(secrets []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range secrets {
		if !slices.Contains(s.secrets, secret) {
			s.secrets = append(s.secrets, secret)
		}
	}
}

// clean takes the known secrets out of a text.
func (s *stderr) clean(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scrub(text)
}

func (s *stderr) scrub(text string) string {
	for _, secret := range s.secrets {
		text = strings.ReplaceAll(text, secret, "••••")
	}
	return text
}

// last returns the kept output and the sentence that tells why the process
// ended, both without secrets; why is "" if it did not say.
func (s *stderr) last() (tail, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := string(s.tail)
	if s.cut {
		kept = kept[s.halfSecret(kept):]
	}
	return strings.ToValidUTF8(s.scrub(kept), "\uFFFD"), s.scrub(s.fatal)
}

// halfSecret is how many bytes at the beginning of a text that was cut are the
// rest of a secret.
func (s *stderr) halfSecret(text string) int {
	longest := 0
	for _, secret := range s.secrets {
		for n := len(secret) - 1; n > longest; n-- {
			if strings.HasPrefix(text, secret[len(secret)-n:]) {
				longest = n
			}
		}
	}
	return longest
}

type record struct {
	level   slog.Level
	message string
	attrs   []slog.Attr
	why     string // for the SDK's own report of a failed start or a panic
}

// parseRecord reads one line of slog's JSON handler.
func parseRecord(line string) (record, bool) {
	if !strings.HasPrefix(line, "{") {
		return record{}, false
	}
	var fields map[string]any
	if err := json.Unmarshal([]byte(line), &fields); err != nil {
		return record{}, false
	}
	message, hasMessage := fields["msg"].(string)
	level, hasLevel := fields["level"].(string)
	var out record
	if !hasMessage || !hasLevel || out.level.UnmarshalText([]byte(level)) != nil {
		return record{}, false
	}
	out.message = message
	if text, ok := fields["error"].(string); ok && out.level >= slog.LevelError {
		out.why = text
	}
	for _, key := range sortedKeys(fields) {
		if key != "msg" && key != "level" && key != "time" && key != "source" && key != "connector" {
			out.attrs = append(out.attrs, slog.Any(key, fields[key]))
		}
	}
	return out, true
}

func sortedKeys(fields map[string]any) []string {
	keys := make([]string, 0, len(fields))
	for key := range fields {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// stray takes what a connector writes on its standard output, where only the
// handshake belongs: its author should hear of it.
type stray struct {
	to   *stderr
	once sync.Once
}

// Write never fails.
func (s *stray) Write(p []byte) (int, error) {
	s.once.Do(func() {
		s.to.log.Warn("the connector prints on standard output, which belongs to the handshake: write to standard error instead",
			"line", s.to.clean(lastLine(string(p))))
	})
	return s.to.Write(p)
}
