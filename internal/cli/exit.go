package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
)

// The exit codes, as documented in the README.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitDenied      = 4
	exitConfig      = 5
	exitInterrupted = 130 // ended by Ctrl-C, as shells expect
)

// exited carries the exit code of a command that has said all there is to say.
type exited int

func (e exited) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// report writes the error for people and chooses the exit code.
func report(w io.Writer, err error) int {
	var done exited
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &done):
		return int(done)
	}
	code := exitCode(core.KindOf(err))
	if code != exitInterrupted {
		fmt.Fprintf(w, "footnote: %s\n", console.Clean(err.Error()))
	}
	return code
}

func exitCode(kind core.Kind) int {
	switch kind {
	case core.KindUsage:
		return exitUsage
	case core.KindNotFound:
		return exitNotFound
	case core.KindDenied:
		return exitDenied
	case core.KindConfig, core.KindAuth:
		return exitConfig
	case core.KindCancelled:
		return exitInterrupted
	}
	return exitFailure
}
