package plugins_test

import (
	"io"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

func TestFetch(t *testing.T) {
	c := open(t, "good", "")
	r, file, err := c.Fetch(t.Context(), "1000000", 2_000_000)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, r)
	if n != 1_000_000 || err != nil || file.Name != "zeros" || file.Size != n {
		t.Errorf("%d bytes of %+v: %v", n, file, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, _, err = c.Fetch(t.Context(), "1000000", 999_999); core.KindOf(err) != core.KindTooLarge {
		t.Errorf("announced too large: %v", err)
	}
	if _, _, err = c.Fetch(t.Context(), "x", 1); core.KindOf(err) != core.KindNotFound {
		t.Errorf("gone: %v", err)
	}
}

func TestFetchStopsAtTheLimit(t *testing.T) {
	c := open(t, "good", "")
	r, _, err := c.Fetch(t.Context(), "-1000000000", 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n, err := io.Copy(io.Discard, r)
	if core.KindOf(err) != core.KindTooLarge || n > 1_000_000 {
		t.Errorf("%d bytes, %v", n, err)
	}
	early, _, err := c.Fetch(t.Context(), "-1000000000", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := early.Read(make([]byte, 10)); err != nil {
		t.Error(err)
	}
	if err := early.Close(); err != nil {
		t.Error(err)
	}
	if changes, err := collect(t, c.Connection); err != nil || len(changes) == 0 {
		t.Errorf("a sync after it: %v", err)
	}
}

func TestShortFileIsAnError(t *testing.T) {
	c := open(t, "raw", "")
	r, _, err := c.Fetch(t.Context(), "x", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := io.ReadAll(r); err == nil || !strings.Contains(err.Error(), "5 bytes where 10 were announced") {
		t.Error(err)
	}
}
