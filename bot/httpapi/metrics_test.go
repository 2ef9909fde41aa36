package httpapi

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestMetricsSayWhatWasCounted(t *testing.T) {
	m := NewMetrics("v1", func() State {
		return State{
			Known: true, Running: 3, Waiting: map[string]int{"slack": 2}, Up: map[string]bool{"slack": true, "discord": false},
			Sources: []SourceState{{Name: "wiki", Documents: 10, NotIndexed: 1, Failed: 2, Crashes: 4}},
		}
	})
	m.Question("slack", "answered", 300*time.Millisecond, 2*time.Second)
	m.Question("slack", "failed", 0, time.Second)
	m.Model("small", 3, 1, 1000, 50, 0.25)
	m.Search(4 * time.Millisecond)
	m.Sync("wiki", true)
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	text := w.Body.String()
	for _, want := range []string{
		`footnote_questions_total{outcome="answered",platform="slack"} 1`, `footnote_questions_total{outcome="failed",platform="slack"} 1`,
		`footnote_first_text_seconds_count{platform="slack"} 1`, `footnote_turn_seconds_sum{platform="slack"} 3`,
		`footnote_model_calls_total{model="small",result="ok"} 2`, `footnote_model_calls_total{model="small",result="failed"} 1`,
		`footnote_model_tokens_total{direction="in",model="small"} 1000`, `footnote_model_cost_total{model="small"} 0.25`,
		`footnote_search_seconds_count 1`, `footnote_syncs_total{result="failed",source="wiki"} 1`,
		`footnote_documents{source="wiki"} 10`, `footnote_index_backlog_documents{source="wiki"} 1`, `footnote_failed_documents{source="wiki"} 2`,
		`footnote_connector_crashes_total{source="wiki"} 4`, `footnote_turns_open 3`, `footnote_events_waiting{platform="slack"} 2`,
		`footnote_platform_up{platform="discord"} 0`, `footnote_platform_up{platform="slack"} 1`, `footnote_build_info{version="v1"} 1`,
		"go_goroutines ", "footnote_state_read 1",
	} {
		if !strings.Contains(text, want+"\n") && !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if w.Code != 200 {
		t.Errorf("status %d", w.Code)
	}
}
