package files

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// gitSettings hold for every call. Nothing of the machine's own configuration
// counts: no hook, filter, credential store or prompt runs, and no redirect is
// followed, which could carry the token elsewhere.
var gitSettings = []string{
	"core.hooksPath=/dev/null", "core.attributesFile=/dev/null", "core.excludesFile=/dev/null", "core.fsmonitor=false",
	"core.autocrlf=false", "core.symlinks=true", "core.logAllRefUpdates=false", "core.precomposeUnicode=true",
	"credential.helper=", "http.followRedirects=false", "http.lowSpeedLimit=1", "http.lowSpeedTime=60",
	"submodule.recurse=false", "fetch.recurseSubmodules=false", "gc.autoDetach=false", "maintenance.auto=false", "pack.threads=2",
	"advice.detachedHead=false", "init.defaultBranch=footnote", "safe.directory=*",
}

// gitEnv is the whole environment of a git process. Settings and token travel in
// it rather than in arguments, which every account of a machine can see.
func (s *Source) gitEnv(environ []string) []string {
	out := []string{
		"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_LFS_SKIP_SMUDGE=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_ALLOW_PROTOCOL=" + s.repo.scheme,
		"GIT_SSH_COMMAND=ssh -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=20",
	}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		switch strings.ToUpper(name) {
		case "PATH", "TMPDIR", "TZ", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY":
			out = append(out, entry)
		case "SSL_CERT_FILE":
			out = append(out, "GIT_SSL_CAINFO="+value)
		case "SSL_CERT_DIR":
			out = append(out, "GIT_SSL_CAPATH="+value)
		}
	}
	settings := gitSettings
	if s.Token != "" {
		settings = append(settings[:len(settings):len(settings)], "http."+s.repo.url+".extraHeader=Authorization: Basic "+s.basic())
	}
	out = append(out, "GIT_CONFIG_COUNT="+strconv.Itoa(len(settings)))
	for i, setting := range settings {
		// The first = of the token's setting could be one in the address.
		at := strings.Index(setting, "=")
		if strings.HasPrefix(setting, "http."+s.repo.url) {
			at = len("http." + s.repo.url + ".extraHeader")
		}
		out = append(out, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, setting[:at]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, setting[at+1:]))
	}
	return out
}

func (s *Source) basic() string {
	return base64.StdEncoding.EncodeToString([]byte(s.repo.user + ":" + string(s.Token)))
}

// git runs one command to its end and gives its output to w. When ctx ends, the
// command and all that it started are ended. In a sentence about a failure,
// doing stands first: "fetching the branch".
func (s *Source) git(ctx context.Context, doing string, w io.Writer, args ...string) error {
	exe, err := exec.LookPath("git")
	if err != nil {
		return sdk.Config("git", errors.New("the program git is not installed on this machine, or not in PATH: "+
			"install the package git (at least version 2.31), or write dir with a folder that something else keeps up to date"))
	}
	// A child that is to die with its parent dies with the thread that made it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	said := &tail{}
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = s.gitEnv(os.Environ()), s.data, w, said
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	cmd.Cancel = func() error { endGroup(cmd.Process.Pid); return nil }
	err = cmd.Run()
	if ctx.Err() != nil {
		if cmd.Process != nil {
			killGroup(cmd.Process.Pid)
		}
		return fmt.Errorf("%s: %w", doing, context.Cause(ctx))
	}
	if err == nil {
		return nil
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	text := s.scrub(said.String())
	if text == "" {
		text = "git ended with " + exit.String()
	}
	return &gitTrouble{doing: doing, said: lastLines(text), kind: troubleOf(s.withoutAddress(text))}
}

// withoutAddress keeps words in a repository's name from being taken for git's.
func (s *Source) withoutAddress(text string) string {
	return strings.NewReplacer(s.repo.url, "", s.repo.path, "").Replace(text)
}

// scrub takes the token out of a text, whatever printed it.
func (s *Source) scrub(text string) string {
	if s.Token == "" {
		return text
	}
	return strings.NewReplacer(s.basic(), s.Token.String(), string(s.Token), s.Token.String()).Replace(text)
}

// lastLines keeps what matters of git's messages: the end, in one line.
func lastLines(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "hint:") {
			lines = append(lines, line)
		}
	}
	text = strings.Join(lines[max(0, len(lines)-4):], "; ")
	if len(text) > 600 {
		text = "…" + strings.ToValidUTF8(text[len(text)-600:], "")
	}
	return strings.ToValidUTF8(text, "?")
}

// tail keeps the last 8 KiB of what is written to it.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	const size = 8 << 10
	n, err := t.Buffer.Write(p)
	if over := t.Len() - size; over > 0 {
		t.Next(over)
	}
	return n, err
}

// records gives each part of a command's output that ends in a zero byte to a
// function. An error of it stops the command.
type records struct {
	each func(string) error
	rest []byte
	err  error
}

const maxRecord = 64 << 10 // bytes; a path has at most 4 KiB on most systems

func (r *records) Write(p []byte) (int, error) {
	for rest := p; r.err == nil; {
		head, after, found := bytes.Cut(rest, []byte{0})
		if len(r.rest)+len(head) > maxRecord {
			r.err = errors.New("git printed a path longer than 64 KiB")
			break
		}
		r.rest = append(r.rest, head...)
		if !found {
			break
		}
		r.err, r.rest, rest = r.each(string(r.rest)), r.rest[:0], after
	}
	return len(p), r.err
}

// gitRecords runs a command whose output is parts that end in zero bytes. An
// error of each is returned as it is.
func (s *Source) gitRecords(ctx context.Context, doing string, each func(string) error, args ...string) error {
	r := &records{each: each}
	err := s.git(ctx, doing, r, args...)
	if r.err != nil {
		return r.err
	}
	return err
}
