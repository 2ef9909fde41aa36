package slacktest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// nextID makes an identifier of the form that Slack uses: a letter for the kind
// and digits that rise, so that runs can be compared.
func (s *Server) nextID(prefix string) string {
	s.serial++
	return fmt.Sprintf("%s%08d", prefix, s.serial)
}

// nextTS makes the time stamp of a new message; no two are equal.
func (s *Server) nextTS() string {
	micros := s.clock.Now().UnixMicro()
	if micros <= s.lastTS {
		micros = s.lastTS + 1
	}
	s.lastTS = micros
	return formatTS(micros)
}

func formatTS(micros int64) string {
	return fmt.Sprintf("%d.%06d", micros/1e6, micros%1e6)
}

// parseTS gives the microseconds of a time stamp, and false for what is none.
func parseTS(ts string) (int64, bool) {
	whole, fraction, _ := strings.Cut(ts, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || len(fraction) > 6 || seconds < 0 {
		return 0, false
	}
	fraction += strings.Repeat("0", 6-len(fraction))
	micros, err := strconv.ParseInt(fraction, 10, 64)
	if err != nil {
		return 0, false
	}
	return seconds*1e6 + micros, true
}

func timeOf(ts string) time.Time {
	micros, _ := parseTS(ts)
	return time.UnixMicro(micros)
}

// Fingerprint names a token without showing it: the first eight hex digits of
// its SHA-256. Two sockets with the same fingerprint share their events.
func Fingerprint(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])[:8]
}
