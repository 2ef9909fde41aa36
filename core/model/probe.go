package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
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

func (p *probe) ask(ctx context.Context, req Request) (result, int, error) {
	ctx, cancel := context.WithTimeout(ctx, probeStep)
	defer cancel()
	req.MaxOutput = probeTokens
	deltas := 0
	r, err := p.client.call(ctx, req, func(Delta) error { deltas++; return nil })
	return r, deltas, err
}

func user(text string) []Message { return []Message{{Role: User, Content: text}} }

// chat makes the first call, from which the first five checks are read.
func (p *probe) chat(ctx context.Context) {
	r, deltas, err := p.ask(ctx, Request{Messages: user("Count from one to ten in words, separated by commas. Write nothing else.")})
	if err != nil {
		p.down = true
		p.refused(ctx, r, err)
		return
	}
	p.add(CheckReachable, CheckOK, fmt.Sprintf("%s answers.", p.out.Endpoint), "")
	p.add(CheckKey, CheckOK, keyDetail(p.client.cfg.APIKey), "")
	p.add(CheckModel, CheckOK, fmt.Sprintf("%s answered in %s.", p.out.Model, r.reply.First.Round(time.Millisecond)), "")
	p.streamed(r.reply, deltas)
	if u := r.reply.Usage; u.PromptTokens > 0 {
		p.add(CheckUsage, CheckOK, fmt.Sprintf("The server counted %d tokens in and %d out.", u.PromptTokens, u.CompletionTokens), "")
		return
	}
	p.add(CheckUsage, CheckFailed, "The server does not report how many tokens were used.",
		"Nothing must be done: counts are estimated, and costs cannot be shown.")
}

func keyDetail(key string) string {
	if key == "" {
		return "No key is set and none is asked for."
	}
	return "The key is accepted."
}

func (p *probe) streamed(reply Reply, deltas int) {
	switch {
	case strings.TrimSpace(reply.Text) == "" && reply.Reasoning != "":
		p.add(CheckStream, CheckUnknown, fmt.Sprintf("The model thought for %d tokens and did not come to an answer.", probeTokens),
			p.client.sentence("Leave room for its thoughts in @max_output."))
	case strings.TrimSpace(reply.Text) == "":
		p.add(CheckStream, CheckFailed, fmt.Sprintf("The reply is empty (finish reason %q).", reply.Finish),
			"Look into the server's log; the chat template may not fit the model.")
	case deltas > 1:
		p.add(CheckStream, CheckOK, fmt.Sprintf("The reply came in %d pieces.", deltas), "")
	default:
		p.add(CheckStream, CheckFailed, "The reply came in one piece.",
			"Switch streaming on at the server or at the proxy before it; until then answers appear at once at the end.")
	}
}

// refused files the first call's failure under the check that it belongs to.
func (p *probe) refused(ctx context.Context, r result, err error) {
	var e *core.Error
	detail := err.Error()
	if errors.As(err, &e) && e.Cause != nil && r.status >= 400 {
		detail = fmt.Sprintf("The server answered %d: %s", r.status, firstLine(e.Cause.Error()))
	}
	answers := r.status != 0 || r.malformed || errors.Is(r.err, errInStream)
	if !answers {
		p.add(CheckReachable, CheckFailed, detail, p.client.sentence("Check @base_url and that the server is running."))
		return
	}
	p.add(CheckReachable, CheckOK, fmt.Sprintf("%s answers.", p.out.Endpoint), "")
	switch core.KindOf(err) {
	case core.KindAuth:
		p.add(CheckKey, CheckFailed, detail, err.Error())
	case core.KindBusy:
		p.add(CheckKey, CheckOK, "The key was not refused.", "")
		p.add(CheckModel, CheckUnknown, detail, err.Error())
	case core.KindConfig:
		p.add(CheckKey, CheckOK, "The key was not refused.", "")
		p.add(CheckModel, CheckFailed, detail, p.near(ctx, err))
	default:
		p.add(CheckModel, CheckFailed, detail, err.Error())
	}
}

// near proposes the served names that are like the configured one.
func (p *probe) near(ctx context.Context, err error) string {
	ctx, cancel := context.WithTimeout(ctx, probeStep)
	defer cancel()
	names, listErr := p.client.Models(ctx)
	if listErr != nil || len(names) == 0 || slices.Contains(names, p.out.Model) {
		return err.Error()
	}
	like := nearest(p.out.Model, names)
	return p.client.sentence("Set @name to a model that is served, such as %s.", strings.Join(like[:min(3, len(like))], ", "))
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

var probeSchema = json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`)

// tools asks for two calls at once.
func (p *probe) tools(ctx context.Context) {
	r, _, err := p.ask(ctx, Request{
		Messages: user("What is the weather in Oslo and in Lima? Look both up with the tool, with two calls at the same time."),
		Tools:    []Tool{{Name: "weather", Description: "Tells the weather in one city.", Schema: probeSchema}},
		Choice:   ChoiceAuto,
	})
	fix := p.client.sentence("Nothing must be done: tools are described in the text for this model. Set another @name if it does not use them.")
	calls := 0
	for _, call := range r.reply.Calls {
		if _, wrong := Arguments(call.Arguments, probeSchema); wrong == nil && call.Name == "weather" {
			calls++
		}
	}
	switch {
	case p.client.quirks.Load().noTools:
		p.add(CheckTools, CheckFailed, "The server refuses tool definitions for this model.", fix)
	case err != nil:
		p.add(CheckTools, CheckUnknown, err.Error(), "")
	case calls == 0 && len(r.reply.Calls) > 0:
		p.add(CheckTools, CheckFailed, "The model called a tool with a wrong name or with arguments that cannot be read.",
			p.client.sentence("Set @name to a model that is made for tool calls."))
	case calls == 0:
		p.add(CheckTools, CheckUnknown, "The model answered without calling the tool.",
			p.client.sentence("Ask again; if it stays so, set @name to a model that is made for tool calls."))
	case r.reply.Calls[0].FromText:
		p.add(CheckTools, CheckFailed, "The model writes its tool calls into the text; they are found there.", fix)
	default:
		p.add(CheckTools, CheckOK, "The model calls tools.", "")
	}
	if p.out.Check(CheckTools).Outcome != CheckOK {
		p.add(CheckParallelTools, CheckUnknown, "Not checked, because the model made no call of its own kind.", "")
		return
	}
	if calls < 2 {
		p.add(CheckParallelTools, CheckUnknown, "The model made one call where it was asked for two.",
			"Nothing must be done: such a model asks one thing after the other.")
		return
	}
	p.add(CheckParallelTools, CheckOK, fmt.Sprintf("The model made %d calls at the same time.", calls), "")
}

// schema asks for an answer that satisfies a JSON schema.
func (p *probe) schema(ctx context.Context) {
	r, _, err := p.ask(ctx, Request{
		Messages: user("Name the capital of France as a JSON object with the field city."),
		JSON:     probeSchema,
	})
	const fix = "Nothing must be done: JSON is asked for in words and checked."
	var got struct {
		City string `json:"city"`
	}
	switch {
	case r.status != 0 && r.status < 500 && core.KindOf(err) != core.KindBusy:
		p.add(CheckJSONSchema, CheckFailed, fmt.Sprintf("The server refuses response_format (%d).", r.status), fix)
	case err != nil:
		p.add(CheckJSONSchema, CheckUnknown, err.Error(), "")
	case json.Unmarshal([]byte(r.reply.Text), &got) != nil || got.City == "":
		p.add(CheckJSONSchema, CheckFailed, "The server passes over response_format: the answer does not satisfy the schema.", fix)
	default:
		p.add(CheckJSONSchema, CheckOK, "The answer satisfies the schema.", "")
	}
}

// redDot is a PNG of one red pixel.
const redDot = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"

// vision shows a picture.
func (p *probe) vision(ctx context.Context) {
	messages := user("Which colour is this picture? Answer with one word.")
	messages[0].Images = []string{redDot}
	r, _, err := p.ask(ctx, Request{Messages: messages})
	switch {
	case r.status != 0 && r.status < 500 && core.KindOf(err) != core.KindBusy:
		p.add(CheckVision, CheckFailed, fmt.Sprintf("The server refuses pictures for this model (%d).", r.status),
			"Nothing must be done: pictures are left out.")
	case err != nil:
		p.add(CheckVision, CheckUnknown, err.Error(), "")
	case strings.Contains(strings.ToLower(r.reply.Text), "red"):
		p.add(CheckVision, CheckOK, "The model sees pictures.", "")
	default:
		p.add(CheckVision, CheckUnknown, "The server takes pictures, but the model did not name the colour of one.", "")
	}
}

// window compares the configured context window with the served one.
func (p *probe) window(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, probeStep)
	defer cancel()
	s := p.client.servedWindow(ctx)
	p.out.Window = s.window
	set := p.client.cfg.ContextWindow
	switch {
	case s.window == 0 && s.most > 0:
		p.add(CheckWindow, CheckUnknown, fmt.Sprintf("The model could take in %d tokens, but the server does not tell how many it serves.", s.most),
			p.client.sentence("Set @context_window to what the server is started with."))
	case s.window == 0 && set == 0:
		p.add(CheckWindow, CheckUnknown, "The server does not tell its context window.",
			p.client.sentence("Set @context_window to the model's."))
	case s.window == 0:
		p.add(CheckWindow, CheckUnknown, fmt.Sprintf("The server does not tell its context window; %d tokens are set.", set), "")
	case set > s.window:
		p.add(CheckWindow, CheckFailed, fmt.Sprintf("%d tokens are set, but %s tells that %d are served.", set, s.from, s.window),
			p.client.sentence("Set @context_window to %d, or start the server with more.", s.window))
	case set == 0:
		p.add(CheckWindow, CheckOK, fmt.Sprintf("%s tells that %d tokens are served.", s.from, s.window),
			p.client.sentence("Set @context_window to %d to make use of it.", s.window))
	default:
		p.add(CheckWindow, CheckOK, fmt.Sprintf("%d tokens are set and %d are served.", set, s.window), "")
	}
}
