package slack

import (
	"context"
	"testing"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/hush/hushtest"
)

// However Slack fails, and whatever it says then, the token stays inside.
func TestSecretsStayInside(t *testing.T) {
	w := newWorld(t)
	w.fill("C1", 3)
	w.say("C1", "U1", "my token is "+slacktest.BotToken)
	w.search.Store(oneHit)
	with := func(run func(context.Context, *Source, *hushtest.Said) error) func(context.Context, hushtest.Server, *hushtest.Said) error {
		return func(ctx context.Context, s hushtest.Server, out *hushtest.Said) error {
			src := Source{Token: slacktest.BotToken, SearchToken: slacktest.BotToken, Join: true, ApiURL: s.Address, now: w.srv.Clock().Now, bare: s.Bare}
			if err := src.Start(ctx, s.Env); err != nil {
				return err
			}
			return run(ctx, &src, out)
		}
	}
	hushtest.Run(t, slacktest.BotToken, w.relay, []hushtest.Call{
		{Name: "Check", Run: with(func(ctx context.Context, s *Source, _ *hushtest.Said) error { return s.Check(ctx) })},
		{Name: "Sync", Run: with(func(ctx context.Context, s *Source, out *hushtest.Said) error { return s.sync(ctx, nil, out) })},
		{Name: "List", Run: with(func(ctx context.Context, s *Source, out *hushtest.Said) error { return s.list(ctx, out.Removed) })},
		{Name: "Grants", Run: with(func(ctx context.Context, s *Source, out *hushtest.Said) error { return s.grants(ctx, out) })},
		{Name: "Search", Run: with(func(ctx context.Context, s *Source, out *hushtest.Said) error {
			hits, err := s.Search(ctx, sdk.Query{Text: "coffee", Limit: 5, Viewer: sdk.Caller{Email: "ann@example.com"}})
			out.Add(hits)
			return err
		})},
	})
}
