package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

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

// Run reads questions line by line and answers them until the input ends or the
// person types /quit. A failed turn is shown and the conversation goes on; the
// last error is returned. Cancelling the context ends it with the context's error.
func (c Chat) Run(ctx context.Context, a Answerer) error {
	lines := newLines(c.In)
	defer lines.close()
	var last error
	for {
		if c.Prompt {
			io.WriteString(c.Screen.Err, "\n> ") //nolint:errcheck // a prompt only
		}
		text, err := lines.next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return last
		case err != nil:
			return err
		}
		switch text = strings.TrimSpace(text); text {
		case "":
			continue
		case "/quit", "/exit":
			return last
		case "/help", "/?":
			io.WriteString(c.Screen.Err, "Type a question and press Enter. Ctrl-C stops an answer; /quit or Ctrl-D ends.\n") //nolint:errcheck // help only
			continue
		}
		if last = c.turn(ctx, a, text); last != nil {
			fmt.Fprintf(c.Screen.Err, "footnote: %s\n", Clean(last.Error()))
		}
	}
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
