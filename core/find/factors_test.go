package find

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestRecency(t *testing.T) {
	now := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	for name, row := range map[string]struct {
		updated time.Time
		want    float64
	}{
		"no date":     {time.Time{}, 1},
		"now":         {now, 1},
		"to come":     {now.AddDate(1, 0, 0), 1},
		"half a year": {now.Add(-4383 * time.Hour), 0.8},
		"eight years": {now.AddDate(-8, 0, 0), 0.75},
	} {
		if got := recency(row.updated, now); math.Abs(got-row.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}

func TestLiking(t *testing.T) {
	for _, row := range []struct {
		up, down int
		low, top float64
	}{{0, 0, 1, 1}, {3, 3, 1, 1}, {1, 0, 1.08, 1.09}, {1000, 0, 1.24, 1.25}, {0, 1, 0.93, 0.94}, {0, 1000, 0.8, 0.81}} {
		if got := liking(core.Standing{Up: row.up, Down: row.down}); got < row.low || got > row.top {
			t.Errorf("%d up, %d down: %v", row.up, row.down, got)
		}
	}
}

func TestNamesIn(t *testing.T) {
	for question, want := range map[string][]string{
		"what about PAY-1234 and PAY-1234?":            {"pay-1234"},
		"where is config.yaml documented":              {"config.yaml"},
		"error 0x80070005 or ORA12154, ERR_TIMED_OUT":  {"0x80070005", "ora12154", "err_timed_out"},
		`the "parental leave" rule, „Urlaub“, «congé»`: {"parental leave", "urlaub", "congé"},
		"use `footnote sync` now":                      {"footnote sync"},
		"how many days, e.g. in July 2026?":            nil,
		"What is the notice period in Berlin?":         nil,
		"":                                             nil,
	} {
		if got := namesIn([]string{question}); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}

func TestHolds(t *testing.T) {
	for _, row := range []struct {
		text, name string
		want       bool
	}{
		{"see PAY-1234.", "pay-1234", true},
		{"see PAY-12345", "pay-1234", false},
		{"XPAY-1234 and PAY-1234", "pay-1234", true},
		{"my_config.yaml", "config.yaml", false},
		{"", "x", false},
	} {
		r := core.Result{Passage: core.Passage{Text: row.text}}
		if got := holds(r, []string{row.name}); got != row.want {
			t.Errorf("%q in %q: %v", row.name, row.text, got)
		}
	}
}
