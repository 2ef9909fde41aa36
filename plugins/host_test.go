package plugins_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugins"
)

// logged is a log that can be read while it is written.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func TestWholeRoad(t *testing.T) {
	c := open(t, "good", `{"count": 2, "token": "hunter2222"}`)
	if got := c.About(); got.Name != "good" || got.Version != "1.2.3" || !c.CanList() {
		t.Errorf("about: %+v", got)
	}
	warnings, err := c.Check(t.Context())
	if err != nil || len(warnings) != 1 || warnings[0] != "it is windy" {
		t.Errorf("check: %v %v", warnings, err)
	}
	var got []core.Change
	if err := c.Sync(t.Context(), core.Cursor("x"), core.SyncPoll, func(change core.Change) error {
		got = append(got, change)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := core.Upsert{Document: core.Document{
		ID: "s/d0", Source: "s", ExternalID: "d0", Title: "T", MediaType: "text/markdown", Body: "b",
		Access: core.Access{core.Workspace},
	}}
	if len(got) != 4 {
		t.Fatalf("%d changes: %+v", len(got), got)
	}
	if diff := cmp.Diff(want, got[1]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(core.Checkpoint{Cursor: core.Cursor("after:x")}, got[3]); diff != "" {
		t.Error(diff)
	}
	var ids []string
	if err := c.List(t.Context(), func(id, revision string) error { ids = append(ids, id+revision); return nil }); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"d0r", "d1r"}, ids); diff != "" {
		t.Error(diff)
	}
	waitFor(t, "the connector's log line", func() bool { return strings.Contains(c.log.String(), "started with") })
	if text := c.log.String(); strings.Contains(text, "hunter2222") || !strings.Contains(text, "source=s") {
		t.Errorf("log: %s", text)
	}
}

func TestDescribe(t *testing.T) {
	host := plugins.NewHost(plugins.Options{Executable: os.Args[0], Dir: t.TempDir()})
	got, err := host.Describe(t.Context(), "files")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Required   []string       `json:"required"`
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(got.Schema, &schema); err != nil || len(schema.Required) > 0 || schema.Properties["dir"] == nil {
		t.Errorf("schema %s: %v", got.Schema, err)
	}
	if got.Help == "" || !cmp.Equal(got.Features, []string{"check", "list", "fetch"}) {
		t.Errorf("%+v", got)
	}
}

func TestPrintsDoNotBreakTheHandshake(t *testing.T) {
	c := open(t, "chatty", "")
	changes, err := collect(t, c.Connection)
	if err != nil || len(changes) != 1 {
		t.Fatalf("%v %v", changes, err)
	}
	for _, line := range []string{"printed before Serve", "printed by the constructor", "printed in Sync", "and on stderr"} {
		waitFor(t, line, func() bool { return strings.Contains(c.log.String(), line) })
	}
}

func TestStartErrors(t *testing.T) {
	for connector, want := range map[string]struct {
		kind core.Kind
		text string
	}{
		"panics-before-serve": {core.KindUnavailable, "panic: no luck before Serve"},
		"panics-at-start":     {core.KindUnavailable, "panic: no luck at start"},
		"exits":               {core.KindUnavailable, "cannot find libnothing.so"},
		"nowhere":             {core.KindUnavailable, `there is no connector "nowhere"`},
		"newer":               {core.KindConfig, "speaks plugin protocol 2 and this Footnote speaks 1: upgrade Footnote"},
		"older":               {core.KindConfig, "speaks plugin protocol 0 and this Footnote speaks 1: upgrade the connector"},
		"newer-sdk":           {core.KindConfig, "speaks plugin protocol 1 and this Footnote speaks 7: upgrade the connector"},
	} {
		t.Run(connector, func(t *testing.T) {
			t.Parallel()
			_, _, err := tryOpen(t, connector, "")
			if core.KindOf(err) != want.kind || !strings.Contains(err.Error(), want.text) {
				t.Errorf("%s: %v", core.KindOf(err), err)
			}
		})
	}
}

func TestStartTimeoutAndCancel(t *testing.T) {
	silent := core.Source{Name: "s", Connector: "silent"} // for an hour
	start := time.Now()
	_, err := newHost(t, plugins.Options{StartTimeout: 300 * time.Millisecond}).Open(t.Context(), silent)
	if core.KindOf(err) != core.KindTimeout || time.Since(start) > patience {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = newHost(t, plugins.Options{StartTimeout: time.Hour}).Open(ctx, silent)
	if core.KindOf(err) != core.KindTimeout || time.Since(start) > 2*patience {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
	host := plugins.NewHost(plugins.Options{Executable: filepath.Join(t.TempDir(), "missing"), Dir: t.TempDir()})
	if _, err = host.Open(t.Context(), core.Source{Name: "s", Connector: "x"}); core.KindOf(err) != core.KindNotFound {
		t.Errorf("missing program: %v", err)
	}
}

func TestConfigErrorsNameTheField(t *testing.T) {
	for config, want := range map[string]string{
		`{"cuont": 1}`:       "cuont: there is no such field; did you mean count?",
		`{"count": "three"}`: "count: want a whole number, got text",
		`{"mode": "fast"}`:   `mode: "fast" is not possible`,
		`{"token": 5}`:       "token: want text, got a number",
		`[]`:                 "not a JSON object",
	} {
		_, _, err := tryOpen(t, "good", config)
		if core.KindOf(err) != core.KindConfig || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s %v", config, core.KindOf(err), err)
		}
	}
	_, _, err := tryOpen(t, "files", `{}`)
	if core.KindOf(err) != core.KindConfig || !strings.Contains(err.Error(), "dir: there is neither dir nor git") {
		t.Errorf("files without dir and git: %v", err)
	}
}

func TestFailuresInSync(t *testing.T) {
	for mode, want := range map[string]struct {
		kind core.Kind
		text string
	}{
		"panic":           {core.KindUnavailable, "no luck in Sync"},
		"goroutine-panic": {core.KindUnavailable, "no luck beside Sync"},
		"auth":            {core.KindAuth, "token •••• was refused"},
		"busy":            {core.KindBusy, "slow down"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := open(t, "good", `{"mode": "`+mode+`", "token": "hunter2222"}`)
			_, err := collect(t, c.Connection)
			if core.KindOf(err) != want.kind || !strings.Contains(err.Error(), want.text) {
				t.Errorf("%s: %v", core.KindOf(err), err)
			}
			if after, ok := plugins.RetryAfter(err); ok != (mode == "busy") || ok && after != 7*time.Second {
				t.Errorf("retry after %v %v", after, ok)
			}
			if cause := errors.Unwrap(err); cause == nil || strings.Contains(cause.Error(), "hunter2222") {
				t.Errorf("cause: %v", cause)
			}
		})
	}
}

func TestKillInMidSync(t *testing.T) {
	c := open(t, "good", `{"count": 1000, "wait": "20ms"}`)
	err := c.Sync(t.Context(), nil, core.SyncFirst, func(change core.Change) error {
		if up := change.(core.Upsert); up.Document.ExternalID == "pid" {
			kill(t, up.Document.Body)
		}
		return nil
	})
	if core.KindOf(err) != core.KindUnavailable || !strings.Contains(err.Error(), "signal: killed") {
		t.Error(err)
	}
	if _, err := c.Check(t.Context()); core.KindOf(err) != core.KindUnavailable {
		t.Errorf("check of a dead process: %v", err)
	}
	select {
	case <-c.Done():
	default:
		t.Error("Done is open")
	}
}

func TestCancelledSync(t *testing.T) {
	for _, mode := range []string{"deaf", "quiet", "endless"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := open(t, "good", `{"mode": "`+mode+`"}`)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(200*time.Millisecond, cancel)
			start := time.Now()
			err := c.Sync(ctx, nil, core.SyncFirst, func(core.Change) error { return nil })
			if core.KindOf(err) != core.KindCancelled {
				t.Error(err)
			}
			c.Close()
			if time.Since(start) > patience {
				t.Errorf("it took %v", time.Since(start))
			}
			select {
			case <-c.Done():
			default:
				t.Error("the process is left")
			}
		})
	}
}

// A stopped process answers nothing and does not end by itself.
func TestStoppedProcess(t *testing.T) {
	c := open(t, "good", "")
	changes, err := collect(t, c.Connection)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(changes[0].(core.Upsert).Document.Body)
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGSTOP)
	}
	if err != nil {
		t.Fatal(err)
	}
	check := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		_, err := c.Check(ctx)
		return err
	}
	waitFor(t, "the process stops", func() bool { err = check(); return err != nil }) // on another processor a moment later
	if core.KindOf(err) != core.KindTimeout {
		t.Errorf("check: %v", err)
	}
	start := time.Now()
	c.Close()
	if alive(strconv.Itoa(pid)) || time.Since(start) > patience {
		t.Errorf("close took %v, alive %v", time.Since(start), alive(strconv.Itoa(pid)))
	}
}

func TestErrorOfEachEndsSync(t *testing.T) {
	c := open(t, "good", "")
	mine := errors.New("disk full")
	if err := c.Sync(t.Context(), nil, core.SyncFirst, func(core.Change) error { return mine }); !errors.Is(err, mine) {
		t.Error(err)
	}
	if changes, err := collect(t, c.Connection); err != nil || len(changes) != 5 {
		t.Errorf("the sync after it: %d %v", len(changes), err)
	}
}

func TestIdleSyncIsStopped(t *testing.T) {
	host := newHost(t, plugins.Options{IdleTimeout: 300 * time.Millisecond})
	c, err := host.Open(t.Context(), core.Source{Name: "s", Connector: "good", Config: []byte(`{"mode":"quiet"}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := collect(t, c); core.KindOf(err) != core.KindTimeout {
		t.Errorf("%v", err)
	}
}

// A host that takes no more must hold the connector up: what lies in buffers
// between the two stays small.
func TestSlowHostHoldsTheConnector(t *testing.T) {
	dir := t.TempDir()
	host := newHost(t, plugins.Options{Dir: dir})
	c, err := host.Open(t.Context(), core.Source{Name: "s", Connector: "good", Config: []byte(`{"mode":"endless"}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	stop, taken := errors.New("enough"), 0
	err = c.Sync(t.Context(), nil, core.SyncFirst, func(core.Change) error {
		if taken++; taken < 10 {
			return nil
		}
		time.Sleep(500 * time.Millisecond)
		return stop
	})
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "s", "sent"))
	if err != nil {
		t.Fatal(err)
	}
	if sent, err := strconv.Atoi(string(data)); err != nil || sent > 10+60 {
		t.Errorf("the connector had sent %s documents when 10 were taken (%v)", data, err)
	}
}

func TestConnectorLeavesWithItsHost(t *testing.T) {
	dir := t.TempDir()
	tmp := shortTemp(t)
	cmd := exec.Command(os.Args[0], "act-as-host", dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid := strings.TrimSpace(line)
	if !alive(pid) {
		t.Fatalf("connector %s does not run", pid)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	waitFor(t, "the connector leaves", func() bool { return !alive(pid) })
	left(t, tmp)
}

func TestEnvironmentAndFolder(t *testing.T) {
	t.Setenv("SLACK_BOT_TOKEN", "xoxb-secret")
	t.Setenv("https_proxy", "http://proxy.example:3128")
	c := open(t, "good", `{"mode": "env"}`)
	changes, err := collect(t, c.Connection)
	if err != nil {
		t.Fatal(err)
	}
	body := changes[0].(core.Upsert).Document.Body
	if strings.Contains(body, "xoxb-secret") || !strings.Contains(body, "proxy.example") || !strings.HasSuffix(strings.SplitN(body, "\n", 2)[0], "/s") {
		t.Error(body)
	}
}

func TestBadMessages(t *testing.T) {
	c := open(t, "raw", "")
	got, err := collect(t, c.Connection)
	if err != nil {
		t.Fatal(err)
	}
	want := []core.Change{
		core.Failure{Title: "without id", Kind: core.KindInvalid, Detail: "the connector sent a document without an id"},
		core.Upsert{
			Document: core.Document{ID: "s/bad", Source: "s", ExternalID: "bad", MediaType: "text/markdown", Access: core.Access{}},
			Failed:   &core.Failure{ExternalID: "bad", Kind: core.KindInvalid, Detail: "the document's body is not valid UTF-8"},
		},
		core.Upsert{Document: core.Document{ID: "s/ok", Source: "s", ExternalID: "ok", MediaType: "text/markdown", Access: core.Access{}}},
		core.Note{Text: "1 events of a kind that this Footnote does not know were skipped: upgrade Footnote to use them"},
		core.Note{Text: `1 of the documents have no readers, so nobody finds them; the first is "ok"`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	err = c.List(t.Context(), func(string, string) error { return nil })
	if core.KindOf(err) != core.KindUnavailable || !strings.Contains(err.Error(), "broke off after 1") {
		t.Errorf("list without an end: %v", err)
	}
	if _, err := c.Check(t.Context()); err != nil {
		t.Errorf("check of a connector that has none: %v", err)
	}
}

func TestListErrorIsAnError(t *testing.T) {
	c := open(t, "good", `{"mode": "slow", "count": 1200}`)
	n := 0
	err := c.List(t.Context(), func(string, string) error { n++; return nil })
	if err == nil || n == 0 {
		t.Errorf("%d listed, error %v", n, err)
	}
}

func kill(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err == nil {
		err = syscall.Kill(n, syscall.SIGKILL)
	}
	if err != nil {
		t.Fatalf("kill %q: %v", pid, err)
	}
}

// alive counts a process that only waits to be reaped as gone.
func alive(pid string) bool {
	n, err := strconv.Atoi(pid)
	if err != nil || syscall.Kill(n, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	after := string(stat[bytes.LastIndexByte(stat, ')')+1:])
	return !strings.HasPrefix(after, " Z")
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("did not see %s", what)
		}
	}
}
