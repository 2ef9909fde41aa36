package cli

import (
	"cmp"
	"time"

	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/plugins"
)

// A search goes on without a model, a source or a censor that takes too long. How long
// that is each part knows by itself; tests set one limit for all, since a busy machine
// is late where nothing is wrong.

// limitSearch sets the limit of everything that a search waits for.
func (a *app) limitSearch(o *find.Options) {
	o.Patience, o.LivePatience, o.EmbedPatience, o.RerankPatience = a.limit, a.limit, a.limit, a.limit
}

func (a *app) limitPlans(o *find.PlannerOptions) { o.PlanPatience, o.SelectPatience = a.limit, a.limit }

func (a *app) limitConnectors(o *plugins.Options) {
	o.StartTimeout, o.CallTimeout, o.SearchTimeout, o.CensorTimeout = a.limit, a.limit, a.limit, a.limit
}

// within is the app's limit, or the usual one.
func (a *app) within(usual time.Duration) time.Duration { return cmp.Or(a.limit, usual) }
