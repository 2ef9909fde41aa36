package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/footnote-bot/footnote/internal/cli/control"
)

// Main runs the process's own command line and returns its exit code.
func Main() int {
	inv, err := ownInvocation()
	if err != nil {
		os.Stderr.WriteString("footnote: " + err.Error() + "\n") //nolint:errcheck // nowhere else to say it
		return exitFailure
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	defer forwardInterrupts(inv.streams.Interrupts)()
	defer forwardHangups(inv.hangups)()
	return inv.run(ctx)
}

func ownInvocation() (*invocation, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	width, _, _ := term.GetSize(int(os.Stdout.Fd())) // 0 where there is no terminal
	return &invocation{
		Request: control.Request{
			Args: os.Args[1:], Dir: dir, Width: width,
			InTTY: isTerminal(os.Stdin), OutTTY: isTerminal(os.Stdout), ErrTTY: isTerminal(os.Stderr),
		},
		streams: control.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Interrupts: &control.Interrupts{}},
		hangups: &control.Interrupts{},
		lookup:  os.LookupEnv,
		exe:     exe,
	}, nil
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// impatience is how soon a third Ctrl-C has to follow the first to end the
// process at once, whatever it is doing.
const impatience = 3 * time.Second

// forwardInterrupts hands Ctrl-C on until the returned function is called.
func forwardInterrupts(to *control.Interrupts) (stop func()) {
	signals := make(chan os.Signal, 3)
	signal.Notify(signals, os.Interrupt)
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var recent []time.Time
		for {
			select {
			case <-done:
				return
			case <-signals:
				recent = append(recent, time.Now())
				if n := len(recent); n >= 3 && recent[n-1].Sub(recent[n-3]) < impatience {
					os.Exit(exitInterrupted)
				}
				to.Signal()
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
		<-ended
	}
}

// forwardHangups hands SIGHUP on until the returned function is called: most commands
// end, footnote serve reads its configuration again.
func forwardHangups(to *control.Interrupts) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-signals:
				to.Signal()
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
		<-ended
	}
}
