package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/footnote-bot/footnote/core"
)

const (
	maxBatch      = 64        // texts in one embedding request
	maxBatchBytes = 256 << 10 // and their length, so that one request ends in time
)

// Embed returns one vector for each text, in order and all of one length. Texts
// are sent in batches, which become smaller where the server refuses them; a batch
// that fails is retried where a retry can help. Later calls begin with smaller
// batches only where all texts of a refused one were taken in smaller ones: else it
// was a text that was too long, and not the batch.
//
// There is no partial result. Errors are core.Errors of the kinds that Stream
// has; too_large names the text, counted from 1, that the model does not take.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, _, err := c.EmbedUsage(ctx, texts)
	return vectors, err
}

// EmbedUsage is Embed, and tells what it used, also where it then failed. What the
// server does not count is estimated.
func (c *Client) EmbedUsage(ctx context.Context, texts []string) (_ [][]float32, used core.Usage, err error) {
	_, release, err := c.enter(ctx)
	if err != nil {
		return nil, used, c.explain(ctx, result{err: err})
	}
	defer release()
	out := make([][]float32, 0, len(texts))
	most, refused := int(c.batch.Load()), 0 // refused counts the texts up to the end of a refused batch
	for len(out) < len(texts) {
		batch := nextBatch(texts[len(out):], most)
		vectors, r := c.embedBatch(ctx, batch)
		switch {
		case r.err == nil:
			used.PromptTokens += r.reply.Usage.PromptTokens
		case len(batch) > 1 && tooMany(r):
			most, refused = len(batch)/2, max(refused, len(out)+len(batch))
			continue
		case overflow(r.message) || r.status == http.StatusRequestEntityTooLarge:
			return nil, used, core.Wrap(core.KindTooLarge, c.scrub(r), c.sentence(
				"Text %d of %d bytes is longer than the embedding model %s at %s (@base_url) takes in: cut it into smaller passages.",
				len(out)+1, len(batch[0]), c.cfg.Name, c.where()))
		default:
			return nil, used, c.explainEmbed(ctx, r)
		}
		if err := c.sameLength(out, vectors); err != nil {
			return nil, used, err
		}
		out = append(out, vectors...)
		if refused > 0 && len(out) >= refused {
			c.batch.Store(min(c.batch.Load(), int64(most)))
		}
	}
	return out, used, nil
}

// nextBatch takes as many texts as one request may have, at least one.
func nextBatch(texts []string, most int) []string {
	n, size := 0, 0
	for n < len(texts) && n < most {
		size += len(texts[n])
		if n > 0 && size > maxBatchBytes {
			break
		}
		n++
	}
	return texts[:n]
}

// tooMany sees a refusal that a smaller batch may heal.
func tooMany(r result) bool {
	switch r.status {
	case http.StatusRequestEntityTooLarge:
		return true
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		text := strings.ToLower(r.message)
		return overflow(text) || strings.Contains(text, "batch") || strings.Contains(text, "too many") || strings.Contains(text, "at most")
	}
	return false
}

// embedBatch sends one batch until it succeeds or retrying is of no use.
func (c *Client) embedBatch(ctx context.Context, texts []string) ([][]float32, result) {
	for attempt := 1; ; attempt++ {
		vectors, r := c.embedOnce(ctx, texts)
		if r.err == nil || ctx.Err() != nil || attempt > c.cfg.Retries || !retryable(r) {
			return vectors, r
		}
		wait, again := waitFor(r.retryAfter, attempt, c.cfg.MaxWait)
		if !again {
			return nil, r
		}
		c.log.Warn("embedding failed, trying again", "model", c.cfg.Name,
			"attempt", attempt, "status", r.status, "wait_ms", wait.Milliseconds())
		if err := sleep(ctx, wait); err != nil {
			return nil, result{err: err}
		}
	}
}

// embedOnce uses the library's request and our own reader: servers send vectors
// in forms that the library does not read.
func (c *Client) embedOnce(ctx context.Context, texts []string) ([][]float32, result) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d := c.door(cancel, "/embeddings")
	raw, err := d.post(ctx, openai.EmbeddingRequest{
		Model: openai.EmbeddingModel(c.cfg.Name), Input: notEmpty(texts),
		EncodingFormat: openai.EmbeddingEncodingFormatFloat,
	})
	if err != nil {
		return nil, d.failure(ctx, err)
	}
	vectors, tokens, err := readVectors(raw, len(texts))
	if err != nil {
		return nil, result{err: err, malformed: true}
	}
	if tokens == 0 || tokens > mostOf(texts) {
		tokens = c.countAll(texts)
	}
	return vectors, result{reply: Reply{Usage: core.Usage{PromptTokens: tokens}}}
}

// mostOf is more than any model makes of the texts, with what a server puts before
// each. One absurd number must not use up the money of a month.
func mostOf(texts []string) (tokens int) {
	for _, text := range texts {
		tokens += len(text) + 1024
	}
	return tokens
}

func (c *Client) countAll(texts []string) (tokens int) {
	for _, text := range texts {
		tokens += c.tokens.Count(text)
	}
	return tokens
}

// notEmpty puts a blank where there is no text, because servers refuse those.
func notEmpty(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		if out[i] = strings.ToValidUTF8(text, "\uFFFD"); text == "" {
			out[i] = " "
		}
	}
	return out
}

// readVectors reads a reply with one vector for each of n texts, and how many tokens
// the server counted; 0 where it does not tell. Its errors say what is wrong with the
// reply.
func readVectors(raw []byte, n int) (_ [][]float32, tokens int, err error) {
	var reply struct {
		Data []struct {
			Index     *int       `json:"index"`
			Embedding wireVector `json:"embedding"`
		} `json:"data"`
		Usage chunkUsage `json:"usage"`
	}
	if err := json.Unmarshal(raw, &reply); err != nil {
		if bytes.Contains(raw, []byte("NaN")) || bytes.Contains(raw, []byte("Infinity")) {
			return nil, 0, fmt.Errorf("a vector with no number in it: %w", err)
		}
		return nil, 0, fmt.Errorf("a reply that is not a list of vectors: %w", err)
	}
	if len(reply.Data) != n {
		return nil, 0, fmt.Errorf("%d vectors for %d texts", len(reply.Data), n)
	}
	out := make([][]float32, n)
	for i, d := range reply.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= n || out[at] != nil {
			return nil, 0, fmt.Errorf("vectors whose numbers do not fit the texts (%d of %d)", at, n)
		}
		if fault := d.Embedding.fault(); fault != "" {
			return nil, 0, fmt.Errorf("for text %d of a batch %s", at+1, fault)
		}
		out[at] = d.Embedding
	}
	return out, int(cmp.Or(reply.Usage.Prompt, reply.Usage.Total)), nil
}

// wireVector is a vector as numbers or, from servers that ignore what was asked
// for, as the bytes of them in base64. Numbers that are none become NaN.
type wireVector []float32

// UnmarshalJSON reads either form.
func (v *wireVector) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return v.decode(text)
	}
	var numbers []*float64
	if err := json.Unmarshal(raw, &numbers); err != nil {
		return err
	}
	for _, x := range numbers {
		if x == nil {
			*v = append(*v, float32(math.NaN()))
			continue
		}
		*v = append(*v, float32(*x))
	}
	return nil
}

func (v *wireVector) decode(text string) error {
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(packed)%4 != 0 {
		return errors.New("a vector in a form that is not known")
	}
	for ; len(packed) > 0; packed = packed[4:] {
		*v = append(*v, math.Float32frombits(binary.LittleEndian.Uint32(packed)))
	}
	return nil
}

// fault says what makes the vector unusable, or nothing.
func (v wireVector) fault() string {
	if len(v) == 0 {
		return "an empty vector"
	}
	for i, x := range v {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Sprintf("a vector with no number at %d", i+1)
		}
	}
	return ""
}

// sameLength checks a batch against itself, the batches before it and the
// configured length.
func (c *Client) sameLength(before, vectors [][]float32) error {
	want := c.cfg.Dimensions
	switch {
	case want > 0:
	case len(before) > 0:
		want = len(before[0])
	default:
		want = len(vectors[0])
	}
	for _, v := range vectors {
		if len(v) != want {
			return core.Errorf(core.KindUnavailable, "%s", c.sentence(
				"The embedding model %s at %s (@base_url) gave a vector of %d numbers where %d are expected: set @name to the model that the other vectors were made with.",
				c.cfg.Name, c.where(), len(v), want))
		}
	}
	return nil
}

// explainEmbed is explain, with what was wrong with the vectors.
func (c *Client) explainEmbed(ctx context.Context, r result) error {
	if r.malformed && r.status == 0 && !errors.Is(r.err, errNotChat) {
		return core.Wrap(core.KindUnavailable, c.scrub(r), c.sentence(
			"The embedding model %s at %s (@base_url) gave %s: check that @name is an embedding model and that the server speaks the OpenAI embeddings wire.",
			c.cfg.Name, c.where(), vectorFault(r.err)))
	}
	return c.explain(ctx, r)
}

// vectorFault is the part of the error that is our own words.
func vectorFault(err error) string {
	text, _, _ := strings.Cut(err.Error(), ":")
	return text
}
