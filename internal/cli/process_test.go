package cli

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is a footnote serve in a process of its own, which can be killed.
type process struct {
	cmd *exec.Cmd
	url string // of its HTTP interface
	log string // file with what it wrote to standard error
	t   testing.TB
}

// serveProcess starts the program in the folder and waits until it listens.
func serveProcess(t testing.TB, dir string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, log: filepath.Join(t.TempDir(), "serve.log")}
	errs, err := os.Create(p.log)
	if err != nil {
		t.Fatal(err)
	}
	defer errs.Close()
	p.cmd = exec.Command(exe, "serve", "--listen", "127.0.0.1:0")
	p.cmd.Dir, p.cmd.Stderr = dir, errs
	p.cmd.Env = append(os.Environ(), asProgram+"=1")
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("footnote serve does not come up: %v, %q\n%s", err, line, p.logged())
	}
	_, p.url, _ = strings.Cut(strings.TrimSpace(line), "listening on ")
	return p
}

// kill ends the process and its children as a power cut does.
func (p *process) kill() {
	if p.cmd.ProcessState != nil {
		return
	}
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) //nolint:errcheck // it may have ended by itself
	p.cmd.Wait()                                      //nolint:errcheck // killed
}

func (p *process) logged() string {
	raw, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// cpu is the processor time that the process used so far. Linux only.
func (p *process) cpu() time.Duration {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	f := strings.Fields(rest)
	user, err := strconv.Atoi(f[11])
	if err != nil {
		p.t.Fatal(err)
	}
	system, err := strconv.Atoi(f[12])
	if err != nil {
		p.t.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond // a tick of the kernel
}

// memory is one of the process's sizes in bytes, VmRSS or VmHWM. Linux only.
func (p *process) memory(key string) float64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				p.t.Fatal(err)
			}
			return float64(kib) * 1024
		}
	}
	p.t.Fatalf("the process tells no %s", key)
	return 0
}
