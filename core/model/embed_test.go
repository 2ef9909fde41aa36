package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

func someTexts(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("passage number %d", i))
	}
	return out
}

func embedder(t *testing.T, url string, change func(*model.Config)) *model.Client {
	return client(t, url, func(c *model.Config) {
		c.Section = "embeddings"
		if change != nil {
			change(c)
		}
	})
}

func TestEmbed(t *testing.T) {
	vector := func(texts ...string) [][]float32 {
		var out [][]float32
		for _, text := range texts {
			out = append(out, modeltest.Embed(text))
		}
		return out
	}
	rows := []struct {
		name    string
		script  modeltest.Script
		texts   []string
		want    [][]float32
		batches []int
	}{
		{"nothing", modeltest.Script{}, nil, [][]float32{}, nil},
		{"one", modeltest.Script{}, []string{"a b"}, vector("a b"), []int{1}},
		{"an empty text", modeltest.Script{}, []string{"", "x"}, vector(" ", "x"), []int{2}},
		{"batches", modeltest.Script{}, someTexts(150), vector(someTexts(150)...), []int{64, 64, 22}},
		{"a server with small batches", modeltest.Script{MaxInputs: 20}, someTexts(40), vector(someTexts(40)...), []int{40, 20, 20}},
		{"long texts go alone", modeltest.Script{}, []string{strings.Repeat("x ", 90_000), strings.Repeat("y ", 90_000)},
			vector(strings.Repeat("x ", 90_000), strings.Repeat("y ", 90_000)), []int{1, 1}},
		{"busy, then fine", modeltest.Script{Embeddings: []modeltest.Reply{{Status: 429, Header: map[string]string{"Retry-After": "0.01"}}}},
			[]string{"x"}, vector("x"), []int{1, 1}},
		{"a fault, then fine", modeltest.Script{Embeddings: []modeltest.Reply{{Status: 502}}}, []string{"x"}, vector("x"), []int{1, 1}},
		{"out of order", modeltest.Script{Embeddings: []modeltest.Reply{{Status: 200,
			Body: `{"data":[{"index":1,"embedding":[2]},{"index":0,"embedding":[1]}]}`}}}, []string{"x", "y"}, [][]float32{{1}, {2}}, []int{2}},
		{"base64 though numbers were asked for", modeltest.Script{Embeddings: []modeltest.Reply{{Status: 200,
			Body: `{"data":[{"index":0,"embedding":"AACAPwAAAMA="}]}`}}}, []string{"x"}, [][]float32{{1, -2}}, []int{1}},
		{"no numbers of texts", modeltest.Script{Embeddings: []modeltest.Reply{{Status: 200,
			Body: `{"data":[{"embedding":[1]},{"embedding":[2]}]}`}}}, []string{"x", "y"}, [][]float32{{1}, {2}}, []int{2}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, row.script)
			got, err := embedder(t, srv.URL, nil).Embed(t.Context(), row.texts)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(row.batches, srv.Batches()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEmbedRefuses(t *testing.T) {
	body := func(json string) modeltest.Script {
		return modeltest.Script{Embeddings: []modeltest.Reply{{Status: 200, Body: json}}}
	}
	rows := []struct {
		name   string
		script modeltest.Script
		dims   int
		kind   core.Kind
		names  []string
	}{
		{"fewer vectors", body(`{"data":[{"index":0,"embedding":[1]}]}`), 0, core.KindUnavailable, []string{"1 vectors for 2 texts", "embeddings.name"}},
		{"more vectors", body(`{"data":[{"embedding":[1]},{"embedding":[1]},{"embedding":[1]}]}`), 0, core.KindUnavailable, []string{"3 vectors for 2 texts"}},
		{"one number twice", body(`{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`), 0, core.KindUnavailable, []string{"do not fit"}},
		{"a number out of range", body(`{"data":[{"index":0,"embedding":[1]},{"index":7,"embedding":[1]}]}`), 0, core.KindUnavailable, []string{"do not fit"}},
		{"two lengths", body(`{"data":[{"embedding":[1,2]},{"embedding":[1]}]}`), 0, core.KindUnavailable, []string{"1 numbers where 2", "embeddings.name"}},
		{"not the configured length", body(`{"data":[{"embedding":[1,2]},{"embedding":[1,2]}]}`), 3, core.KindUnavailable, []string{"2 numbers where 3"}},
		{"empty vectors", body(`{"data":[{"embedding":[]},{"embedding":[]}]}`), 0, core.KindUnavailable, []string{"empty vector"}},
		{"null in a vector", body(`{"data":[{"embedding":[1,null]},{"embedding":[1,2]}]}`), 0, core.KindUnavailable, []string{"no number at 2"}},
		{"NaN", body(`{"data":[{"embedding":[1,NaN]},{"embedding":[1,2]}]}`), 0, core.KindUnavailable, []string{"no number in it"}},
		{"over the range of a float", body(`{"data":[{"embedding":[1,1e300]},{"embedding":[1,2]}]}`), 0, core.KindUnavailable, []string{"no number at 2"}},
		{"NaN in base64", body(`{"data":[{"embedding":"AADAfw=="},{"embedding":"AADAfw=="}]}`), 0, core.KindUnavailable, []string{"no number at 1"}},
		{"half a reply", body(`{"data":[{"embedding":[1,`), 0, core.KindUnavailable, []string{"not a list of vectors"}},
		{"a chat reply", body(`{"choices":[]}`), 0, core.KindUnavailable, []string{"0 vectors for 2 texts"}},
		{"wrong key", modeltest.Script{Key: "another"}, 0, core.KindAuth, []string{"embeddings.api_key"}},
		{"no embeddings there", modeltest.Script{Embeddings: []modeltest.Reply{{Status: 404}}}, 0, core.KindConfig, []string{"embeddings.name"}},
		{"down for good", modeltest.Script{Embeddings: []modeltest.Reply{{Status: 500}, {Status: 500}, {Status: 500}}}, 0, core.KindUnavailable, []string{"embeddings.base_url", "500"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, row.script)
			got, err := embedder(t, srv.URL, func(c *model.Config) { c.Dimensions = row.dims }).Embed(t.Context(), []string{"x", "y"})
			var e *core.Error
			if !errors.As(err, &e) || e.Kind != row.kind || got != nil {
				t.Fatalf("got %v, %v of kind %s", got, err, core.KindOf(err))
			}
			for _, name := range row.names {
				if !strings.Contains(e.Message, name) {
					t.Errorf("%q does not name %q", e.Message, name)
				}
			}
		})
	}
}

// The text that does not fit is found and named, however it was batched.
func TestEmbedNamesTheTextThatIsTooLong(t *testing.T) {
	const refusal = `{"error":{"message":"This model's maximum context length is 512 tokens"}}`
	srv := start(t, modeltest.Script{Embeddings: []modeltest.Reply{{Status: 400, Body: refusal}, {Status: 400, Body: refusal}}})
	_, err := embedder(t, srv.URL, nil).Embed(t.Context(), []string{"the long one", "y"})
	if core.KindOf(err) != core.KindTooLarge || !strings.Contains(err.Error(), "Text 1 of 12 bytes") {
		t.Errorf("got %v", err)
	}
	if strings.Contains(err.Error(), "the long one") {
		t.Error("the text is shown")
	}
}

// What a refusal teaches for later calls: a server's limit on batches stays known,
// and a text that is too long says nothing about batches.
func TestEmbedRemembersSmallBatches(t *testing.T) {
	const refusal = `{"error":{"message":"This model's maximum context length is 512 tokens"}}`
	tooLong := slices.Repeat([]modeltest.Reply{{Status: 400, Body: refusal}}, 3) // of four texts, two, one
	for name, row := range map[string]struct {
		script  modeltest.Script
		first   int // texts
		kind    core.Kind
		batches []int // of both calls
	}{
		"a limit of the server":     {modeltest.Script{MaxInputs: 20}, 40, "", []int{40, 20, 20, 20, 20}},
		"a text that is too long":   {modeltest.Script{Embeddings: tooLong}, 4, core.KindTooLarge, []int{4, 2, 1, 40}},
		"long only all in one call": {modeltest.Script{Embeddings: tooLong[:1]}, 40, "", []int{40, 20, 20, 20, 20}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, row.script)
			c := embedder(t, srv.URL, nil)
			if _, err := c.Embed(t.Context(), someTexts(row.first)); err != nil && core.KindOf(err) != row.kind || err == nil && row.kind != "" {
				t.Fatal(err)
			}
			if _, err := c.Embed(t.Context(), someTexts(40)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.batches, srv.Batches()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What was used is what the server counted, in whatever form it tells that, or an
// estimate; also that of the batches before one that failed.
func TestEmbedUsage(t *testing.T) {
	const vector = `{"data":[{"embedding":[1]}]`
	said := func(bodies ...string) (list []modeltest.Reply) {
		for _, body := range bodies {
			list = append(list, modeltest.Reply{Status: 200, Body: body})
		}
		return list
	}
	refused := modeltest.Reply{Status: 400, Body: `{"error":{"message":"no"}}`}
	text := "Employees have thirty days of vacation."
	estimate := model.NewCounter().Count(text)
	for name, row := range map[string]struct {
		replies []modeltest.Reply
		texts   []string
		want    int
		kind    core.Kind
	}{
		"as it is told":           {said(vector + `,"usage":{"prompt_tokens":7,"total_tokens":9}}`), []string{text}, 7, ""},
		"the total alone":         {said(vector + `,"usage":{"total_tokens":9}}`), []string{text}, 9, ""},
		"as a text":               {said(vector + `,"usage":{"prompt_tokens":"7"}}`), []string{text}, 7, ""},
		"not told":                {said(vector + `}`), []string{text}, estimate, ""},
		"nothing":                 {said(vector + `,"usage":null}`), []string{text}, estimate, ""},
		"what is no usage":        {said(vector + `,"usage":["x"]}`), []string{text}, estimate, ""},
		"a number below zero":     {said(vector + `,"usage":{"prompt_tokens":-3}}`), []string{text}, estimate, ""},
		"more than it can be":     {said(vector + `,"usage":{"prompt_tokens":1000000}}`), []string{text}, estimate, ""},
		"several batches":         {nil, someTexts(150), 150, ""},
		"refused":                 {[]modeltest.Reply{refused}, []string{text}, 0, core.KindInvalid},
		"the second batch is not": {append(said(manyVectors(64, 70)), refused), someTexts(70), 70, core.KindInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, modeltest.Script{Embeddings: row.replies})
			_, used, err := embedder(t, srv.URL, nil).EmbedUsage(t.Context(), row.texts)
			if want := (core.Usage{PromptTokens: row.want}); used != want || (err == nil) != (row.kind == "") || err != nil && core.KindOf(err) != row.kind {
				t.Errorf("used %+v, error %v", used, err)
			}
		})
	}
}

// manyVectors is a reply with n vectors that cost so many tokens.
func manyVectors(n, tokens int) string {
	list := strings.Repeat(`,{"embedding":[1]}`, n)
	return fmt.Sprintf(`{"data":[%s],"usage":{"prompt_tokens":%d}}`, list[1:], tokens)
}

func TestEmbedStopsWithTheContext(t *testing.T) {
	srv := start(t, modeltest.Script{Embeddings: []modeltest.Reply{{Status: 503, Header: map[string]string{"Retry-After": "9"}}}})
	ctx, cancel := timeout(t, 60*time.Millisecond)
	defer cancel()
	_, err := embedder(t, srv.URL, nil).Embed(ctx, []string{"x"})
	if core.KindOf(err) != core.KindTimeout {
		t.Errorf("got %v", err)
	}
}

func TestEmbedSendsWhatServersTake(t *testing.T) {
	var sent struct {
		Input  []string `json:"input"`
		Format string   `json:"encoding_format"`
	}
	srv := recorder(t, func(body []byte) string {
		if err := json.Unmarshal(body, &sent); err != nil {
			t.Error(err)
		}
		return `{"data":[{"embedding":[1]}]}`
	})
	if _, err := embedder(t, srv, nil).Embed(t.Context(), []string{"a\xffb"}); err != nil {
		t.Fatal(err)
	}
	if sent.Format != "float" || len(sent.Input) != 1 || sent.Input[0] != "a\uFFFDb" {
		t.Errorf("the server saw %+v", sent)
	}
}
