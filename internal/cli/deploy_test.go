package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/internal/cli/config"
)

func deployed(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// runnable fails the test unless the words, without the program, are a command with
// flags that it has, and returns the flags' values.
func runnable(t *testing.T, words []string) map[string]string {
	t.Helper()
	u := newUser(t)
	c, rest, err := u.invocation(nil, nil, nil).root().Find(words)
	if err != nil || !c.HasParent() {
		t.Fatalf("%q is no command: %v", words, err)
	}
	if err := c.ParseFlags(rest); err != nil {
		t.Fatalf("%q: %v", words, err)
	}
	if left := c.Flags().Args(); len(left) > 0 {
		t.Fatalf("%q has words too many: %q", words, left)
	}
	out := map[string]string{"": c.Name()}
	for _, name := range []string{"config", "data-dir", "listen", "log-format"} {
		if f := c.Flag(name); f != nil {
			out[name] = f.Value.String()
		}
	}
	return out
}

func setting(t *testing.T, unit, key string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + key + `=(.+)$`).FindStringSubmatch(unit)
	if m == nil {
		t.Fatalf("the unit does not set %s", key)
	}
	return m[1]
}

// The unit starts, reloads and stops what there is, where it may write.
func TestUnit(t *testing.T) {
	t.Parallel()
	unit := deployed(t, "footnote.service")
	start := strings.Fields(setting(t, unit, "ExecStart"))
	again := strings.Fields(setting(t, unit, "ExecReload"))
	served, reloaded := runnable(t, start[1:]), runnable(t, again[1:])
	if served[""] != "serve" || reloaded[""] != "reload" || start[0] != again[0] {
		t.Errorf("starts %v, reloads %v", start, again)
	}
	if served["config"] != reloaded["config"] || served["data-dir"] != reloaded["data-dir"] {
		t.Errorf("reload speaks to another process: %v, %v", served, reloaded)
	}
	if dir := "/var/lib/" + setting(t, unit, "StateDirectory"); served["data-dir"] != dir || setting(t, unit, "WorkingDirectory") != dir {
		t.Errorf("the data folder %s is not the state directory %s", served["data-dir"], dir)
	}
	if !strings.Contains(unit, "XDG_CACHE_HOME=/var/cache/"+setting(t, unit, "CacheDirectory")+"\n") {
		t.Error("the cache is not where the unit may write")
	}
	if setting(t, unit, "Type") != "notify" {
		t.Error("serve says when it is ready, and the unit does not listen")
	}
	seconds, err := strconv.Atoi(setting(t, unit, "TimeoutStopSec"))
	if need := (config.Serve{}).Patience() + 2*shutdownPatience; err != nil || time.Duration(seconds)*time.Second < need {
		t.Errorf("%d s to stop; running answers may take %s", seconds, need)
	}
}

// The image starts the same way as its user, and keeps the data where the volume is.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	file := deployed(t, "Dockerfile")
	line := func(word string) string {
		t.Helper()
		m := regexp.MustCompile(`(?m)^`+word+` (.+)$`).FindAllStringSubmatch(file, -1)
		if m == nil {
			t.Fatalf("no %s", word)
		}
		return m[len(m)-1][1]
	}
	var entry, command []string
	if err := json.Unmarshal([]byte(line("ENTRYPOINT")), &entry); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(line("CMD")), &command); err != nil {
		t.Fatal(err)
	}
	got := runnable(t, append(append([]string{}, command...), entry[1:]...))
	_, port, _ := strings.Cut(got["listen"], ":")
	if got[""] != "serve" || got["data-dir"] != line("VOLUME") || port != line("EXPOSE") {
		t.Errorf("runs %v", got)
	}
	if !strings.Contains(file, "CGO_ENABLED=0") || line("FROM") != "scratch" {
		t.Error("the program is not static, or the image holds more than it")
	}
	if user := line("USER"); strings.HasPrefix(user, "0") || user == "root" || !strings.Contains(file, "--chown="+user+" /out/data "+line("VOLUME")) {
		t.Errorf("user %s does not own the data", user)
	}
	mod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(mod))[1]
	if !strings.Contains(file, "golang:"+version+" ") {
		t.Errorf("the image is built with another Go than %s", version)
	}
}
