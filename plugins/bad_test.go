package plugins_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugins"
)

func slogTo(l *logged) *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Whatever a connector does in a sync, the host says what it was and the same
// process or the next one goes on.
func TestBadSyncs(t *testing.T) {
	for mode, row := range map[string]struct {
		kind core.Kind // of the sync's error, "" if it succeeds
		text string    // in the error, a note or a failure
	}{
		"fine":   {"", ""},
		"large":  {"", "larger than 1 MiB"},
		"binary": {"", "not valid UTF-8"},
		"silent": {"", `1 of the documents have no readers, so nobody finds them; the first is "good"`},
		"twice":  {"", `1 of the documents came more than once with different content, and the last one counts; the first is "good"`},
		"cursor": {core.KindUnavailable, "the cursor takes 65537 bytes, the limit is 65536"},
		"panic":  {core.KindUnavailable, "the connector panicked: no luck in mid-sync"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := open(t, "bad", `{"mode": "`+mode+`"}`)
			for range 2 { // the process lives through it
				changes, err := collect(t, c.Connection)
				text := said(changes, err)
				if core.KindOf(err) != row.kind || !strings.Contains(text, row.text) || row.text == "" && text != "" {
					t.Errorf("%s: %s", core.KindOf(err), text)
				}
				if mode == "fine" && len(changes) != 2 {
					t.Errorf("%+v", changes)
				}
			}
		})
	}
}

// said is all that a sync told people.
func said(changes []core.Change, err error) string {
	var out []string
	for _, change := range changes {
		switch ch := change.(type) {
		case core.Note:
			out = append(out, ch.Text)
		case core.Failure:
			out = append(out, ch.Detail)
		case core.Upsert:
			if ch.Failed != nil {
				out = append(out, ch.Failed.Detail)
			}
		}
	}
	if err != nil {
		out = append(out, err.Error())
	}
	return strings.Join(out, "\n")
}

func TestLiesOnTheWire(t *testing.T) {
	c := open(t, "liar", "")
	if _, err := collect(t, c.Connection); core.KindOf(err) != core.KindTooLarge || !strings.Contains(err.Error(), "cursor takes 65537 bytes") {
		t.Errorf("large cursor: %v", err)
	}
	err := c.Sync(t.Context(), core.Cursor("huge"), core.SyncPoll, func(core.Change) error { return nil })
	if core.KindOf(err) != core.KindTooLarge || !strings.Contains(err.Error(), "8388608") {
		t.Errorf("9 MiB in one message: %s %v", core.KindOf(err), err)
	}
}

func TestMissingAndUnknownSettings(t *testing.T) {
	for config, want := range map[string]string{
		`{}`:                         "mode: a value is required",
		`{"mode":"fine","mood":"x"}`: "mood: there is no such field; did you mean mode?",
	} {
		if _, _, err := tryOpen(t, "bad", config); core.KindOf(err) != core.KindConfig || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", config, err)
		}
	}
}

func TestPrintsBeforeTheHandshake(t *testing.T) {
	c := open(t, "half-line", "")
	if _, err := collect(t, c.Connection); err != nil {
		t.Error(err)
	}
	if text := c.log.String(); !strings.Contains(text, "prints on standard output") || !strings.Contains(text, `line="loading plugins 1"`) {
		t.Errorf("log: %s", text)
	}
	// On a busy machine it may not even have printed when the time is over.
	const printed = "the last that it printed is: please log in first"
	var err error
	for limit := 500 * time.Millisecond; limit < patience && (err == nil || !strings.Contains(err.Error(), printed)); limit *= 2 {
		_, err = newHost(t, plugins.Options{StartTimeout: limit}).Open(t.Context(), source("prints-only", ""))
	}
	if core.KindOf(err) != core.KindTimeout || !strings.Contains(err.Error(), printed) {
		t.Error(err)
	}
}

func TestConnectorThatIgnoresCancellation(t *testing.T) {
	host, clock := newPool(t, plugins.Options{})
	src := source("bad", `{"mode": "deaf"}`)
	l, err := host.Use(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	start := time.Time{}
	err = l.Sync(ctx, nil, core.SyncFirst, func(core.Change) error {
		start = time.Now()
		cancel()
		return nil
	})
	if core.KindOf(err) != core.KindCancelled || time.Since(start) > patience {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
	if testing.Short() {
		t.Skip("the rest takes 10 seconds")
	}
	err = use(t, host, src)
	if err == nil || !strings.Contains(err.Error(), "must return soon after its context is done") {
		t.Errorf("%v", err)
	}
	clock.advance(2 * time.Minute)
	l, err = host.Use(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	stop := fmt.Errorf("enough")
	if err := l.Sync(t.Context(), nil, core.SyncFirst, func(core.Change) error { return stop }); err != stop {
		t.Errorf("a new process: %v", err)
	}
}

// pinned starts a connector whose program has to have the given sum.
func pinned(t *testing.T, exe, sum string) error {
	t.Helper()
	host := newHost(t, plugins.Options{Pin: func(connector string) (string, string, bool) {
		return exe, sum, connector == "pinned"
	}})
	_, err := host.Describe(t.Context(), "pinned")
	return err
}

func TestProgramsAreCheckedAtEveryLaunch(t *testing.T) {
	// A shell script stands for an installed program: it starts this binary.
	exe := filepath.Join(t.TempDir(), "connector")
	script := fmt.Sprintf("#!/bin/sh\n%s exec '%s' serve-plugin good\n", quickEnd, os.Args[0])
	write := func(text string) string {
		if err := os.WriteFile(exe, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	sum := write(script)
	for _, spelt := range []string{sum, strings.ToUpper(sum)} {
		if err := pinned(t, exe, spelt); err != nil {
			t.Error(err)
		}
	}
	mark := filepath.Join(t.TempDir(), "ran")
	other := write(script + "# changed\ntouch " + mark + "\n")
	err := pinned(t, exe, sum)
	if core.KindOf(err) != core.KindConfig || !strings.Contains(err.Error(), other) || !strings.Contains(err.Error(), sum) || !strings.Contains(err.Error(), "footnote plugin install") {
		t.Error(err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a changed program ran")
	}
	if err := os.Remove(exe); err != nil {
		t.Fatal(err)
	}
	if err := pinned(t, exe, sum); core.KindOf(err) != core.KindNotFound {
		t.Error(err)
	}
}
