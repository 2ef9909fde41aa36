package discordtest

import (
	"strconv"
	"time"
)

// epoch is the first millisecond of 2015, from which snowflakes count.
const epoch = 1420070400000

// nextID makes a snowflake of the server's time; each is above the one before.
func (s *Server) nextID() string {
	id := uint64(s.clock.Now().UnixMilli()-epoch) << 22
	if id <= s.lastID {
		id = s.lastID + 1
	}
	s.lastID = id
	return strconv.FormatUint(id, 10)
}

// snowflake reads an identifier, and reports false for what is none.
func snowflake(id string) (uint64, bool) {
	n, err := strconv.ParseUint(id, 10, 64)
	return n, err == nil && n > 0
}

// timeOf is when a snowflake was made.
func timeOf(id string) time.Time {
	n, _ := snowflake(id)
	return time.UnixMilli(int64(n>>22) + epoch)
}

// before tells whether a is the older snowflake.
func before(a, b string) bool {
	x, _ := snowflake(a)
	y, _ := snowflake(b)
	return x < y
}

// stamp is a time as Discord writes it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000+00:00") }

// idOr gives the identifier of something new: the one that the caller wants, or
// the next. What is no snowflake is reported.
func (s *Server) idOr(id, what string) string {
	if id == "" {
		return s.nextID()
	}
	if _, ok := snowflake(id); !ok {
		s.problem("%s: %q is no snowflake; leave it empty or take digits", what, id)
	}
	return id
}
