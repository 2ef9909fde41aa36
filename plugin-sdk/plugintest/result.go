package plugintest

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// State is how a check ended.
type State string

// The states of a check.
const (
	Pass State = "pass"
	Fail State = "fail"
	Skip State = "skip" // it does not apply, or what it needs is missing
)

// Result is the outcome of one check.
type Result struct {
	ID      string `json:"id"`      // feature.name; never changes
	Feature string `json:"feature"` // start, config, sync, list, …
	Check   string `json:"check"`   // what has to hold, in words
	State   State  `json:"state"`
	Reason  string `json:"reason,omitempty"` // what was seen; always there unless State is Pass
	Millis  int64  `json:"took_ms"`          // milliseconds
}

// Failed counts the checks that did not hold.
func Failed(results []Result) int {
	n := 0
	for _, r := range results {
		if r.State == Fail {
			n++
		}
	}
	return n
}

// WriteResult writes one line of a table for people.
func WriteResult(w io.Writer, r Result) error {
	text := r.Check
	if r.Reason != "" {
		text += ": " + r.Reason
	}
	_, err := fmt.Fprintf(w, "%-16s %-5s %s\n", r.ID, r.State, text)
	return err
}

// WriteSummary writes the last line of the table.
func WriteSummary(w io.Writer, results []Result) error {
	counts := map[State]int{}
	for _, r := range results {
		counts[r.State]++
	}
	_, err := fmt.Fprintf(w, "\n%d passed, %d failed, %d skipped\n", counts[Pass], counts[Fail], counts[Skip])
	return err
}

// verdict is what a check comes to.
type verdict struct {
	state  State
	reason string
	late   bool // nothing is wrong but the time that it took
}

func pass() verdict { return verdict{state: Pass} }

func passed(format string, args ...any) verdict {
	return verdict{state: Pass, reason: fmt.Sprintf(format, args...)}
}

func failed(format string, args ...any) verdict {
	return verdict{state: Fail, reason: fmt.Sprintf(format, args...)}
}

func skipped(format string, args ...any) verdict {
	return verdict{state: Skip, reason: fmt.Sprintf(format, args...)}
}

// overdue is failed, of a connector that may do better on a machine with less to do:
// the check runs once more.
func overdue(format string, args ...any) verdict {
	v := failed(format, args...)
	v.late = true
	return v
}

// verdictOf fails with a reason unless it is empty.
func verdictOf(reason string) verdict {
	if reason == "" {
		return pass()
	}
	return failed("%s", reason)
}

// plain keeps what a connector says from spoiling a table or a terminal.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return clip(strings.Join(strings.Fields(text), " "), 600)
}

// clip shortens a text to so many characters.
func clip(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}

func millis(since time.Time) int64 { return time.Since(since).Milliseconds() }
