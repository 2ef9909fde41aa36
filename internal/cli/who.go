package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// asking is the flags that say who asks where.
type asking struct {
	as, place, agent string
}

func (a *asking) flags(c *cobra.Command) {
	c.Flags().StringVar(&a.as, "as", "", "ask as the person with this e-mail address (default: the local operator, a full member)")
	c.Flags().StringVar(&a.agent, "agent", "", "which agent answers (default the one called default, or the built-in one)")
	c.Flags().StringVar(&a.place, "place", "dm", "where the answer could be read: dm (only by you) or public (by every full member)")
}

var places = map[string]core.PlaceKind{"dm": core.PlaceDirect, "public": core.PlacePublic}

// question makes a question of the text, in a thread of its own if none is given.
func (a *asking) question(in *app, thread, text string) (core.Question, error) {
	kind, ok := places[a.place]
	if !ok {
		return core.Question{}, badChoice("--place", a.place, "dm", "public")
	}
	viewer, err := a.viewer(in.cfg.Members)
	if err != nil {
		return core.Question{}, err
	}
	persona, err := in.agents.chosen(a.agent)
	if err != nil {
		return core.Question{}, err
	}
	if thread == "" {
		thread = newID()
	}
	place := core.Place{ID: "console:" + a.place, Platform: "console", Kind: kind, Thread: thread}
	return core.Question{
		Text: text, Agent: persona, Viewer: viewer, Place: place,
		Audience: access.Audience(place, viewer), Asked: time.Now(),
	}, nil
}

func (a *asking) viewer(members config.Members) (core.Viewer, error) {
	if a.as == "" {
		return access.Operator(), nil
	}
	name, domain, ok := strings.Cut(strings.ToLower(strings.TrimSpace(a.as)), "@")
	if !ok || name == "" || domain == "" || strings.ContainsAny(a.as, " \t\n") {
		return core.Viewer{}, core.Errorf(core.KindUsage, "--as: %q is not an e-mail address", a.as)
	}
	email := name + "@" + domain
	return access.Person(email, fullMember(members, email, domain), nil), nil
}

func fullMember(members config.Members, email, domain string) bool {
	same := func(want string) func(string) bool {
		return func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), want) }
	}
	return slices.ContainsFunc(members.Domains, same(domain)) || slices.ContainsFunc(members.Emails, same(email))
}

// history is what was said in the thread as far as the question's audience may
// know it.
func (a *app) history(ctx context.Context, q core.Question) ([]core.Turn, error) {
	all, err := a.store.Thread(ctx, q.Place.Thread)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(t core.Turn) bool {
		return !access.CanKnow(q.Audience, t, q.Viewer)
	}), nil
}
