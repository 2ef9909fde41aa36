package slack

import (
	"fmt"
	"strings"
	"testing"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// What the token's owner sees beyond the source's channels is never a hit.
func TestSearch(t *testing.T) {
	w := newWorld(t)
	w.say("C1", "U1", "coffee")
	w.pass(time.Hour)
	asked := ""
	w.search.Store(func(query string) string {
		asked = query
		match := func(channel, user, ts, link, text string) string {
			return fmt.Sprintf(`{"channel":{"id":%q,"name":"x"},"user":%q,"ts":%q,"permalink":%q,"text":%q}`, channel, user, ts, link, text)
		}
		return `{"ok":true,"messages":{"total":5,"matches":[` + strings.Join([]string{
			match("D1", "U1", "1700000001.000100", "", "a direct message"),
			match("C1", "U1", "1700000002.000100", "https://acme.slack.com/archives/C1/p1700000002000100?thread_ts=1700000000.000100", "coffee for <@U2>"),
			match("C1", "U2", "1700000003.000100", "https://acme.slack.com/archives/C1/p1700000003000100?thread_ts=1700000000.000100", "the same thread"),
			match("C2", "U1", "1700000004.000100", "", "a private channel that is not allowed"),
			match("C1", "U2", "1700000005.000100", "", "tea"),
		}, ",") + `]}}`
	})
	q := sdk.Query{Text: "coffee in:#plans?", Limit: 10, Viewer: sdk.Caller{Email: "ann@example.com"}}
	if got, err := w.source(Source{}).Search(t.Context(), q); err != nil || len(got) != 0 {
		t.Errorf("without a token: %v %v", got, err)
	}
	src := w.source(Source{SearchToken: "xoxp-of-ann"})
	got, err := src.Search(t.Context(), q)
	if err != nil || len(got) != 2 {
		t.Fatalf("%v %v", got, err)
	}
	if d := got[0].Document; d.ID != "C1/1700000000.000100" || d.Title != "#general: coffee for @bob" || !d.Access.Workspace || got[0].Snippet != "coffee for @bob" || d.Body != "" {
		t.Errorf("%+v", got[0])
	}
	if got[1].Document.ID != "C1/1700000005.000100" || got[1].Score >= got[0].Score || strings.Contains(asked, ":") {
		t.Errorf("%+v, asked %q", got[1], asked)
	}
	w.search.Store(func(string) string {
		return `{"ok":false,"error":"missing_scope","needed":"search:read","provided":"identify"}`
	})
	_, err = src.Search(t.Context(), q)
	wantError(t, "scope", err, "denied", "search:read")
}
