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
	good := 0
	for _, call := range r.reply.Calls {
		if _, fault := Arguments(call.Arguments, probeSchema); fault == nil && call.Name == "weather" {
			good++
		}
	}
	p.called(r.reply.Calls, good, err)
	switch {
	case p.out.Check(CheckTools).Outcome != CheckOK:
		p.add(CheckParallelTools, CheckUnknown, "Not checked, because the model made no call of its own kind.", "")
	case good < 2:
		p.add(CheckParallelTools, CheckUnknown, "The model made one call where it was asked for two.",
			"Nothing must be done: such a model asks one thing after the other.")
	default:
		p.add(CheckParallelTools, CheckOK, fmt.Sprintf("The model made %d calls at the same time.", good), "")
	}
}

// called files what became of the tool that was offered; good calls have the
// right name and arguments.
func (p *probe) called(calls []ToolCall, good int, err error) {
	const asText = "Nothing must be done: tools are described in the text for this model. Set another @name if it does not use them."
	const another = "set @name to a model that is made for tool calls."
	switch {
	case p.client.quirks.Load().noTools:
		p.add(CheckTools, CheckFailed, "The server refuses tool definitions for this model.", p.client.sentence(asText))
	case err != nil:
		p.add(CheckTools, CheckUnknown, err.Error(), "")
	case good == 0 && len(calls) > 0:
		p.add(CheckTools, CheckFailed, "The model called a tool with a wrong name or with arguments that cannot be read.",
			p.client.sentence("To fix it, "+another))
	case good == 0:
		p.add(CheckTools, CheckUnknown, "The model answered without calling the tool.",
			p.client.sentence("Check again; if it stays so, "+another))
	case calls[0].FromText:
		p.add(CheckTools, CheckFailed, "The model writes its tool calls into the text; they are found there.",
			p.client.sentence("Nothing must be done for search; tools that change something need another @name."))
	default:
		p.add(CheckTools, CheckOK, "The model calls tools.", "")
	}
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
