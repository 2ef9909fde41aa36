package chunk

import "testing"

func BenchmarkSplit(b *testing.B) {
	c := goDoc(b, "go_spec.html")
	n := 0
	for _, bl := range c.Blocks {
		n += len(bl.Text)
	}
	b.SetBytes(int64(n))
	for b.Loop() {
		if len(Split(c.Title, c, Options{})) < 50 {
			b.Fatal("too few passages")
		}
	}
}
