//go:build peers

package model_test

import "testing"

// TestPeersEmbed asks a small real embedding model: texts that mean the same lie
// closer together than texts that share nothing.
func TestPeersEmbed(t *testing.T) {
	c := embedder(t, program(t, "embed.mjs"), nil)
	got, err := c.Embed(t.Context(), []string{"How much holiday do I get?", "Employees have thirty days of vacation.", "The printer is out of toner."})
	if err != nil || len(got) != 3 || len(got[0]) != 512 {
		t.Fatalf("%d vectors, %v", len(got), err)
	}
	product := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	if near, far := product(got[0], got[1]), product(got[0], got[2]); near <= far {
		t.Errorf("the same meaning %f, another %f", near, far)
	}
}
