package model

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"

	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// The estimate against the vocabulary of a current model, on our own pages and
// on other scripts: enough to plan a context by.
func TestEstimateIsNear(t *testing.T) {
	texts := map[string]string{
		"Chinese":  strings.Repeat("员工可以在任职满六个月之后申请远程办公，申请需要经过直属经理批准。报销单必须在三十天之内提交。", 20),
		"Japanese": strings.Repeat("社員は入社から六か月後にリモートワークを申請できます。経費は三十日以内に提出してください。", 20),
		"German":   strings.Repeat("Die Kündigungsfrist für Arbeitsverhältnisse beträgt während der Probezeit zwei Wochen und danach drei Monate. ", 20),
		"Russian":  strings.Repeat("Сотрудник может подать заявление на удалённую работу после шести месяцев. ", 20),
		"numbers":  strings.Repeat("2026-03-02 09:15:44 order 1048576 paid 1,299.00 EUR\n", 20),
		"JSON":     strings.Repeat(`{"number":3,"title":"Leave policy","updated":"2026-03-02","content":"Leave is 30 days."},`, 20),
		"code":     strings.Repeat("func (c *Client) Window() int {\n\tif c.cfg.ContextWindow > 0 {\n\t\treturn c.cfg.ContextWindow\n\t}\n\treturn 0\n}\n", 20),
	}
	for _, page := range []string{"docs/design.md", "README.md", "CONTRIBUTING.md"} {
		raw, err := os.ReadFile(filepath.Join("..", "..", page))
		if err != nil {
			t.Fatal(err)
		}
		texts[page] = string(raw)
	}
	exact := codec.NewO200kBase()
	for name, text := range texts {
		want, err := exact.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		got := estimate(text)
		ratio := float64(got) / float64(want)
		t.Logf("%-15s %6d tokens, estimate %.2f", name, want, ratio)
		if ratio < 0.8 || ratio > 1.3 {
			t.Errorf("%s: %d tokens, estimated %d (%.2f)", name, want, got, ratio)
		}
	}
}

func TestEstimateOfOddTexts(t *testing.T) {
	for text, most := range map[string]int{
		"": 0, " ": 0, "a": 1, "\n\n\n": 1, "\xff\xfe": 4, strings.Repeat("=", 200): 20, strings.Repeat(" ", 500): 2, "👍": 2, "\u0000": 1,
	} {
		if got := estimate(text); got > most || got < 0 {
			t.Errorf("%q: got %d, want at most %d", text, got, most)
		}
	}
}

func TestFactorFollowsTheServer(t *testing.T) {
	rows := []struct {
		name  string
		ratio float64
		want  float64
	}{
		{"counts more", 1.4, 1.4}, {"counts less", 0.7, 0.7}, {"absurdly much", 50, 2}, {"absurdly little", 0.01, 0.5}, {"the same", 1, 1},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c := NewCounter()
			for range 30 {
				counted := int(100_000 * c.Factor())
				c.Observe(counted, int(100_000*row.ratio))
			}
			if got := c.Factor(); math.Abs(got-row.want) > 0.05 {
				t.Errorf("got %.3f, want %.2f", got, row.want)
			}
		})
	}
	c := NewCounter()
	c.Observe(10, 1000)
	c.Observe(1000, 0)
	if c.Factor() != 1 {
		t.Errorf("small numbers changed the factor to %v", c.Factor())
	}
}

func TestCounterFromManyGoroutines(t *testing.T) {
	c := NewCounter()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				c.Observe(1000, 1500)
				_ = c.Count("some words to count")
			}
		})
	}
	all.Wait()
	if f := c.Factor(); f < 0.5 || f > 2 {
		t.Errorf("got %v", f)
	}
}

func TestClientLearnsFromUsage(t *testing.T) {
	srv := serve(t, modeltest.Script{Replies: []modeltest.Reply{{Text: "ok", Usage: &modeltest.Usage{Prompt: 3000, Completion: 1}}}})
	c, err := New(Config{BaseURL: srv.URL, Name: "m"})
	if err != nil {
		t.Fatal(err)
	}
	req := Request{Messages: []Message{{Role: User, Content: strings.Repeat("some words ", 1000)}}}
	before := c.Counter().CountRequest(req)
	if _, err := c.Stream(t.Context(), req, drop); err != nil {
		t.Fatal(err)
	}
	if after := c.Counter().CountRequest(req); after <= before || after > 3000 {
		t.Errorf("counted %d before and %d after the server said 3000", before, after)
	}
}

func FuzzEstimate(f *testing.F) {
	f.Add("Grüße, 世界!\n\n  12345 foo_bar(x)")
	f.Add("\xff\x80\x00")
	f.Fuzz(func(t *testing.T, text string) {
		if n := estimate(text); n < 0 || n > 2*utf8.RuneCountInString(text)+1 {
			t.Errorf("%d tokens for %d runes", n, utf8.RuneCountInString(text))
		}
	})
}

func BenchmarkEstimate(b *testing.B) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "design.md"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		estimate(string(raw))
	}
}
