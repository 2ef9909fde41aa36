package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

// What a stream tells as notices stands in the one object too.
func TestNoticesStandInTheAnswer(t *testing.T) {
	w := start(t, nil)
	if plain := w.do(t.Context(), "ann", "POST", "/chat/send-chat-message", `{"message":"hello","stream":false}`, false); strings.Contains(read(t, plain), "notices") {
		t.Error("notices where there are none")
	}
	r := w.do(t.Context(), "ann", "POST", "/chat/send-chat-message", `{"message":"notice hello","stream":false}`, false)
	if body := read(t, r); !strings.Contains(body, `"notices":[{"kind":"model_failed","text":"Only <quotes>.","cause":"unavailable"}]`) {
		t.Errorf("got %s", body)
	}
}

// A reader who attaches after an answer was withdrawn is not told what it was.
func TestWithdrawnAnswerIsNotReplayed(t *testing.T) {
	var looks atomic.Int32
	w := start(t, func(_ *Options, b *bot.Options) {
		b.Audience = func(_ context.Context, place core.Place, viewer core.Viewer) (core.Audience, error) {
			switch n := looks.Add(1); {
			case n == 1:
				return access.Audience(core.Place{ID: place.ID, Kind: core.PlaceDirect}, core.Viewer{Email: viewer.Email, Bypass: true}), nil
			default: // the first answer was made with more than the place may know
				return access.Audience(place, viewer), nil
			}
		}
	})
	s := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"hello","stream":true}`)
	first, _ := s.next()
	kinds := ""
	for _, e := range s.rest() {
		kinds += e.Type + " "
	}
	if !strings.Contains(kinds, "withdrawn") || !strings.HasSuffix(kinds, "done ") {
		t.Errorf("live: %s", kinds)
	}
	again := w.do(t.Context(), "ann", "GET", fmt.Sprintf("/chat/turns/%s/events", first.TurnID), "", false)
	body := read(t, again)
	if again.StatusCode != http.StatusOK || strings.Index(body, `"withdrawn"`) > strings.Index(body, `"text"`) || strings.Count(body, `"query"`) != 1 {
		t.Errorf("replayed: %s", body)
	}
}

// An answer is closed with a document that it rests on without citing it.
func TestAnswerIsClosedWithWhatItRestsOn(t *testing.T) {
	w := start(t, nil)
	r := w.do(t.Context(), "ann", "POST", "/chat/send-chat-message", `{"message":"rests docs/other","stream":false}`, false)
	id := r.Header.Get("X-Turn-Id")
	if body := read(t, r); id == "" {
		_, rest, _ := strings.Cut(body, `"turn_id":"`)
		id, _, _ = strings.Cut(rest, `"`)
	}
	if got := w.do(t.Context(), "ann", "GET", "/chat/turns/"+id+"/events", "", false); got.StatusCode != http.StatusForbidden {
		t.Errorf("status %d: %s", got.StatusCode, read(t, got))
	}
}

func read(t *testing.T, r *http.Response) string {
	t.Helper()
	var b strings.Builder
	if _, err := io.Copy(&b, r.Body); err != nil {
		t.Fatal(err)
	}
	if err := r.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Whoever is shown passages stands in the audit, with what they were shown.
func TestSearchesAreAudited(t *testing.T) {
	var got []core.AuditEntry
	w := start(t, func(o *Options, _ *bot.Options) {
		o.Audit = func(_ context.Context, e core.AuditEntry) { got = append(got, e) }
	})
	read(t, w.do(t.Context(), "ann", "POST", "/search", `{"query":"af"}`, false))
	read(t, w.do(t.Context(), "none", "POST", "/search", `{"query":"."}`, false))
	if len(got) != 2 || got[0].Action != core.AuditSearch || got[0].Actor != "ann@example.com" || got[0].Class != "dm" || got[0].Scope == "" ||
		strings.Join(got[0].Documents, ",") != "docs/a" || got[1].Actor != "http:none" || len(got[1].Documents) > 0 {
		t.Errorf("audit %+v", got)
	}
}
