package launch

import (
	"slices"
	"testing"
)

func TestEnviron(t *testing.T) {
	got := Environ([]string{"PATH=/bin", "HOME=/h", "SLACK_TOKEN=x", "no_proxy=a", "HTTPS_PROXY=b", "TZ=UTC", "PATHS=x", "FOOTNOTE_MODEL_API_KEY=x"})
	if want := []string{"PATH=/bin", "no_proxy=a", "HTTPS_PROXY=b", "TZ=UTC"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
