package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
)

func (inv *invocation) chatCommand() *cobra.Command {
	var who asking
	var asJSON bool
	c := &cobra.Command{
		Use:   "chat",
		Short: "Hold a conversation in the terminal",
		Long:  "Read questions line by line and answer them in one thread. Ctrl-C stops an answer; Ctrl-D or /quit ends.",
		Args:  atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withFolder(c.Context(), func(ctx context.Context, a *app) error {
				if err := a.mustHaveDocuments(ctx); err != nil {
					return err
				}
				return inv.chat(ctx, a, &who, asJSON)
			})
		},
	}
	who.flags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print each answer as one JSON object a line")
	return c
}

// chat reads questions until the input ends. All belong to one thread.
func (inv *invocation) chat(ctx context.Context, a *app, who *asking, asJSON bool) error {
	thread := newID()
	if _, err := who.question(ctx, a, thread, ""); err != nil {
		return err
	}
	if inv.InTTY && inv.ErrTTY {
		fmt.Fprintln(inv.streams.Err, "Ask a question. Ctrl-C stops an answer, /quit or Ctrl-D ends.")
	}
	return console.Chat{
		Screen: inv.screen(asJSON), In: inv.streams.In, Prompt: inv.InTTY && inv.ErrTTY,
		Interrupted: inv.streams.Interrupts.Catch,
		Ask: func(ctx context.Context, text string) (core.Question, error) {
			return who.question(ctx, a, thread, text)
		},
	}.Run(ctx, asker{a.desk})
}
