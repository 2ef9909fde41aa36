package cli

import (
	"encoding/json"
	"testing"
)

// What a source shows may be pasted into a ticket.
func TestSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"author":"ann","dir":"/srv/a","max":3}`:                                                       `{"author":"ann","dir":"/srv/a","max":3}`,
		`{"api_key":"x","Password":"y","login":{"user":"ann","passwd":"z"},"on":[{"BearerToken":"q"}]}`: `{"Password":"•••","api_key":"•••","login":{"passwd":"•••","user":"ann"},"on":[{"BearerToken":"•••"}]}`,
		`{"auth":{"user":"ann","x":"y"},"headers":{"Authorization":"Basic x","Accept":"a&b"}}`:          `{"auth":"•••","headers":{"Accept":"a&b","Authorization":"•••"}}`,
		`{"url":"https://ann:pw@x.example/a?sig=1&b=2","more":["https://x.example/?token=1"]}`:          `{"more":["https://x.example/"],"url":"https://x.example/a?b=2"}`,
		`no json`: `{}`,
	} {
		if got := string(redacted(json.RawMessage(in))); got != want {
			t.Errorf("%s\n  is shown as %s\n want        %s", in, got, want)
		}
	}
}
