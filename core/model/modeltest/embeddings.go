package modeltest

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"math"
	"net/http"
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
	data := []object{}
	for i, text := range texts {
		data = append(data, object{"object": "embedding", "index": i, "embedding": Embed(text)})
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, line(object{"object": "list", "model": req.Model, "data": data,
		"usage": object{"prompt_tokens": len(texts), "total_tokens": len(texts)}}))
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
