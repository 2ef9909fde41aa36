package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/footnote-bot/footnote/core"
)

// Relevance is how well one of several texts answers a query, on the scale of the
// reranker that says so.
type Relevance struct {
	Index int // of the text, from 0
	Score float64
}

// Reranker asks a server that compares texts with a query, over the wire that
// Cohere began and Jina, vLLM, TEI and others speak: POST {base_url}/rerank. It may
// be used from several goroutines.
type Reranker struct {
	client *Client
	texts  atomic.Bool // the server wants TEI's form
}

// NewReranker makes a Reranker of a client for the same endpoint. The client's
// retries are not used: a search does not wait for them.
func NewReranker(c *Client) *Reranker { return &Reranker{client: c} }

// rerankRequest is what is sent: documents, or in TEI's form texts.
type rerankRequest struct {
	Model     string   `json:"model,omitempty"`
	Query     string   `json:"query"`
	Documents []string `json:"documents,omitempty"`
	TopN      int      `json:"top_n,omitempty"`
	Texts     []string `json:"texts,omitempty"`
	Truncate  bool     `json:"truncate,omitempty"`
}

// longestRanked bounds a text, in bytes: rerankers read a few hundred tokens.
const longestRanked = 8 << 10

// Rerank returns the relevance of the texts, best first, each once: those of which
// the server said something that is a number. Errors are core.Errors of the kinds
// that Stream has.
func (r *Reranker) Rerank(ctx context.Context, query string, texts []string) ([]Relevance, error) {
	c := r.client
	_, release, err := c.enter(ctx)
	if err != nil {
		return nil, c.explain(ctx, result{err: err})
	}
	defer release()
	ask := rerankRequest{Model: c.cfg.Name, Query: clipRanked(query)}
	for _, t := range notEmpty(texts) {
		ask.Documents = append(ask.Documents, clipRanked(t))
	}
	raw, refused := r.once(ctx, ask)
	if refused.status/100 == 4 && strings.Contains(refused.message, "texts") && !r.texts.Load() {
		r.texts.Store(true)
		raw, refused = r.once(ctx, ask)
	}
	if refused.err != nil {
		return nil, c.explain(ctx, refused)
	}
	out, err := readRelevance(raw, len(texts))
	if err != nil {
		return nil, core.Wrap(core.KindUnavailable, err, c.sentence(
			"The reranker %s at %s (@base_url) gave %s: check that the address is that of a server with a /rerank endpoint.", c.cfg.Name, c.where(), err.Error()))
	}
	return out, nil
}

// once sends one request in the form that the server is known to want.
func (r *Reranker) once(ctx context.Context, ask rerankRequest) ([]byte, result) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d := r.client.door(cancel, "/rerank")
	if ask.TopN = len(ask.Documents); r.texts.Load() {
		ask = rerankRequest{Query: ask.Query, Texts: ask.Documents, Truncate: true}
	}
	raw, err := d.post(ctx, ask)
	if err != nil {
		return nil, d.failure(ctx, err)
	}
	return raw, result{}
}

func clipRanked(text string) string {
	if len(text) <= longestRanked {
		return text
	}
	return strings.ToValidUTF8(text[:longestRanked], "")
}

// wireRelevance is one entry in any of the forms. What is no number reads as null.
type wireRelevance struct {
	Index          *int     `json:"index"`
	RelevanceScore *float64 `json:"relevance_score"` // Cohere, Jina, vLLM
	Score          *float64 `json:"score"`           // TEI
}

// readRelevance reads a reply about n texts: a list under results or data, or alone.
// An entry without a number, or about a text that there is not, is passed over; of
// two about one text the first counts. If nothing is left, that is an error.
func readRelevance(raw []byte, n int) ([]Relevance, error) {
	var all []wireRelevance
	var object struct {
		Results []json.RawMessage `json:"results"`
		Data    []json.RawMessage `json:"data"`
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &object); err == nil {
		list = append(object.Results, object.Data...)
	} else if err := json.Unmarshal(raw, &list); err != nil {
		return nil, errors.New("a reply that is not a list of relevances")
	}
	for _, one := range list {
		var w wireRelevance
		if json.Unmarshal(one, &w) == nil {
			all = append(all, w)
		}
	}
	var out []Relevance
	seen := map[int]bool{}
	for _, w := range all {
		score := cmp.Or(w.RelevanceScore, w.Score)
		if w.Index == nil || score == nil || math.IsNaN(*score) || math.IsInf(*score, 0) || *w.Index < 0 || *w.Index >= n || seen[*w.Index] {
			continue
		}
		seen[*w.Index] = true
		out = append(out, Relevance{*w.Index, *score})
	}
	if len(out) == 0 && n > 0 {
		return nil, fmt.Errorf("no relevance of any of %d texts", n)
	}
	slices.SortStableFunc(out, func(a, b Relevance) int { return cmp.Compare(b.Score, a.Score) })
	return out, nil
}
