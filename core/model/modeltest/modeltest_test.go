package modeltest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, row := range []struct {
		text string
		size int
		want int
	}{{"", 1, 0}, {"abc", 0, 1}, {"abc", 1, 3}, {"中文", 1, 2}, {"a中b", 2, 2}} {
		got := split(row.text, row.size)
		joined := ""
		for _, piece := range got {
			joined += piece
		}
		if len(got) != row.want || joined != row.text {
			t.Errorf("%q by %d: %q", row.text, row.size, got)
		}
	}
}

func dot(a, b []float32) float32 {
	var sum float32
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func TestEmbeddings(t *testing.T) {
	s := Start(Script{Key: "k"})
	defer s.Close()
	ask := func(key, body string) (int, []byte) {
		req, err := http.NewRequest(http.MethodPost, s.URL+"/embeddings", bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, raw
	}
	status, raw := ask("k", `{"model":"e","input":["paid leave days","Paid leave","the printer"]}`)
	var got struct {
		Data []struct {
			Index     int
			Embedding []float32
		}
	}
	if err := json.Unmarshal(raw, &got); err != nil || status != 200 || len(got.Data) != 3 {
		t.Fatalf("%d, %v: %s", status, err, raw)
	}
	near, far := dot(got.Data[0].Embedding, got.Data[1].Embedding), dot(got.Data[0].Embedding, got.Data[2].Embedding)
	if self := dot(got.Data[0].Embedding, got.Data[0].Embedding); self < 0.999 || near <= far {
		t.Errorf("self %v, near %v, far %v", self, near, far)
	}
	if status, _ := ask("wrong", `{"input":"x"}`); status != 401 {
		t.Errorf("a wrong key gives %d", status)
	}
	if status, _ := ask("k", `{"input":7}`); status != 400 {
		t.Errorf("a wrong input gives %d", status)
	}
}
