package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
)

// looks are what a watch saw, one after the other.
func looks(now time.Time) [][]ingest.Running {
	began := now.Add(-time.Minute)
	run := func(source string, fetched, written int) ingest.Running {
		r := ingest.Running{Source: source, Reason: core.SyncFirst, Started: began}
		r.Fetched, r.Written, r.Pending, r.Failed = fetched, written, fetched-written, 0
		return r
	}
	return [][]ingest.Running{
		{run("docs", 10, 4), run("wiki", 1, 0)},
		{run("docs", 10, 4), run("wiki", 1, 0)},
		{run("docs", 20, 20), run("wiki", 1, 0)},
		{run("wiki", 3, 2)},
	}
}

func watchAll(t *testing.T, tty, asJSON bool, only string, step time.Duration) string {
	t.Helper()
	var out bytes.Buffer
	u := newUser(t)
	inv := u.invocation(nil, &out, &out)
	inv.OutTTY, inv.Width = tty, 60
	w := &watching{inv: inv, only: only, asJSON: asJSON, shown: map[string]ingest.Running{}, at: map[string]time.Time{}}
	now := time.Now()
	for _, all := range looks(now) {
		if err := w.show(all, now); err != nil {
			t.Fatal(err)
		}
		now = now.Add(step)
	}
	return out.String()
}

func TestWatchShows(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSpace(watchAll(t, false, false, "", watchLines)), "\n")
	want := []string{"docs: first since 1 min: 10 fetched, 4 indexed", "wiki: first", "docs: first since 1 min: 20 fetched, 20 indexed", "wiki: first since 1 min: 3 fetched, 2 indexed, 0 unchanged, 0 failed, 1 pending", "docs: ended"}
	if len(lines) != len(want) {
		t.Fatalf("plain lines:\n%s", strings.Join(lines, "\n"))
	}
	for i := range want {
		if !strings.HasPrefix(lines[i], want[i]) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want[i])
		}
	}
	if out := watchAll(t, false, false, "", time.Second); strings.Count(out, "docs: first") != 1 {
		t.Errorf("more often than every %s:\n%s", watchLines, out)
	}

	var ended, last int
	for line := range strings.Lines(watchAll(t, false, true, "docs", time.Second)) {
		var v watchLine
		if err := json.Unmarshal([]byte(line), &v); err != nil || v.Source != "docs" || v.Reason != core.SyncFirst || v.Fetched < last {
			t.Errorf("%v in %s", err, line)
		}
		last = v.Fetched
		if v.Ended {
			ended++
		}
	}
	if ended != 1 || last != 20 {
		t.Errorf("told of %d ends, at %d documents", ended, last)
	}

	out := watchAll(t, true, false, "", time.Second)
	if strings.Count(out, "\x1b[2A\x1b[J") != 3 {
		t.Errorf("a terminal is not drawn over: %q", out)
	}
	for line := range strings.Lines(out) {
		if text := line[strings.LastIndex(line, "J")+1:]; len([]rune(strings.TrimSpace(text))) > 60 {
			t.Errorf("wider than the terminal: %q", line)
		}
	}
}

// A watch of what does not run ends by itself and says how the source stands.
func TestWatchOfWhatIsDone(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	if o := u.run("sync", "--watch"); o.code != 0 || !strings.Contains(o.err, "footnote serve") {
		t.Errorf("where nobody serves: %+v", o)
	}
	if o := u.run("sync", "--watch", "--full"); o.code != exitUsage {
		t.Errorf("both at once: %+v", o)
	}
	u.serving()
	if o := u.run("sync", "docs", "--watch"); o.code != 0 || !strings.Contains(o.out, "last sync: ") || !lately(o.out) || !strings.Contains(o.out, "last checkpoint: ") {
		t.Errorf("of a source that does not run: %+v", o)
	}
	if o := u.run("sync", "nothing", "--watch"); o.code != exitNotFound {
		t.Errorf("of no source: %+v", o)
	}
	if o := u.run("sync", "--retry"); o.code != 0 || !strings.Contains(o.err, "nothing to try again") || o.out != "" {
		t.Errorf("a retry of nothing: %+v", o)
	}
	var v sourceView
	if err := json.Unmarshal([]byte(u.must("source", "show", "docs", "--json")), &v); err != nil || v.Schedule == nil || v.Schedule.ReadAt == nil || v.Schedule.Checkpoint == nil {
		t.Errorf("source show: %v, %+v", err, v.Schedule)
	}
}
