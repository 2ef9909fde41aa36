package plugintest_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
)

// The test binary is also the connectors under test.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "raw":
			serveRaw(os.Args[2])
			os.Exit(0)
		case "pages":
			servePages(os.Args[2])
			os.Exit(0)
		}
	}
	// Most of the time the rows wait for processes; four of them fill two cores.
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func executable(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// quickEnd keeps a program with the race detector from waiting a second before it
// ends.
var quickEnd = []string{"GORACE=atexit_sleep_ms=0"}

// rawSubject is the raw connector in some mode, with a folder as its system.
func rawSubject(t *testing.T, mode string) plugintest.Subject {
	t.Helper()
	base := t.TempDir()
	config, err := json.Marshal(map[string]any{"base": base, "token": "hunter2222"})
	if err != nil {
		t.Fatal(err)
	}
	mark := func(name string) func(context.Context) error {
		return func(context.Context) error { return os.WriteFile(filepath.Join(base, name), []byte("!"), 0o600) }
	}
	return plugintest.Subject{
		Command: []string{executable(t), "raw", mode}, Env: quickEnd, Config: config, Touch: mark("touched"), Remove: mark("removed"),
	}
}

// failing runs checks and returns the ids of those that fail.
func failing(t *testing.T, s plugintest.Subject, only ...string) []string {
	t.Helper()
	results, err := plugintest.Test(t.Context(), s, plugintest.Options{Only: only, SlowFor: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range results {
		if r.State == plugintest.Fail {
			ids = append(ids, r.ID)
			t.Logf("%s: %s", r.ID, r.Reason)
		}
	}
	return ids
}

// Every check passes on a connector without a fault, and none is skipped but
// those on a scripted system.
func TestGoodConnector(t *testing.T) {
	results, err := plugintest.Test(t.Context(), rawSubject(t, "good"), plugintest.Options{SlowFor: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if scripted := strings.HasPrefix(r.ID, "fault."); r.State == plugintest.Fail || r.State == plugintest.Skip && !scripted {
			t.Errorf("%s: %s %s", r.ID, r.State, r.Reason)
		}
	}
	if len(results) != len(plugintest.Checks()) {
		t.Errorf("%d results of %d checks", len(results), len(plugintest.Checks()))
	}
}

// broken maps each mode of the raw connector to the checks that have to fail,
// and says which features are looked at: all that have to do with the fault.
var broken = []struct {
	mode string
	want []string
	only []string
}{
	{"print", []string{"start.stdout"}, []string{"start", "config"}},
	{"panic-start", []string{"start.up"}, nil},
	{"newer", []string{"start.protocol"}, nil},
	{"describe", []string{"start.describe"}, nil},
	{"outlive", []string{"start.orphan"}, []string{"start", "config"}},
	{"schema", []string{"config.schema"}, []string{"start.describe", "config.schema", "config.help"}},
	{"help", []string{"config.help"}, []string{"start.describe", "config"}},
	{"refuses", []string{"config.accepted"}, nil},
	{"required", []string{"config.required"}, []string{"config", "sync.first"}},
	{"unknown", []string{"config.unknown"}, []string{"config", "sync.first"}},
	{"type", []string{"config.type"}, []string{"config", "sync.first"}},
	{"check", []string{"config.check"}, []string{"config", "sync.first"}},
	{"leak", []string{"config.secrets"}, []string{"config", "sync.first"}},
	{"renew", []string{"config.renew"}, []string{"config", "sync.first"}},
	{"panic-sync", []string{"sync.first"}, nil},
	{"endless", []string{"sync.first"}, []string{"sync", "list.removed"}},
	{"duplicate", []string{"sync.ids"}, contents},
	{"unstable", []string{"sync.ids"}, []string{"sync.ids", "sync.access", "sync.limits"}},
	{"access", []string{"sync.access"}, contents},
	{"utf8", []string{"sync.utf8"}, contents},
	{"body", []string{"sync.limits"}, contents},
	{"url", []string{"sync.url"}, contents},
	{"future", []string{"sync.updated"}, []string{"sync.updated", "sync.limits", "sync.url"}},
	{"failure", []string{"sync.failures"}, contents},
	{"no-checkpoint", []string{"sync.checkpoint"}, cursors},
	{"not-at-end", []string{"sync.checkpoint"}, cursors},
	{"end-only", nil, cursors},
	{"fat-cursor", []string{"sync.cursor"}, cursors},
	{"skips", []string{"sync.resume"}, cursors},
	{"late-cursor", []string{"sync.touched"}, []string{"sync.first", "sync.poll", "sync.resume", "sync.touched", "list"}},
	{"undead", []string{"list.removed"}, []string{"sync.touched", "list"}},
	{"deaf", []string{"sync.cancel"}, []string{"sync.first", "sync.cancel"}},
	{"grow", []string{"sync.growth"}, []string{"sync.first", "sync.growth", "sync.slow"}},
	{"threads", []string{"sync.growth"}, []string{"sync.first", "sync.growth", "sync.slow"}},
	{"hoard", []string{"sync.slow"}, []string{"sync.first", "sync.slow", "sync.cancel"}},
	{"list-short", []string{"list.equal"}, parts},
	{"list-cut", []string{"list.complete", "list.removed"}, parts},
	{"list-count", []string{"list.complete", "list.removed"}, parts},
	{"grants", []string{"grants.agree"}, parts},
	{"grants-short", []string{"grants.agree"}, parts},
	{"grants-cut", []string{"grants.complete"}, parts},
	{"fetch", []string{"fetch.files"}, parts},
	{"fetch-frame", []string{"fetch.files", "fetch.cancel"}, parts},
	{"fetch-deaf", []string{"fetch.cancel"}, parts},
	{"search-limit", []string{"search.limit"}, parts},
	{"search-viewer", []string{"search.viewer", "censor.unknown"}, parts},
	{"search-range", []string{"search.range"}, parts},
	{"search-slow", []string{"search.deadline"}, parts},
	{"tool-schema", []string{"tools.schema"}, parts},
	{"tool-name", []string{"tools.schema"}, parts},
	{"tool-arguments", []string{"tools.arguments"}, parts},
	{"censor-order", []string{"censor.order"}, []string{"censor", "search"}},
	{"censor-slow", []string{"censor.order"}, []string{"censor", "list"}},
}

var (
	contents = []string{
		"sync.first", "sync.ids", "sync.access", "sync.url", "sync.updated", "sync.utf8", "sync.limits", "sync.failures",
		"sync.checkpoint", "list.complete", "list.equal",
	}
	cursors = append([]string{"sync.cursor", "sync.poll", "sync.resume"}, contents...)
	parts   = []string{"list", "grants", "fetch", "search", "tools", "censor"}
)

// A connector that hangs costs one check its time, not the test. The time is also for
// what has to pass: on a machine with much to do it takes more.
func TestHangingConnector(t *testing.T) {
	var results []plugintest.Result
	for limit := time.Second; limit < 2*patience; limit *= 2 {
		var err error
		results, err = plugintest.Test(t.Context(), rawSubject(t, "hang"), plugintest.Options{Only: []string{"sync"}, Timeout: limit})
		if err != nil {
			t.Fatal(err)
		}
		if r := results[0]; r.ID == "sync.first" {
			if plugintest.Failed(results) != 1 || r.State != plugintest.Fail || !strings.Contains(r.Reason, "longer than "+limit.String()) {
				t.Errorf("%+v", results)
			}
			return
		}
	}
	t.Fatalf("%+v", results)
}

// patience is for what has to happen: a machine may stand still for seconds.
const patience = 2 * time.Minute

// A program that runs the kit again and again keeps nothing of it.
func TestNothingIsLeftOfTheKit(t *testing.T) {
	if testing.Short() {
		t.Skip("three rounds of processes")
	}
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	round := func() {
		if got := failing(t, rawSubject(t, "good"), "start", "list", "sync.cancel"); got != nil {
			t.Errorf("failed: %v", got)
		}
	}
	round()
	before := runtime.NumGoroutine()
	round()
	round()
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > before+2; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
	if left, err := filepath.Glob(filepath.Join(tmp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v %v", left, err)
	}
}

// A caller who gives up gets what there is so far, at once.
func TestCancelledTest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	began := time.Now()
	results, err := plugintest.Test(ctx, rawSubject(t, "hang"), plugintest.Options{Each: func(r plugintest.Result) {
		if r.ID == "config.help" {
			time.AfterFunc(100*time.Millisecond, cancel)
		}
	}})
	if err == nil || len(results) == 0 || time.Since(began) > patience {
		t.Errorf("%d results after %v: %v", len(results), time.Since(began), err)
	}
}

// Where the system can make networks, a connector that needs one to describe
// itself is found out.
func TestDescribeNeedsNoNetwork(t *testing.T) {
	good, err := plugintest.Test(t.Context(), rawSubject(t, "good"), plugintest.Options{Only: []string{"start.describe"}})
	if err != nil || len(good) != 1 {
		t.Fatalf("%v %v", good, err)
	}
	if !strings.Contains(good[0].Reason, "with nothing in it") {
		t.Skipf("no networks can be made here: %s", good[0].Reason)
	}
	if got := failing(t, rawSubject(t, "online"), "start", "config"); !slices.Equal(got, []string{"start.describe"}) {
		t.Errorf("failed: %v", got)
	}
}

// Each check can fail, and what fails is what was broken.
func TestBrokenConnectors(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a few hundred processes")
	}
	for _, b := range broken {
		t.Run(b.mode, func(t *testing.T) {
			t.Parallel()
			if got := failing(t, rawSubject(t, b.mode), b.only...); !slices.Equal(got, b.want) {
				t.Errorf("failed: %v, want %v", got, b.want)
			}
		})
	}
}
