package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/footnote-bot/footnote/core/eval"
)

// server is a running footnote serve.
type server struct {
	*folder
	cmd   *exec.Cmd
	url   string
	ready time.Duration // from its start to answering
}

// serve starts the program and waits until it answers.
func (f *folder) serve(ctx context.Context) (*server, error) {
	cmd := f.command(ctx, "serve")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{folder: f, cmd: cmd}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		_, url, _ := strings.Cut(strings.TrimSpace(line), "listening on ")
		s.url = url
		err = s.healthy(ctx)
	}
	s.ready = time.Since(start)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("footnote serve does not come up: %w", err), s.stop())
	}
	return s, nil
}

func (s *server) healthy(ctx context.Context) error {
	for range 1000 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/readyz", nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		if resp.Body.Close(); resp.StatusCode == http.StatusOK {
			return nil
		}
		time.Sleep(2 * time.Millisecond)
	}
	return errors.New("it is not healthy")
}

// stop ends the program as a service manager does.
func (s *server) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	var exit *exec.ExitError
	if err := s.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		return err
	}
	return nil
}

// pace is the time between two questions of ask, all askers together.
const pace = 25 * time.Millisecond

// ask asks so many questions, or until done, and tells how long each took.
func (s *server) ask(ctx context.Context, n int, done <-chan struct{}) ([]time.Duration, error) {
	questions, next := eval.NewScale(2), time.NewTicker(pace)
	defer next.Stop()
	var all []time.Duration
	for i := range n {
		took, err := s.search(ctx, s.tokens[i%len(s.tokens)], questions.Question())
		if err != nil {
			return all, err
		}
		all = append(all, took)
		select {
		case <-next.C:
		case <-done:
			return all, nil
		case <-ctx.Done():
			return all, ctx.Err()
		}
	}
	return all, nil
}

// search asks over HTTP for the best passages.
func (s *server) search(ctx context.Context, token, text string) (time.Duration, error) {
	body, err := json.Marshal(map[string]any{"query": text})
	if err != nil {
		return 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/search", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	start := time.Now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	answer, err := io.ReadAll(resp.Body)
	took := time.Since(start)
	if err = errors.Join(err, resp.Body.Close()); err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("search answers %s: %s", resp.Status, answer)
	}
	if err == nil && !bytes.Contains(answer, []byte(`"hit"`)) {
		err = fmt.Errorf("nothing is found for %q", text)
	}
	return took, err
}

// memory reads what Linux tells of the process, in megabytes.
func (s *server) memory(what string) (float64, error) {
	return processMemory(s.cmd.Process.Pid, what)
}

func processMemory(pid int, what string) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, what+":"); ok {
			kb, err := strconv.Atoi(strings.Fields(rest)[0])
			return float64(kb) / 1024, err
		}
	}
	return 0, fmt.Errorf("%s is not in the process's status", what)
}
