package model_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
)

// ranks serves /v1/rerank with a function of the decoded request.
func ranks(t *testing.T, answer func(body map[string]any) (int, string)) *model.Reranker {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if r.URL.Path != "/v1/rerank" || r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&body) != nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		status, text := answer(body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return model.NewReranker(embedder(t, s.URL+"/v1", func(c *model.Config) { c.Section, c.Retries = "retrieval.rerank", -1 }))
}

func TestRerankReplies(t *testing.T) {
	for name, row := range map[string]struct {
		reply string
		want  []model.Relevance
		fails bool
	}{
		"Cohere":              {`{"id":"x","results":[{"index":2,"relevance_score":0.9},{"index":0,"relevance_score":0.1},{"index":1,"relevance_score":0.05}],"meta":{}}`, []model.Relevance{{2, 0.9}, {0, 0.1}, {1, 0.05}}, false},
		"Jina":                {`{"model":"m","usage":{},"results":[{"index":1,"relevance_score":-0.2,"document":{"text":"b"}},{"index":0,"relevance_score":-1.5}]}`, []model.Relevance{{1, -0.2}, {0, -1.5}}, false},
		"TEI":                 {`[{"index":0,"score":0.2},{"index":1,"score":0.7}]`, []model.Relevance{{1, 0.7}, {0, 0.2}}, false},
		"a list under data":   {`{"data":[{"index":1,"relevance_score":1}]}`, []model.Relevance{{1, 1}}, false},
		"not sorted":          {`{"results":[{"index":0,"relevance_score":0.1},{"index":1,"relevance_score":0.2}]}`, []model.Relevance{{1, 0.2}, {0, 0.1}}, false},
		"equal keep order":    {`{"results":[{"index":2,"relevance_score":1},{"index":0,"relevance_score":1}]}`, []model.Relevance{{2, 1}, {0, 1}}, false},
		"twice the same":      {`{"results":[{"index":1,"relevance_score":0.5},{"index":1,"relevance_score":0.9}]}`, []model.Relevance{{1, 0.5}}, false},
		"out of range":        {`{"results":[{"index":3,"relevance_score":9},{"index":-1,"relevance_score":9},{"index":0,"relevance_score":1}]}`, []model.Relevance{{0, 1}}, false},
		"null for a number":   {`{"results":[{"index":0,"relevance_score":null},{"index":1,"relevance_score":0}]}`, []model.Relevance{{1, 0}}, false},
		"a text for a number": {`{"results":[{"index":0,"relevance_score":"high"},{"index":1,"relevance_score":0.5}]}`, []model.Relevance{{1, 0.5}}, false},
		"no index":            {`{"results":[{"relevance_score":1},{"index":2,"relevance_score":0.5}]}`, []model.Relevance{{2, 0.5}}, false},
		"NaN":                 {`{"results":[{"index":0,"relevance_score":NaN}]}`, nil, true},
		"nothing":             {`{"results":[]}`, nil, true},
		"something else":      {`{"object":"list"}`, nil, true},
		"a page":              {`<html>`, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := ranks(t, func(map[string]any) (int, string) { return http.StatusOK, row.reply })
			got, err := r.Rerank(t.Context(), "q", []string{"a", "b", "c"})
			if row.fails {
				if core.KindOf(err) != core.KindUnavailable || !strings.Contains(err.Error(), "retrieval.rerank.base_url") {
					t.Fatalf("error %v, want one of kind unavailable that names the setting", err)
				}
				return
			}
			if diff := cmp.Diff(row.want, got); diff != "" || err != nil {
				t.Errorf("error %v, relevance (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestRerankRequest(t *testing.T) {
	var asked []map[string]any
	r := ranks(t, func(body map[string]any) (int, string) {
		asked = append(asked, body)
		return http.StatusOK, `{"results":[{"index":0,"relevance_score":1}]}`
	})
	if _, err := r.Rerank(t.Context(), "how?", []string{"a", ""}); err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{{"model": asked[0]["model"], "query": "how?", "documents": []any{"a", " "}, "top_n": 2.0}}
	if diff := cmp.Diff(want, asked); diff != "" || asked[0]["model"] == "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// A server of TEI says that texts are missing, once.
func TestRerankTEI(t *testing.T) {
	refused := 0
	r := ranks(t, func(body map[string]any) (int, string) {
		if body["texts"] == nil {
			refused++
			return http.StatusUnprocessableEntity, "Failed to deserialize the JSON body into the target type: missing field `texts`"
		}
		return http.StatusOK, `[{"index":1,"score":0.5},{"index":0,"score":0.4}]`
	})
	for range 2 {
		if got, err := r.Rerank(t.Context(), "q", []string{"a", "b"}); err != nil || got[0].Index != 1 {
			t.Fatalf("got %v, %v", got, err)
		}
	}
	if refused != 1 {
		t.Errorf("refused %d times, want once", refused)
	}
}

func TestRerankRefused(t *testing.T) {
	for status, want := range map[int]core.Kind{401: core.KindAuth, 503: core.KindUnavailable} {
		r := ranks(t, func(map[string]any) (int, string) { return status, `{"message":"no"}` })
		if _, err := r.Rerank(t.Context(), "q", []string{"a"}); core.KindOf(err) != want {
			t.Errorf("status %d gives %v, want kind %s", status, err, want)
		}
	}
}
