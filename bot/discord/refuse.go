package discord

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// emptyQuestion is what somebody means who calls the bot without a word.
func emptyQuestion(in bot.Incoming) string {
	switch {
	case len(in.Files) > 0:
		return "What is in the attached file?"
	case len(in.Context) > 0:
		return in.Context[len(in.Context)-1].Text
	}
	return "What can you help with?"
}

// refuse shows why there is no answer.
func (n *answer) refuse(ctx context.Context, err error) {
	n.log.Info("a question was not taken", "request_id", n.id, "error", err)
	n.app.opts.Counter.Add("discord_refused_total", string(core.KindOf(err)))
	var wait *bot.WaitError
	text := ""
	switch {
	case errors.Is(err, errRemoved):
		if n.req.reply != nil {
			n.tell(ctx, errRemoved.Message)
		}
		return // they could not read it here, and it is nobody else's business
	case errors.Is(err, bot.ErrNotListed):
		if n.req.from == "all" || n.req.from == "question" || n.req.from == "follow-up" {
			return // they did not ask us
		}
		n.whisperTo(ctx, bot.ErrNotListed.Message)
		return
	case errors.As(err, &wait):
		text = waitText(wait)
	case core.KindOf(err) == core.KindDenied, core.KindOf(err) == core.KindNotFound:
		text = core.FailedOf(err, n.id).Message
	default:
		n.fail(ctx, core.FailedOf(err, n.id))
		return
	}
	n.tell(ctx, text)
}

func (n *answer) tell(ctx context.Context, text string) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	n.app.tell(ctx, n.req, notice(escapeMarkdown(text)))
}

// whisperTo tells the asker something that is for nobody else: who wrote a message
// is written to directly.
func (n *answer) whisperTo(ctx context.Context, text string) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	n.app.whisper(ctx, n.req, notice(escapeMarkdown(text)))
}

func waitText(w *bot.WaitError) string {
	wait := max(w.Wait.Round(time.Second), time.Second)
	if w.Place {
		return fmt.Sprintf("There are many questions here at the moment. The next one can be asked in %s.", wait)
	}
	return fmt.Sprintf("You asked many questions in a short time. You can ask the next one in %s.", wait)
}

// fail shows a failure in a short sentence with a request id.
func (n *answer) fail(ctx context.Context, f core.Failed) {
	n.app.opts.Counter.Add("discord_failed_answers_total", string(f.Kind))
	n.end(ctx, ending{failed: &f})
}

// lasting is a context for last words: they are said also when everything ends, for
// closeTime from then on.
func lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	out, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Minute)
	stop := context.AfterFunc(ctx, func() {
		if sleep(out, closeTime) == nil {
			cancel()
		}
	})
	return out, func() { stop(); cancel() }
}
