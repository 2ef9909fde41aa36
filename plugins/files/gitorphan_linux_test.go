package files

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const orphanEnv = "FOOTNOTE_TEST_ASKS"

// A connector that is killed leaves no git behind that goes on asking.
func TestGitEndsWithItsParent(t *testing.T) {
	if address := os.Getenv(orphanEnv); address != "" {
		s := startGit(t, t.TempDir(), func(s *Source) { s.Git = address })
		t.Error(s.Check(t.Context()), "although nobody answers")
		return
	}
	u := newUpstream(t, map[string]string{"a.md": "a"})
	h := u.serve("")
	asked, released := make(chan struct{}, 10), make(chan struct{})
	defer close(released)
	h.now(0, func(*http.Request) { asked <- struct{}{}; <-released })
	child := exec.Command(os.Args[0], "-test.run=^TestGitEndsWithItsParent$")
	child.Env = append(os.Environ(), orphanEnv+"="+h.address())
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-asked:
	case <-time.After(generous):
		t.Error("git did not ask")
	}
	running := func() bool {
		for _, line := range arguments() {
			if strings.Contains(line, "ls-remote") && strings.Contains(line, h.address()) {
				return true
			}
		}
		return false
	}
	if !running() {
		t.Error("git is not seen")
	}
	if err := child.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = child.Wait() // it was killed
	for end := time.Now().Add(generous); running(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("git is still running")
		}
	}
}
