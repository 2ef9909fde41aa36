package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// What happens in a turn reaches the collector when serve stops at the latest, and
// nothing that was asked, found or answered goes with it.
func TestTracesOfTurns(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var bodies []string
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		bodies = append(bodies, r.Header.Get("Authorization")+" "+r.URL.Path+" "+string(body))
	}))
	defer collector.Close()
	u := withLibrary(t)
	u.env["FOOTNOTE_MEMBERS_DOMAINS"] = "example.com"
	u.env["FOOTNOTE_TRACES_ENDPOINT"] = collector.URL
	u.env["FOOTNOTE_TRACES_HEADERS"] = "Authorization=Bearer%20abc"
	token := u.token("dev@example.com")
	s := u.serving()
	var answer struct {
		TurnID string `json:"turn_id"`
	}
	s.call(token, "POST", sendPath, `{"message":"Where do visitors park?"}`, &answer)
	if code := s.stop(); code != 0 {
		t.Fatalf("exit code %d: %s", code, s.errs)
	}
	mu.Lock()
	defer mu.Unlock()
	var names []string
	for _, body := range bodies {
		raw, ok := strings.CutPrefix(body, "Bearer abc /v1/traces ")
		if !ok || strings.Contains(strings.ToLower(raw), "park") || strings.Contains(raw, "dev@example") {
			t.Errorf("sent: %s", body)
		}
		names = append(names, spanNames(t, raw)...)
	}
	for _, want := range []string{"turn", "execute_tool quotes"} {
		if !slices.Contains(names, want) {
			t.Errorf("no span %q in %q", want, names)
		}
	}
	if all := strings.Join(bodies, ""); !strings.Contains(all, answer.TurnID) {
		t.Errorf("the turn %s is not named in %s", answer.TurnID, all)
	}
}

func spanNames(t *testing.T, raw string) (names []string) {
	t.Helper()
	var r struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []struct{ Name string }
			}
		}
	}
	if err := json.Unmarshal([]byte(raw), &r); err != nil {
		t.Fatal(err)
	}
	for _, resource := range r.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				names = append(names, s.Name)
			}
		}
	}
	return names
}
