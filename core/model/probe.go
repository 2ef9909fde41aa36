package model

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Outcome is what a check found.
type Outcome string

// The outcomes. CheckUnknown means that the check could not tell.
const (
	CheckOK      Outcome = "ok"
	CheckFailed  Outcome = "failed"
	CheckUnknown Outcome = "unknown"
)

// The names of the checks of Probe, in order.
const (
	CheckReachable     = "reachable"
	CheckKey           = "key"
	CheckModel         = "model"
	CheckStream        = "stream"
	CheckUsage         = "usage"
	CheckTools         = "tools"
	CheckParallelTools = "parallel_tools"
	CheckJSONSchema    = "json_schema"
	CheckVision        = "vision"
	CheckWindow        = "window"
)

// Check is one question about an endpoint and its answer.
type Check struct {
	Name    string  `json:"name"`
	Outcome Outcome `json:"outcome"`
	Detail  string  `json:"detail,omitempty"` // what was seen; a sentence
	Fix     string  `json:"fix,omitempty"`    // what to do about it; a sentence, or ""
}

// Capabilities is what Probe found out. It is plain data to print and store.
type Capabilities struct {
	Endpoint string  `json:"endpoint"`
	Model    string  `json:"model"`
	Profile  string  `json:"profile"`
	Window   int     `json:"window,omitempty"` // tokens that the server really serves; 0 if it does not tell
	Checks   []Check `json:"checks"`
}

// Check returns the check of the name; unknown if it was not made.
func (p Capabilities) Check(name string) Check {
	for _, c := range p.Checks {
		if c.Name == name {
			return c
		}
	}
	return Check{Name: name, Outcome: CheckUnknown}
}

// Failed tells whether any check failed.
func (p Capabilities) Failed() bool {
	return slices.ContainsFunc(p.Checks, func(c Check) bool { return c.Outcome == CheckFailed })
}

const (
	probeStep   = 60 * time.Second // one request of a probe, retries included
	probeAll    = 3 * time.Minute  // the whole probe
	probeTokens = 512              // room for a thinking model's thoughts
)

// Probe finds out what the endpoint and model can do, by at most four small chat
// calls and a few pages, in at most three minutes. What failed is a result, not
// an error; the error is of kind cancelled, and what was found until then is
// returned with it.
func (c *Client) Probe(ctx context.Context) (Capabilities, error) {
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, probeAll)
	defer cancel()
	p := &probe{client: c, out: Capabilities{Endpoint: c.where(), Model: c.cfg.Name, Profile: c.profile.Name}}
	steps := []func(context.Context){p.chat, p.tools, p.schema, p.vision, p.window}
	for _, step := range steps {
		if p.down || ctx.Err() != nil {
			break
		}
		step(ctx)
	}
	if errors.Is(outer.Err(), context.Canceled) {
		return p.out, core.Wrap(core.KindCancelled, outer.Err(), "The check of the model was stopped.")
	}
	p.complete()
	return p.out, nil
}

// probe is one running probe.
type probe struct {
	client *Client
	out    Capabilities
	down   bool // nothing further can be asked
}

func (p *probe) add(name string, o Outcome, detail, fix string) {
	p.out.Checks = append(p.out.Checks, Check{name, o, detail, fix})
}

// complete adds the checks that were not made.
func (p *probe) complete() {
	for _, name := range []string{CheckReachable, CheckKey, CheckModel, CheckStream, CheckUsage,
		CheckTools, CheckParallelTools, CheckJSONSchema, CheckVision, CheckWindow} {
		if !slices.ContainsFunc(p.out.Checks, func(c Check) bool { return c.Name == name }) {
			p.add(name, CheckUnknown, "Not checked, because an earlier check failed.", "")
		}
	}
}
