package slack

import "context"

// quiet shows an answer to its asker alone, when it is complete: an ephemeral
// message cannot grow.
type quiet struct{ n *answer }

func (q *quiet) show(context.Context, string) {}

func (q *quiet) plain() {}

func (q *quiet) refs() []string { return nil }

// retract has nothing to take back: nothing was shown.
func (q *quiet) retract(context.Context, string) {}

// finish sends the pieces by the address that Slack gave for replies, as long as
// it serves, and else as ephemeral messages.
func (q *quiet) finish(ctx context.Context, _ string, pieces []piece) error {
	a, r := q.n.app, q.n.req
	for i, p := range pieces {
		err := a.climb(p, func(form payload) error {
			if r.response != "" && i < 4 {
				if err := a.api.respond(ctx, r.response, form, r.replace && i == 0); err == nil || tooBig(err) {
					return err
				}
			}
			if r.direct { // nobody else reads it
				_, err := a.api.post(ctx, r.channel, r.root, form)
				return err
			}
			return a.api.whisper(ctx, r.channel, r.root, r.who.ID, form)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
