package plugins

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestHealthAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	fail := func(kind core.Kind) error { return core.Errorf(kind, "because") }
	busy := core.Wrap(core.KindBusy, &busyError{err: errors.New("x"), after: 7 * time.Minute}, "slow down")
	failed := func(n int) health { return health{state: StateWaiting, failures: n, err: fail(core.KindUnavailable)} }
	for name, row := range map[string]struct {
		before   health
		err      error
		state    State
		pause    time.Duration
		failures int
	}{
		"success":             {failed(2), nil, StateReady, 0, 0},
		"first":               {health{}, fail(core.KindUnavailable), StateWaiting, time.Minute, 1},
		"second":              {failed(1), fail(core.KindTimeout), StateWaiting, 5 * time.Minute, 2},
		"third":               {failed(2), errors.New("unknown"), StateWaiting, 30 * time.Minute, 3},
		"fourth":              {failed(3), fail(core.KindUnavailable), StateParked, 0, 4},
		"refused":             {health{}, fail(core.KindAuth), StateParked, 0, 0},
		"not allowed":         {failed(1), fail(core.KindDenied), StateParked, 0, 1},
		"wrong setting":       {health{}, fail(core.KindConfig), StateParked, 0, 0},
		"slow down":           {failed(3), busy, StateWaiting, 7 * time.Minute, 3},
		"slow down, some day": {health{}, fail(core.KindBusy), StateWaiting, time.Minute, 0},
		"stopped by us":       {failed(2), context.Canceled, StateWaiting, 0, 2},
	} {
		got := row.before.after(row.err, now)
		if got.state != row.state || got.failures != row.failures || row.pause > 0 && !got.until.Equal(now.Add(row.pause)) {
			t.Errorf("%s: %+v", name, got)
		}
		err := got.refusal("wiki", now.Add(time.Second))
		if row.state == StateReady != (err == nil) && name != "stopped by us" {
			t.Errorf("%s: %v", name, err)
		}
		if _, resting := Resting(err); err != nil && (!resting || !strings.Contains(err.Error(), "footnote sync wiki")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	parked := failed(9).park(fail(core.KindAuth), now).park(fail(core.KindAuth), now.Add(time.Hour))
	if !parked.since.Equal(now) {
		t.Errorf("parked since %v", parked.since)
	}
}

func TestShapesOfASecret(t *testing.T) {
	for secret, texts := range map[string][]string{
		"hunter2222":   {"token hunter2222.", "hunter2222"},
		`q"<&>\\p 1/2`: {`a q"<&>\\p 1/2 b`, `{"x":"q\"\u003c\u0026\u003e\\\\p 1/2"}`, "https://x.example/?k=q%22%3C%26%3E%5C%5Cp+1%2F2"},
		"-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nBAQEFAASCBKcwggSjAgEAAoIB\n-----END KEY-----\n": {
			"MIIEvQIBADANBgkqhkiG9w0", "line BAQEFAASCBKcwggSjAgEAAoIB end",
		},
	} {
		s := &stderr{}
		s.hide(shapes(secret))
		for _, text := range texts {
			got := s.clean(text)
			if !strings.Contains(got, "••••") || strings.Contains(got, "hunter") || strings.Contains(got, "u003c") || strings.Contains(got, "MII") || strings.Contains(got, "BAQE") {
				t.Errorf("%q of %q: %q", text, secret, got)
			}
		}
	}
	if got := shapes("abc"); len(got) > 0 {
		t.Errorf("too short to hide: %q", got)
	}
}

// The kept output may begin in the middle of a secret.
func TestHalfASecretInTheTail(t *testing.T) {
	const secret = "hunter2222-and-some-more"
	for off := range len(secret) + 2 {
		s := &stderr{}
		s.hide(shapes(secret))
		text := secret + strings.Repeat("x", tailSize-len(secret)+off)
		if _, err := s.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		tail, _ := s.last()
		rest := strings.TrimLeft(tail, "•")
		if strings.Trim(rest, "x") != "" {
			t.Errorf("cut after %d bytes: %q", off, tail[:40])
		}
	}
}
