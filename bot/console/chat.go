package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// longestLine is the most a person may type as one question, in bytes.
const longestLine = 256 << 10

// Chat is a conversation in the terminal.
type Chat struct {
	Screen Screen
	In     io.Reader
	Prompt bool // show a prompt: the input is a terminal
	// Ask makes the question of a line; it knows the viewer, place and thread.
	Ask func(ctx context.Context, text string) (core.Question, error)
	// Interrupted sends Ctrl-C to the function until the returned one is called.
	Interrupted func(func()) (release func())
}

// Run reads questions line by line and answers them until the input ends, the
// context is cancelled or the person types /quit. A failed turn is shown and
// the conversation goes on; the last error is returned.
func (c Chat) Run(ctx context.Context, a Answerer) error {
	lines := bufio.NewScanner(c.In)
	lines.Buffer(nil, longestLine)
	var last error
	for {
		if c.Prompt {
			io.WriteString(c.Screen.Err, "\n> ") //nolint:errcheck // a prompt only
		}
		if !lines.Scan() || ctx.Err() != nil {
			break
		}
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		if text == "/quit" || text == "/exit" {
			return last
		}
		if last = c.turn(ctx, a, text); last != nil {
			fmt.Fprintf(c.Screen.Err, "footnote: %s\n", Clean(last.Error()))
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return core.Errorf(core.KindTooLarge, "the question is longer than %d KiB; ask a shorter one", longestLine>>10)
	}
	return errors.Join(last, lines.Err())
}

// turn answers one line. Ctrl-C meanwhile stops the answer, not the chat.
func (c Chat) turn(ctx context.Context, a Answerer, text string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.Interrupted != nil {
		defer c.Interrupted(cancel)()
	}
	q, err := c.Ask(ctx, text)
	if err != nil {
		return err
	}
	_, err = c.Screen.Ask(ctx, a, q)
	return err
}
