package model

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Chunks as servers send them by the thousand.
var plainChunks = []string{
	`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","service_tier":"default","system_fingerprint":null,"choices":[{"index":0,"delta":{"content":" word","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null}`,
	`{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"größer \"x\"\n\u00e4 \ud83d\ude00"},"finish_reason":null}]}`,
	"{ \"choices\": [ { \"delta\": { \"reasoning_content\": null, \"content\": \"\", \"tool_calls\": null } } ] }\r\n",
	`{"choices":[{"finish_reason":null,"delta":{"content":"a\\"}}],"id":"c","error":null}`,
}

// Chunks that the decoder has to read.
var otherChunks = []string{
	`{"choices":[{"delta":{"content":null}}]}`,
	`{"choices":[{"delta":{"role":"assistant"}}]}`,
	`{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`,
	`{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":3}}`,
	`{"choices":[{"delta":{"content":"a","Content":"b"}}]}`,
	`{"choices":[{"delta":{"content":"a","content":"b"}}]}`,
	`{"choices":[{"delta":{"content":"a"},"delta":{"role":"x"}}]}`,
	`{"choices":[{"delta":{"content":"a"}}],"choices":[]}`,
	`{"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}`,
	`{"choices":[{"delta":{"content":"a","reasoning":"hm"}}]}`,
	`{"choices":[{"delta":{"content":"a","tool_calls":[]}}]}`,
	`{"choices":[{"delta":{"content":["a"]}}]}`,
	`{"choices":[{"message":{"content":"a"}}]}`,
	`{"choices":[{"delta":{"content":"a"}}],"error":"boom"}`,
	`{"choices":[{"delta":{"content":"a"}}],"x":{}}`,
	`{"created":01,"choices":[{"delta":{"content":"a"}}]}`,
	`{"created":1.5,"choices":[{"delta":{"content":"a"}}]}`,
	`{"choices":[{"delta":{"content":"a` + "\n" + `"}}]}`,
	`{"choices":[{"delta":{"content":"\x"}}]}`,
	`{"choices":[{"delta":{"content":"a"}}]} x`,
	`{"choices":[{"delta":{"content":"a"}}]`,
	`{"choices":[{"delta":{"content":"a`,
	"{\"choices\":[{\"delta\":{\"content\":\"\xff\"}}]}",
	`{"choices":[]}`, `[]`, `{`, `{}`, ``,
}

func TestPlain(t *testing.T) {
	for _, raw := range plainChunks {
		if !samePlain(t, []byte(raw)) {
			t.Errorf("the decoder reads %s", raw)
		}
	}
	for _, raw := range otherChunks {
		if samePlain(t, []byte(raw)) {
			t.Errorf("the decoder does not read %s", raw)
		}
	}
}

// samePlain tells whether a chunk is plain, and that the decoder would say the same.
func samePlain(t *testing.T, raw []byte) bool {
	t.Helper()
	var p plain
	text, ok := p.read(raw)
	if !ok {
		return false
	}
	got, want := plainChunk(), chunk{}
	got.Choices[0].Delta.Content.text = text
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Errorf("%q is plain, and no JSON: %v", raw, err)
	}
	if string(want.Error) == "null" {
		want.Error = nil
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(chunkDelta{}, chunkChoice{}, loose{})); diff != "" {
		t.Errorf("%q is not what the decoder reads: %s", raw, diff)
	}
	return true
}

// Whatever is changed in a chunk, what is still plain is what the decoder reads.
func TestPlainOfChangedChunks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	all := append(append([]string{}, plainChunks...), otherChunks...)
	const letters = "{}[]\",:\\ nulltrue019.-+eE\n\t\x00\xc3\xff"
	plain := 0
	for range 30_000 {
		raw := []byte(all[r.IntN(len(all))])
		for range 1 + r.IntN(3) {
			at := r.IntN(len(raw) + 1)
			switch other := all[r.IntN(len(all))]; r.IntN(4) {
			case 0:
				raw = append(raw[:at:at], raw[min(len(raw), at+1+r.IntN(3)):]...)
			case 1:
				raw = append(append(raw[:at:at], letters[r.IntN(len(letters))]), raw[at:]...)
			case 2:
				raw = append(append(raw[:at:at], letters[r.IntN(len(letters))]), raw[min(len(raw), at+1):]...)
			case 3:
				from := r.IntN(len(other) + 1)
				part := other[from:min(len(other), from+r.IntN(40))]
				raw = append(append(raw[:at:at], part...), raw[at:]...)
			}
		}
		if samePlain(t, raw) {
			plain++
		}
	}
	if plain < 100 {
		t.Errorf("only %d of the chunks were plain", plain)
	}
}

func FuzzPlain(f *testing.F) {
	for _, raw := range append(append([]string{}, plainChunks...), otherChunks...) {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { samePlain(t, raw) })
}
