package config

import (
	"strings"
	"testing"
)

func TestRetrieval(t *testing.T) {
	t.Parallel()
	c, err := load(t, "retrieval: {planning: off, selection: always}\n", nil)
	if err != nil || c.Retrieval != (Retrieval{Planning: "off", Selection: "always"}) {
		t.Errorf("%+v, %v", c.Retrieval, err)
	}
	_, err = load(t, "retrieval: {selection: sometimes}\n", nil)
	if err == nil || !strings.Contains(err.Error(), `retrieval.selection: "sometimes" is none of auto, always, off`) {
		t.Errorf("error %v", err)
	}
}

func TestRerank(t *testing.T) {
	t.Parallel()
	c, err := load(t, "retrieval: {min_score: 0.3, rerank: {base_url: \"http://127.0.0.1:8080/v1\", name: bge}}\n", map[string]string{
		"FOOTNOTE_RETRIEVAL_RERANK_API_KEY": "k",
	})
	if want := (Rerank{BaseURL: "http://127.0.0.1:8080/v1", Name: "bge", APIKey: "k"}); err != nil || c.Retrieval.Rerank != want || c.Retrieval.MinScore != 0.3 {
		t.Errorf("read %+v, %v", c.Retrieval, err)
	}
	for text, want := range map[string]string{
		"retrieval: {min_score: 1.5}\n":                       "retrieval.min_score: 1.5 is not between 0 and 1",
		"retrieval: {min_score: .nan}\n":                      "want a number",
		"retrieval: {rerank: {name: bge}}\n":                  "retrieval.rerank needs both",
		"retrieval: {rerank: {name: bge, base_url: ftp:x}}\n": "retrieval.rerank.base_url",
	} {
		if _, err := load(t, text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
