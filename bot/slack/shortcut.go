package slack

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/core"
)

const (
	mostPending = 1000
	pendingAge  = 30 * time.Minute
)

// opened is a form about a message, until it is sent.
type opened struct {
	message  event
	channel  string
	response string
	at       time.Time
}

// pending are the forms that are open. What they are about does not travel with
// them: a message may be longer than Slack lets a form carry.
type pending struct {
	mu    sync.Mutex
	forms map[string]opened
}

func newPending() *pending { return &pending{forms: map[string]opened{}} }

func (p *pending) put(id string, o opened) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, one := range p.forms {
		if time.Since(one.at) > pendingAge || len(p.forms) >= mostPending {
			delete(p.forms, k)
		}
	}
	p.forms[id] = o
}

func (p *pending) take(id string) (opened, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o, ok := p.forms[id]
	delete(p.forms, id)
	return o, ok && time.Since(o.at) <= pendingAge
}

// shortcut opens the form of "Ask about this message".
func (a *app) shortcut(ctx context.Context, i interaction, who person) {
	if i.Callback != shortcutAsk {
		return
	}
	if first, err := a.once(ctx, placeID(a.own().Team, "shortcut")+"/"+i.Trigger); err == nil && !first {
		return
	}
	id := a.opts.NewID()
	a.pending.put(id, opened{message: i.Message, channel: i.Channel.ID, response: i.Response, at: time.Now()})
	if err := a.api.openView(ctx, i.Trigger, askForm(id, who)); err != nil {
		a.tell(ctx, request{channel: i.Channel.ID, who: who, show: askerOnly, response: i.Response},
			notice(who.say("The form could not be opened. Please try again.")))
	}
}

// What can be done with a message.
const (
	wantAnswer  = "answer"
	wantSummary = "summary"
)

func askForm(id string, who person) slack.ModalViewRequest {
	in := slack.NewPlainTextInputBlockElement(plainText(who.say("What do our sources say about this?")), "text")
	in.Multiline, in.MaxLength = true, 2000
	question := slack.NewInputBlock("question", plainText(who.say("Your question")), nil, in)
	question.Optional = true
	answerOption := slack.NewOptionBlockObject(wantAnswer, plainText(who.say("Answer with sources")), nil)
	what := slack.NewRadioButtonsBlockElement("what", answerOption,
		slack.NewOptionBlockObject(wantSummary, plainText(who.say("Summarise the thread")), nil))
	what.InitialOption = answerOption
	return slack.ModalViewRequest{
		Type: slack.VTModal, CallbackID: viewAsk, PrivateMetadata: id,
		Title: plainText(who.say("Ask about a message")), Submit: plainText(who.say("Ask")), Close: plainText(who.say("Cancel")),
		Blocks: slack.Blocks{BlockSet: []slack.Block{
			slack.NewInputBlock("what", plainText(who.say("What to do")), nil, what), question,
			slack.NewContextBlock("", mrkdwn(who.say("Only you see the answer."))),
		}},
	}
}

// askedAbout answers the form, for its sender alone.
func (a *app) askedAbout(ctx context.Context, i interaction, who person) {
	o, ok := a.pending.take(i.View.Metadata)
	if !ok {
		if channel, err := a.api.openDirect(ctx, who.ID); err == nil {
			a.api.post(ctx, channel, "", notice(who.say("I no longer know which message the form was about. Please open it again."))) //nolint:errcheck // logged
		}
		return
	}
	m := o.message
	r := request{
		from: "shortcut", channel: o.channel, root: m.root(), who: who, show: askerOnly, response: o.response, restate: true,
	}
	question := strings.TrimSpace(i.field("question"))
	if i.field("what") == wantSummary {
		r.text = strings.TrimSpace(who.say("Summarise the thread") + ". " + question)
		r.said = a.context(ctx, o.channel, m.root(), "9")
	} else {
		r.text = firstOf(question, who.say("What do our sources say about this message?"))
	}
	if r.said == nil {
		n := a.name(ctx, []string{m.plain()}, string(m.User))
		r.said = []core.Said{{
			Author: firstOf(n.userName(string(m.User)), "somebody"),
			Text:   cutText(readable(m.plain(), a.own().User, n), messageMost),
		}}
		r.files = m.Files
	}
	a.begin(r)
}
