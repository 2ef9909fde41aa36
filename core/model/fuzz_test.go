package model

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// Whatever a server sends, the text shown is valid and the reply is the sum of
// what was shown.
func FuzzStream(f *testing.F) {
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"a\xff\"}}]}\n\ndata: [DONE]\n"))
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":[1]}}]}}]}\n: c\n"))
	f.Add([]byte("{\"error\":{\"message\":\"x\"}}\n"))
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"<think>\\ud800</thi\"}}]}\n"))
	f.Add([]byte("data: {\"choices\":[{\"message\":{\"content\":[{\"text\":\"a\"},7]}}]}"))
	c, err := New(Config{BaseURL: "http://localhost/v1", Name: "m"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var shown strings.Builder
		s := &reading{client: c, started: time.Now(), each: func(d Delta) error {
			shown.WriteString(d.Text)
			return nil
		}}
		s.open()
		s.run(newEventReader(bytes.NewReader(raw)).next)
		r := s.end(t.Context(), &watch{})
		if !utf8.ValidString(r.reply.Text) || r.reply.Text != shown.String() {
			t.Errorf("the reply %q is not what was shown, %q", r.reply.Text, shown.String())
		}
		if r.err != nil && len(r.reply.Calls) > 0 {
			t.Errorf("a broken reply has calls %+v", r.reply.Calls)
		}
	})
}

func FuzzReadVectors(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":"AACAPw=="}]}`), 2)
	f.Add([]byte(`{"data":[{"embedding":null},{"embedding":{}}]}`), 2)
	f.Add([]byte(`{"data":[{"index":-1,"embedding":[1e999]}]}`), 1)
	f.Fuzz(func(t *testing.T, raw []byte, n int) {
		got, tokens, err := readVectors(raw, n)
		if err == nil && len(got) != n || tokens < 0 {
			t.Errorf("%d vectors for %d texts, %d tokens", len(got), n, tokens)
		}
	})
}

// A reply of 100 KB in pieces of a few bytes.
func BenchmarkStream(b *testing.B) {
	var stream bytes.Buffer
	for range 20_000 {
		stream.WriteString("data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"},\"finish_reason\":null}]}\n\n")
	}
	stream.WriteString("data: [DONE]\n\n")
	c, err := New(Config{BaseURL: "http://localhost/v1", Name: "m"})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(stream.Len()))
	b.ReportAllocs()
	for b.Loop() {
		s := &reading{client: c, started: time.Now(), each: func(Delta) error { return nil }}
		s.open()
		s.run(newEventReader(bytes.NewReader(stream.Bytes())).next)
		if r := s.end(b.Context(), &watch{tail: []byte("[DONE]")}); r.err != nil || len(r.reply.Text) != 100_000 {
			b.Fatal(r.err)
		}
	}
}
