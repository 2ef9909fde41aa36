package web

import (
	"net/url"
	"strings"
	"testing"
)

// A long line in a robots.txt does not hide the rules after it.
func TestRobotsWithALongLine(t *testing.T) {
	r := parseRobots([]byte("User-agent: *\n# " + strings.Repeat("x", 300<<10) + "\nDisallow: /secret\n"))
	for path, want := range map[string]bool{"/secret": false, "/open": true} {
		if got := r.allow(&url.URL{Path: path}); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
