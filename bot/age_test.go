package bot

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	now := time.Date(2026, 5, 20, 1, 0, 0, 0, time.UTC)
	for ago, want := range map[time.Duration]string{
		-48 * time.Hour: "updated today", 30 * time.Minute: "updated today", 2 * time.Hour: "updated yesterday",
		26 * time.Hour: "updated 2 days ago", 13 * 24 * time.Hour: "updated 13 days ago", 14 * 24 * time.Hour: "updated 2 weeks ago",
		60 * 24 * time.Hour: "updated 8 weeks ago", 61 * 24 * time.Hour: "updated 2 months ago", 365 * 24 * time.Hour: "updated 12 months ago",
		729 * 24 * time.Hour: "updated 23 months ago", 730 * 24 * time.Hour: "updated 2 years ago", 4000 * 24 * time.Hour: "updated 10 years ago",
	} {
		phrase, n := Age(now.Add(-ago), now)
		got := phrase
		if strings.Contains(phrase, "%d") {
			got = fmt.Sprintf(phrase, n)
		}
		if got != want || !slices.Contains(Ages(), phrase) {
			t.Errorf("%s ago: %q, want %q", ago, got, want)
		}
		if n == 1 {
			t.Errorf("%s ago: a number of one needs a singular", ago)
		}
	}
	if phrase, _ := Age(time.Time{}, now); phrase != "" {
		t.Errorf("not known when: %q", phrase)
	}
}
