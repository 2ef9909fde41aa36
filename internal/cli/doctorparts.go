package cli

import (
	"context"
	"fmt"
	"time"
)

const (
	// partPatience is how long one part of the check-up may take. The longest that any
	// of them waits by itself is 10 seconds.
	partPatience = 20 * time.Second
	// partsAtOnce bounds how many are looked at side by side.
	partsAtOnce = 8
)

// part is something that doctor looks at on its own.
type part struct {
	name string // of the check that is shown where it does not answer
	look func(context.Context) []check
}

func single(name string, look func(context.Context) check) part {
	return part{name, func(ctx context.Context) []check { return []check{look(ctx)} }}
}

// parts are all that doctor looks at, in the order in which it tells.
func (a *app) parts(ctx context.Context) []part {
	out := []part{
		single("configuration", func(context.Context) check { return a.checkConfig() }),
		single("data folder", func(context.Context) check { return a.checkFolder() }),
		single("disk", func(context.Context) check { return a.checkDisk() }),
		{"permissions", func(context.Context) []check { return a.checkFiles() }},
		single("ledger", a.checkIntegrity),
		single("index", a.checkLedger),
		{"backup", a.checkBackups},
		{"clock", a.checkClock},
		{"plugins", func(context.Context) []check { return a.checkPlugins() }},
	}
	out = append(out, a.sourceParts(ctx)...)
	return append(out,
		part{"slack", a.slackChecks}, part{"discord", a.discordChecks}, part{"places", a.checkLists},
		part{"http", a.checkHTTP}, part{"admin pages", func(context.Context) []check { return a.checkAdmin() }},
		single("model", a.checkModelEndpoint), single("embeddings", a.checkEmbeddings), part{"contexts", a.checkContexts},
		part{"reranker", a.checkReranker},
		part{"vision", a.checkVision}, part{"quotas", a.checkQuotas},
	)
}

// sideBySide looks at the parts at the same time, each for as long as it may take, and
// keeps their order. A part that heeds no context, such as one that waits for a file
// system that is gone, is left behind: nobody reads what it finds.
func sideBySide(ctx context.Context, parts []part, patience time.Duration) []check {
	found := make([]chan []check, len(parts))
	places := make(chan struct{}, partsAtOnce)
	for i, p := range parts {
		found[i] = make(chan []check, 1)
		go func() {
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				found[i] <- []check{p.silent("the check-up was stopped before its turn")}
				return
			}
			found[i] <- p.within(ctx, patience)
			<-places
		}()
	}
	var out []check
	for i := range parts {
		out = append(out, <-found[i]...)
	}
	return out
}

// within looks at the part, or says that it did not answer.
func (p part) within(ctx context.Context, patience time.Duration) []check {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	done := make(chan []check, 1)
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				done <- []check{p.silent(fmt.Sprintf("the check itself failed (%T)", fault))}
			}
		}()
		done <- p.look(ctx)
	}()
	select {
	case out := <-done:
		return out
	case <-ctx.Done():
	}
	select { // one that heeds the context answers now
	case out := <-done:
		return out
	case <-time.After(time.Second):
		return []check{p.silent("there is no answer after " + patience.String())}
	}
}

func (p part) silent(why string) check {
	return check{Name: p.name, Outcome: failed, Detail: why, Fix: "look at the log with --log-level debug, and run footnote doctor again"}
}
