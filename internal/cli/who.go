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
	collections      []string
}

func (a *asking) flags(c *cobra.Command) {
	c.Flags().StringVar(&a.as, "as", "", "ask as the person with this e-mail address (default: the local operator, a full member)")
	c.Flags().StringVar(&a.agent, "agent", "", "which agent answers (default the one called default, or the built-in one)")
	c.Flags().StringVar(&a.place, "place", placeDM, "where the answer could be read: dm (only by you), public (by every full member), or the id of a place that is known, such as slack:T1/C1")
	c.Flags().StringSliceVar(&a.collections, "collection", nil, "search only this collection; may be repeated")
}

const (
	placeDM     = "dm"
	placePublic = "public"
)

// where is the place that --place names.
func (a *asking) where(ctx context.Context, in *app, thread string) (core.Place, error) {
	place := core.Place{ID: "console:" + a.place, Platform: "console", Thread: thread, Home: true}
	switch {
	case a.place == placeDM:
		place.Kind = core.PlaceDirect
	case a.place == placePublic:
		place.Kind = core.PlacePublic
	case strings.Contains(a.place, ":"):
		noted, err := in.rights.noted(ctx, a.place)
		if err != nil {
			return core.Place{}, err
		}
		noted.Platform, noted.Thread = "console", thread // a look at it, not a message in it
		place = noted
	default:
		return core.Place{}, badChoice("place", a.place, placeDM, placePublic, "or the id of a place such as slack:T1/C1")
	}
	return in.rights.place(ctx, place)
}

// question makes a question of the text, in a thread of its own if none is given.
func (a *asking) question(ctx context.Context, in *app, thread, text string) (core.Question, error) {
	if thread == "" {
		thread = newID()
	}
	place, err := a.where(ctx, in, thread)
	if err != nil {
		return core.Question{}, err
	}
	viewer, err := a.viewer(ctx, in)
	if err != nil {
		return core.Question{}, err
	}
	persona, err := in.agents.chosen(a.agent)
	if err != nil {
		return core.Question{}, err
	}
	q := core.Question{
		Text: text, Agent: persona, Viewer: viewer, Place: place,
		Audience: access.Audience(place, viewer), Asked: time.Now(),
	}
	if a.collections != nil {
		q.Collections, err = in.rights.asked(ctx, a.collections, q.Audience)
	}
	return q, err
}

func (a *asking) viewer(ctx context.Context, in *app) (core.Viewer, error) {
	if a.as == "" {
		return access.Operator(), nil
	}
	email, err := emailAddress("--as", a.as)
	if err != nil {
		return core.Viewer{}, err
	}
	return in.rights.person(ctx, email)
}

func fullMember(members config.Members, email, domain string) bool {
	same := func(want string) func(string) bool {
		return func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), want) }
	}
	return slices.ContainsFunc(members.Domains, same(domain)) || slices.ContainsFunc(members.Emails, same(email))
}
