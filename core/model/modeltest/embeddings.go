package modeltest

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
)

const dimensions = 64

// embeddings answers with vectors made from the words of a text: equal texts
// have equal vectors, and texts that share words are near each other.
func (s *Server) embeddings(w http.ResponseWriter, hr *http.Request) {
	var req struct {
		Input json.RawMessage `json:"input"`
		Model string          `json:"model"`
	}
	if !s.allowed(hr) {
		refuse(w, http.StatusUnauthorized, "Incorrect API key provided")
		return
	}
	if err := json.NewDecoder(hr.Body).Decode(&req); err != nil {
		refuse(w, http.StatusBadRequest, "the request is not JSON")
		return
	}
	var texts []string
	if json.Unmarshal(req.Input, &texts) != nil {
		var one string
		if json.Unmarshal(req.Input, &one) != nil {
			refuse(w, http.StatusBadRequest, "input must be a text or a list of texts")
			return
		}
		texts = []string{one}
	}
	if s.embeddingFault(w, len(texts)) {
		return
	}
	data := []object{}
	for i, text := range texts {
		data = append(data, object{"object": "embedding", "index": i, "embedding": Embed(text)})
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, line(object{"object": "list", "model": req.Model, "data": data,
		"usage": object{"prompt_tokens": len(texts), "total_tokens": len(texts)}}))
}

// embeddingFault plays the fault that is due and reports whether there was one.
func (s *Server) embeddingFault(w http.ResponseWriter, texts int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches = append(s.batches, texts)
	if s.script.MaxInputs > 0 && texts > s.script.MaxInputs {
		refuse(w, http.StatusBadRequest, "batch size is too large")
		return true
	}
	if s.faults >= len(s.script.Embeddings) {
		return false
	}
	r := s.script.Embeddings[s.faults]
	s.faults++
	for k, v := range r.Header {
		w.Header().Set(k, v)
	}
	w.WriteHeader(r.Status)
	io.WriteString(w, r.Body)
	return true
}

// Batches returns how many texts each embedding request had, in order.
func (s *Server) Batches() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.batches)
}

// Embed is the vector that /embeddings gives for the text: length 1, or zero
// for a text without words.
func Embed(text string) []float32 {
	v := make([]float64, dimensions)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		h := fnv.New64a()
		h.Write([]byte(word))
		sum := h.Sum64()
		v[sum%dimensions] += 1 - 2*float64(sum>>63)
	}
	norm := 0.0
	for _, x := range v {
		norm += x * x
	}
	out := make([]float32, dimensions)
	for i, x := range v {
		if norm > 0 {
			out[i] = float32(x / math.Sqrt(norm))
		}
	}
	return out
}
