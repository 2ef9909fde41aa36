package slack

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/core"
)

// mostCalled is how many people are written to about one question.
const mostCalled = 20

// Readable tells which citations of a turn a person may read now, alone. It may
// be nil: then colleagues get no list of sources.
type Readable func(ctx context.Context, viewer core.Viewer, t core.Turn) ([]core.Citation, error)

// helpWanted calls the people who help in this channel. Everybody gets the
// question, and of the sources those that they may read themselves.
func (a *app) helpWanted(ctx context.Context, p press) {
	got, s, ok := a.posted(ctx, p)
	if !ok || a.opts.Feedback == nil || !a.owner(ctx, p, got, "call somebody for it") {
		return
	}
	t, ok := a.turn(ctx, p, got)
	if !ok {
		return
	}
	colleagues, err := a.callable(ctx, got.Place)
	if err != nil || len(colleagues) == 0 {
		a.log.Warn("nobody can be called for help", "place", got.Place, "error", err)
		a.tell(ctx, p.req, notice(p.who.say("Nobody is set up to help here, or the group cannot be read. Ask who manages the channel.")))
		return
	}
	first, err := a.once(ctx, "slack:help/"+got.TurnID) // now that somebody can be called
	if err != nil {
		a.tell(ctx, p.req, notice(err.Error()))
		return
	}
	if !first {
		a.tell(ctx, p.req, notice(p.who.say("A person was called for this already.")))
		return
	}
	h := core.HelpRequest{ID: a.opts.NewID(), TurnID: got.TurnID, Place: got.Place, Account: p.who.Key(), Opened: time.Now(), Extra: got.Extra}
	if err := a.opts.Feedback.PutHelp(ctx, h); err != nil {
		a.tell(ctx, p.req, notice(a.sorry(err)))
		return
	}
	reached := 0
	for _, colleague := range colleagues[:min(len(colleagues), mostCalled)] {
		if err := a.callOne(ctx, colleague, p, got, s, t, h); err != nil {
			a.log.Warn("a colleague could not be written to", "error", err)
			continue
		}
		reached++
	}
	text := p.who.say("I wrote to a person who may know. They will answer you directly.")
	switch reached {
	case 0:
		text = p.who.say("Nobody is set up to help here, or the group cannot be read. Ask who manages the channel.")
	case 1:
	default:
		text = p.who.say("I wrote to %d people who may know. They will answer you directly.", reached)
	}
	a.tell(ctx, p.req, notice(text))
}

// callable are the members of the group that the owner set for the place.
func (a *app) callable(ctx context.Context, place string) ([]string, error) {
	settings, err := a.opts.Front.Settings(ctx, place)
	if err != nil {
		return nil, err
	}
	group, ok := a.groups.find(ctx, settings.Helpers)
	if !ok {
		return nil, core.Errorf(core.KindNotFound, "There is no user group %q.", settings.Helpers)
	}
	return a.api.groupMembers(ctx, group)
}

// callOne writes to one colleague.
func (a *app) callOne(ctx context.Context, colleague string, p press, got core.Posted, s standing, t core.Turn, h core.HelpRequest) error {
	channel, err := a.api.openDirect(ctx, colleague)
	if err != nil {
		return err
	}
	who := a.people.asker(ctx, colleague, "", false)
	md := who.say("%s would like a person to answer:", p.who.bold()) + "\n\n> " +
		strings.ReplaceAll(escapeMarkdown(firstRunes(t.Question, 1500)), "\n", "\n> ")
	form := notice(md)
	if !got.Private && s.TS != "" && !strings.HasPrefix(s.Channel, "D") {
		if where, err := a.api.permalink(ctx, s.Channel, s.TS); err == nil {
			form.blocks = append(form.blocks, section(link(where, who.say("Open the thread"))))
		}
	}
	if list := a.readableBy(ctx, who, t); list != "" {
		form.blocks = append(form.blocks, section(list))
	}
	form.blocks = append(form.blocks, slack.NewActionBlock("", slack.NewButtonBlockElement(actHelped, h.ID, plainText(who.say("Resolved")))))
	_, err = a.api.post(ctx, channel, "", form)
	return err
}

// readableBy lists the sources of the answer that the colleague may read.
func (a *app) readableBy(ctx context.Context, who person, t core.Turn) string {
	if a.opts.Readable == nil {
		return ""
	}
	v, err := a.opts.Front.Viewer(ctx, who.Account)
	if err != nil {
		return ""
	}
	citations, err := a.opts.Readable(ctx, v, t)
	if err != nil {
		a.log.Warn("what a colleague may read is not known; they get no sources", "error", err)
		return ""
	}
	return sourceText(sourceLines(citations, who), mostListed, who)
}

// helped marks a call for help as resolved, and tells who called.
func (a *app) helped(ctx context.Context, p press) {
	if a.opts.Feedback == nil {
		return
	}
	h, err := a.opts.Feedback.Help(ctx, p.value)
	if err != nil {
		a.tell(ctx, p.req, notice(p.who.say("I no longer know that question. Please ask again.")))
		return
	}
	if !h.Resolved.IsZero() {
		a.tell(ctx, p.req, notice(p.who.say("This was resolved already.")))
		return
	}
	h.Resolved, h.By = time.Now(), p.who.Key()
	if err := a.opts.Feedback.PutHelp(ctx, h); err != nil {
		a.tell(ctx, p.req, notice(a.sorry(err)))
		return
	}
	a.tell(ctx, p.req, notice(p.who.say("Noted: resolved after %s.", h.Resolved.Sub(h.Opened).Round(time.Minute))))
	var s standing
	if json.Unmarshal(h.Extra, &s) != nil || s.User == "" {
		return
	}
	if channel, err := a.api.openDirect(ctx, userOf(h.Account)); err == nil {
		a.api.post(ctx, channel, "", notice(a.people.of(ctx, userOf(h.Account)).say("%s marked your question as resolved.", p.who.bold()))) //nolint:errcheck // logged
	}
}

// userOf is the user id in an account's key.
func userOf(key string) string { return key[strings.LastIndexByte(key, '/')+1:] }
