package discord

import (
	"context"
	"testing"

	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/plugins/internal/hush/hushtest"
)

// However Discord fails, and whatever it says then, the token stays inside.
func TestSecretsStayInside(t *testing.T) {
	w := newWorld(t)
	w.fill(w.open, 4)
	w.srv.Say(w.open, w.ann, "my token is "+discordtest.Token)
	with := func(run func(context.Context, *Source, *hushtest.Said) error) func(context.Context, hushtest.Server, *hushtest.Said) error {
		return func(ctx context.Context, s hushtest.Server, out *hushtest.Said) error {
			src := Source{Token: "Bot " + discordtest.Token, People: w.people(), ApiURL: s.Address, now: w.srv.Clock().Now, bare: s.Bare}
			if err := src.Start(ctx, s.Env); err != nil {
				return err
			}
			return run(ctx, &src, out)
		}
	}
	hushtest.Run(t, discordtest.Token, w.relay, []hushtest.Call{
		{Name: "Check", Run: with(func(ctx context.Context, s *Source, _ *hushtest.Said) error { return s.Check(ctx) })},
		{Name: "Sync", Run: with(func(ctx context.Context, s *Source, out *hushtest.Said) error { return s.sync(ctx, nil, out) })},
		{Name: "List", Run: with(func(ctx context.Context, s *Source, out *hushtest.Said) error { return s.list(ctx, out.Removed) })},
		{Name: "Grants", Run: with(func(ctx context.Context, s *Source, out *hushtest.Said) error { return s.grants(ctx, out) })},
	})
}
