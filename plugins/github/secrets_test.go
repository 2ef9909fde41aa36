package github

import (
	"context"
	"testing"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/hush/hushtest"
)

// However GitHub fails, and whatever it says then, the token stays inside.
func TestSecretsStayInside(t *testing.T) {
	server, open, _ := acme(t)
	server.Change(func(time.Time) {
		open.Items[0].Body = "my token is " + secret
		open.Files["README.md"] = "my token is " + secret
	})
	with := func(run func(context.Context, *Source, *hushtest.Said) error) func(context.Context, hushtest.Server, *hushtest.Said) error {
		return func(ctx context.Context, s hushtest.Server, out *hushtest.Said) error {
			src := Source{Repositories: []string{"acme/*"}, Token: secret, BaseURL: s.Address, bare: s.Bare}
			if err := src.Start(ctx, s.Env); err != nil {
				return err
			}
			return run(ctx, &src, out)
		}
	}
	hushtest.Run(t, secret, server, []hushtest.Call{
		{Name: "Check", Run: with(func(ctx context.Context, s *Source, _ *hushtest.Said) error { return s.Check(ctx) })},
		{Name: "Sync", Run: with(func(ctx context.Context, s *Source, out *hushtest.Said) error { return s.sync(ctx, nil, out) })},
		{Name: "List", Run: with(func(ctx context.Context, s *Source, out *hushtest.Said) error {
			return s.list(ctx, func(_ repo, id string) error { return out.Removed(id) })
		})},
		{Name: "Grants", Run: with(func(ctx context.Context, s *Source, out *hushtest.Said) error { return s.grants(ctx, out) })},
		{Name: "Search", Quiet: true, Run: with(func(ctx context.Context, s *Source, out *hushtest.Said) error {
			hits, err := s.Search(ctx, sdk.Query{Text: "coffee", Limit: 5, Viewer: sdk.Caller{Email: "ann@example.com"}})
			out.Add(hits)
			return err
		})},
	})
}
