package control

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func serve(t *testing.T, dir string, handle Handler) *Server {
	t.Helper()
	s, err := Serve(t.Context(), dir, handle, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shout writes its input back in capitals, line by line, until "end".
func shout(_ context.Context, req Request, s Streams) int {
	fmt.Fprintf(s.Err, "%s in %s\n", req.Args, req.Dir)
	lines := bufio.NewScanner(s.In)
	for lines.Scan() {
		fmt.Fprintln(s.Out, strings.ToUpper(lines.Text()))
		if lines.Text() == "end" {
			return 7
		}
	}
	return 0
}

func TestCallPassesStreamsAndCode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, shout)
	defer s.Close()
	for _, row := range []struct {
		input string
		code  int
		out   string
	}{{"a\nend\nmore\n", 7, "A\nEND\n"}, {"", 0, ""}, {"x\n", 0, "X\n"}} {
		var out, errs bytes.Buffer
		code, err := Call(t.Context(), dir, Request{Args: []string{"shout"}, Dir: "/here"},
			Streams{In: strings.NewReader(row.input), Out: &out, Err: &errs})
		if err != nil || code != row.code || out.String() != row.out {
			t.Errorf("input %q: code %d, out %q, error %v; want %d, %q", row.input, code, out.String(), err, row.code, row.out)
		}
		if errs.String() != "[shout] in /here\n" {
			t.Errorf("standard error = %q", errs.String())
		}
	}
}

func TestLongFolderNamesWork(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("long-", 30))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := serve(t, dir, shout)
	if code, err := Call(t.Context(), dir, Request{}, Streams{In: strings.NewReader("end\n"), Out: io.Discard, Err: io.Discard}); code != 7 || err != nil {
		t.Errorf("code %d, error %v", code, err)
	}
	real := address(dir)
	s.Close()
	for _, path := range []string{real, filepath.Dir(real), filepath.Join(dir, socketName)} {
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left after Close (%v)", path, err)
		}
	}
}

func TestNobodyAndSilence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	streams := Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}
	if _, err := Call(t.Context(), dir, Request{}, streams); !errors.Is(err, ErrNobody) {
		t.Errorf("empty folder: %v, want ErrNobody", err)
	}
	// A socket left by a killed process refuses connections.
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, socketName), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	if _, err := Call(t.Context(), dir, Request{}, streams); !errors.Is(err, ErrNobody) {
		t.Errorf("left-over socket: %v, want ErrNobody", err)
	}
	s := serve(t, dir, shout) // takes over what was left
	s.Close()
	if testing.Short() {
		return
	}
	silent, err := net.Listen("unix", filepath.Join(dir, socketName))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	if _, err := Call(t.Context(), dir, Request{}, streams); !errors.Is(err, ErrHeld) {
		t.Errorf("silent holder: %v, want ErrHeld", err)
	}
}

func TestInterruptGoesToWhoCares(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	caught := make(chan string, 1)
	ready := make(chan struct{})
	s := serve(t, dir, func(ctx context.Context, _ Request, s Streams) int {
		ctx, cancel := context.WithCancel(ctx)
		defer s.Interrupts.Catch(cancel)()
		release := s.Interrupts.Catch(func() { caught <- "answer" })
		ready <- struct{}{}
		fmt.Fprintln(s.Out, <-caught)
		release()
		ready <- struct{}{}
		<-ctx.Done()
		return 130
	})
	defer s.Close()
	user := &Interrupts{}
	go func() {
		for range 2 {
			<-ready
			user.Signal()
		}
	}()
	var out bytes.Buffer
	code, err := Call(t.Context(), dir, Request{}, Streams{In: strings.NewReader(""), Out: &out, Err: io.Discard, Interrupts: user})
	if err != nil || code != 130 || out.String() != "answer\n" {
		t.Errorf("code %d, out %q, error %v", code, out.String(), err)
	}
}

func TestCancelReachesTheCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	started := make(chan struct{})
	s := serve(t, dir, func(ctx context.Context, _ Request, s Streams) int {
		close(started)
		<-ctx.Done()
		fmt.Fprintln(s.Out, "text so far")
		return 130
	})
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	var out bytes.Buffer
	code, err := Call(ctx, dir, Request{}, Streams{In: strings.NewReader(""), Out: &out, Err: io.Discard})
	if err != nil || code != 130 || out.String() != "text so far\n" {
		t.Errorf("code %d, out %q, error %v", code, out.String(), err)
	}
}

func TestCallerGoneStopsTheCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stopped := make(chan struct{})
	s := serve(t, dir, func(ctx context.Context, _ Request, _ Streams) int {
		<-ctx.Done()
		close(stopped)
		return 0
	})
	defer s.Close()
	conn, err := net.Dial("unix", address(dir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(conn, `{"args":["x"]}`)
	conn.Close()
	select {
	case <-stopped:
	case <-time.After(2 * time.Minute):
		t.Fatal("the command goes on without its caller")
	}
}

func TestPanicEndsOneCommandOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, func(_ context.Context, r Request, _ Streams) int {
		if r.Args[0] == "bad" {
			panic("fault")
		}
		return 3
	})
	defer s.Close()
	var errs bytes.Buffer
	streams := Streams{In: strings.NewReader(""), Out: io.Discard, Err: &errs}
	if code, err := Call(t.Context(), dir, Request{Args: []string{"bad"}}, streams); code != 1 || err != nil || errs.Len() == 0 {
		t.Errorf("code %d, error %v, message %q", code, err, errs.String())
	}
	if code, _ := Call(t.Context(), dir, Request{Args: []string{"good"}}, streams); code != 3 {
		t.Errorf("after a panic: code %d, want 3", code)
	}
}

func TestCloseWaitsForRunningCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	entered, finish := make(chan struct{}), make(chan struct{})
	s := serve(t, dir, func(context.Context, Request, Streams) int {
		close(entered)
		<-finish
		return 5
	})
	var code int
	var err error
	var wait sync.WaitGroup
	wait.Go(func() {
		code, err = Call(t.Context(), dir, Request{}, Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
	})
	<-entered
	time.AfterFunc(50*time.Millisecond, func() { close(finish) })
	s.Close()
	wait.Wait()
	if code != 5 || err != nil {
		t.Errorf("code %d, error %v", code, err)
	}
}

func TestOneHolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	first, err := Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(dir); info.Mode().Perm() != 0o700 {
		t.Errorf("folder mode %v, want 0700", info.Mode().Perm())
	}
	if _, err := Hold(dir); !errors.Is(err, ErrHeld) {
		t.Errorf("second hold: %v, want ErrHeld", err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	second, err := Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	second.Release()
}
