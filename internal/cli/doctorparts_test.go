package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/store/index"
)

// Parts are looked at side by side and told in their order; one that hangs, with or
// without an ear for its context, or fails costs the others nothing.
func TestPartsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		slow := func(name string, d time.Duration) part {
			return single(name, func(ctx context.Context) check {
				select {
				case <-time.After(d):
					return check{Name: name, Outcome: passed}
				case <-ctx.Done():
					return check{Name: name, Outcome: failed, Detail: "waited"}
				}
			})
		}
		began := time.Now()
		got := sideBySide(t.Context(), []part{
			slow("a", 9*time.Second), slow("b", 9*time.Second), slow("c", time.Hour),
			single("d", func(context.Context) check { <-stuck; return check{} }),
			single("e", func(context.Context) check { panic("fault") }),
			{"f", func(context.Context) []check { return nil }},
			slow("g", 0),
		}, 10*time.Second)
		if took := time.Since(began); took != 11*time.Second {
			t.Errorf("took %s", took)
		}
		var names []string
		for _, k := range got {
			names = append(names, k.Name+" "+k.Outcome)
			if k.Outcome == failed && k.Name != "c" && k.Fix == "" {
				t.Errorf("no way out: %+v", k)
			}
		}
		want := []string{"a ok", "b ok", "c failed", "d failed", "e failed", "g ok"}
		if d := cmp.Diff(want, names); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
		close(stuck)
		synctest.Wait()
	})
}

func TestVerdictsOfTheMachine(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 3, 14, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(-d).Format(time.RFC3339) }
	const slack = "https://slack.com/api/"
	for name, row := range map[string]struct {
		got           check
		outcome, says string
	}{
		"much room":            {diskCheck(50<<30, 1<<30), passed, "50.0 GB free"},
		"no room":              {diskCheck(99<<20, 1<<20), failed, "99 MB"},
		"little":               {diskCheck(900<<20, 512<<10), warned, "512 kB"},
		"no room for a copy":   {diskCheck(30<<30, 16<<30), warned, "16.0 GB"},
		"on time":              {clockCheck(-29*time.Second, slack), passed, "agrees with slack.com"},
		"a bit late":           {clockCheck(40*time.Second, slack), warned, "40s behind that of slack.com"},
		"a bit early":          {clockCheck(-2*time.Minute, slack), warned, "2m0s ahead of"},
		"too late":             {clockCheck(5*time.Minute, slack), failed, "5m0s behind"},
		"no backup":            {backupCheck("", now), warned, "none was made"},
		"an odd note":          {backupCheck("yesterday", now), warned, "none was made"},
		"a backup of today":    {backupCheck(at(7*time.Hour), now), passed, "the last one is of"},
		"an old backup":        {backupCheck(at(8*24*time.Hour), now), warned, "8 days old"},
		"a backup of tomorrow": {backupCheck(at(-24*time.Hour), now), warned, "set back"},
	} {
		if row.got.Outcome != row.outcome || !strings.Contains(row.got.Detail, row.says) || (row.got.Outcome == passed) != (row.got.Fix == "") {
			t.Errorf("%s: %+v", name, row.got)
		}
	}
}

func TestReachTellsTheTime(t *testing.T) {
	t.Parallel()
	hour := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" || r.URL.Path != "/" {
			t.Errorf("asked with %v at %s", r.Header, r.URL)
		}
		w.Header().Set("Date", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
	}))
	ahead, known, err := reach(t.Context(), patience, hour.URL+"/v1")
	if err != nil || !known || (ahead-time.Hour).Abs() > time.Minute {
		t.Errorf("%v, %v, %v", ahead, known, err)
	}
	hour.Close()
	if _, _, err := reach(t.Context(), patience, hour.URL); err == nil {
		t.Error("a server that is gone is reached")
	}
}

// What is no web server may say a lot, which nobody wants to read.
func TestReachSaysLittle(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	defer func() { l.Close(); <-done }()
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			fmt.Fprint(c, strings.Repeat("é", 400_000), "\r\n")
		}
	}()
	_, _, err = reach(t.Context(), patience, "http://"+l.Addr().String())
	if err == nil || len(err.Error()) > 2*mostSaid || !strings.Contains(err.Error(), "malformed HTTP") {
		t.Errorf("%.1000v", err)
	}
}

func TestFilesThatOthersMayRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := &app{cfg: config.Config{DataDir: dir}}
	a.shelf.LockFile = filepath.Join(dir, lockName)
	for name, mode := range map[string]os.FileMode{keyFile: 0o640, "footnote.db": 0o600, lockName: 0o666} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	got := a.checkFiles()
	if len(got) != 2 || got[0].Outcome != warned || got[0].Fix != "chmod 600 "+filepath.Join(dir, keyFile) || got[1].Outcome != failed {
		t.Errorf("%+v", got)
	}
	for _, name := range []string{keyFile, lockName} {
		if err := os.Chmod(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := a.checkFiles(); len(got) != 1 || got[0].Outcome != passed {
		t.Errorf("mended: %+v", got)
	}
}

func TestWhoReachesTheAdminPages(t *testing.T) {
	t.Parallel()
	for listen, outcome := range map[string]string{"off": passed, "": passed, "127.0.0.1:9": passed, "[::1]:9": passed, "localhost:9": passed, "0.0.0.0:9": warned, ":9": warned} {
		a := &app{cfg: config.Config{Admin: config.Admin{Listen: listen, URL: "https://x"}}}
		if got := a.checkAdmin(); len(got) != 1 || got[0].Outcome != outcome || got[0].Outcome == warned && got[0].Fix == "" {
			t.Errorf("%q: %+v", listen, got)
		}
	}
}

// A check-up that is stopped says so, and not that what it did not look at is broken.
func TestAStoppedCheckUpFindsNothing(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	model := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	defer model.Close()
	u.write(map[string]string{"footnote.yaml": "model: {base_url: '" + model.URL + "/v1', name: m}\n"})
	if r := u.runIn(ctx, "", "doctor"); r.code != exitInterrupted || r.out != "" {
		t.Errorf("got %+v", r)
	}
}

// damagedIndex is an index whose files were found damaged after the start.
type damagedIndex struct{ searchIndex }

func (damagedIndex) Damage() error { return errors.New("the index in x is damaged") }

func TestDamagedIndexIsNoSoundOne(t *testing.T) {
	t.Parallel()
	var whole searchIndex = embedded{&index.Index{}}
	if x, ok := whole.(damaging); !ok || x.Damage() != nil {
		t.Error("an index without damage cannot be asked for it")
	}
	a := &app{index: damagedIndex{}}
	got := a.checkLedger(t.Context())
	if got.Outcome != failed || !strings.Contains(got.Detail, "damaged") || !strings.Contains(got.Fix, "start it again") {
		t.Errorf("%+v", got)
	}
}
