package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
)

// longestQuestion is the most that is read from standard input as a question.
const longestQuestion = 256 << 10

func (inv *invocation) askCommand() *cobra.Command {
	var who asking
	var asJSON bool
	c := &cobra.Command{
		Use:   "ask QUESTION",
		Short: "Answer one question",
		Long:  "Answer one question on standard output. With - as the question it is read from standard input.",
		Args:  atLeast(1, "a question"),
		RunE: func(c *cobra.Command, args []string) error {
			text, err := inv.questionText(args)
			if err != nil {
				return err
			}
			return inv.withFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.ask(ctx, a, &who, text, asJSON)
			})
		},
	}
	who.flags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print the answer as one JSON object")
	return c
}

func (inv *invocation) questionText(args []string) (string, error) {
	text := strings.Join(args, " ")
	if text != "-" {
		return text, nil
	}
	raw, err := io.ReadAll(io.LimitReader(inv.streams.In, longestQuestion+1))
	if err != nil {
		return "", core.Errorf(core.KindInvalid, "cannot read the question from standard input: %w", err)
	}
	if len(raw) > longestQuestion {
		return "", core.Errorf(core.KindTooLarge, "the question is longer than %d KiB; ask a shorter one", longestQuestion>>10)
	}
	if strings.TrimSpace(string(raw)) == "" {
		return "", core.Errorf(core.KindUsage, "the question on standard input is empty")
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD"), nil
}

func (inv *invocation) screen(asJSON bool) console.Screen {
	return console.Screen{
		Out: inv.streams.Out, Err: inv.streams.Err,
		OutTTY: inv.OutTTY, ErrTTY: inv.ErrTTY, JSON: asJSON,
	}
}

// ask shows the answer to one question. The exit code tells more than the text:
// an answer that was cut short, or made without the model because its
// configuration is wrong, is there but not all right.
func (inv *invocation) ask(ctx context.Context, a *app, who *asking, text string, asJSON bool) error {
	q, err := who.question(ctx, a, "", text)
	if err != nil {
		return err
	}
	if err := a.mustHaveDocuments(ctx); err != nil {
		return err
	}
	watch := &watcher{agent: asker{a.desk}}
	turn, err := inv.screen(asJSON).Ask(ctx, watch, q)
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return exited(exitInterrupted)
	case turn.Answer.Stopped:
		return exited(exitFailure)
	}
	return watch.verdict()
}

// watcher notices why the model could not answer.
type watcher struct {
	agent console.Answerer
	cause core.Kind
}

// Answer passes everything through.
func (w *watcher) Answer(ctx context.Context, q core.Question, emit func(core.Event)) (core.Turn, error) {
	return w.agent.Answer(ctx, q, func(e core.Event) {
		if n, ok := e.(core.Noticed); ok && n.Cause != "" {
			w.cause = n.Cause
		}
		emit(e)
	})
}

// verdict makes a wrong key, address or model name visible to scripts. An
// endpoint that is down for the moment is not: quotes are the answer then.
func (w *watcher) verdict() error {
	switch w.cause {
	case core.KindAuth, core.KindConfig, core.KindNotFound, core.KindDenied:
		return exited(exitConfig)
	}
	return nil
}

func (a *app) mustHaveDocuments(ctx context.Context) error {
	counts, err := a.store.Counts(ctx)
	if err != nil {
		return err
	}
	switch {
	case counts.Sources == 0:
		return core.Errorf(core.KindNotFound, "there is no source yet; add one with: footnote source add files FOLDER")
	case counts.Documents == 0:
		return core.Errorf(core.KindNotFound, "no document has been read yet; read the sources with: footnote sync (or wait for the one that runs)")
	}
	return nil
}
