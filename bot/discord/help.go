package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// mostHelpers is how many people are written to about one question.
const mostHelpers = 20

// helpWanted calls the people who help in this place. Everybody gets the question,
// and of the sources those that they may read themselves.
func (a *app) helpWanted(ctx context.Context, p press) {
	got, s, ok := a.stands(ctx, p)
	if !ok {
		return
	}
	if a.opts.Feedback == nil {
		a.say(ctx, p, noAdmin)
		return
	}
	if got.Private && !a.owner(ctx, p, got, s, "call a person for it") {
		return
	}
	t, ok := a.turn(ctx, p, got)
	if !ok {
		return
	}
	helpers, err := a.helpers(ctx, s.Guild, got.Place)
	if err != nil || len(helpers) == 0 {
		a.log.Warn("nobody can be called for help", "place", got.Place, "error", err)
		a.say(ctx, p, "Nobody is set up to help here, or they cannot be found out. Ask who manages the server.")
		return
	}
	if first, err := a.once(ctx, placeID(s.Guild, "help")+"/"+got.TurnID); err != nil || !first {
		a.say(ctx, p, "A person was called for this already.")
		return
	}
	h := core.HelpRequest{ID: a.opts.NewID(), TurnID: got.TurnID, Place: got.Place, Account: p.who.Key(), Opened: time.Now()}
	s.User = p.who.ID // who called
	helpers = helpers[:min(len(helpers), mostHelpers)]
	if h.Extra, err = json.Marshal(calledFor{s, helpers}); err == nil {
		err = a.opts.Feedback.PutHelp(ctx, h)
	}
	if err != nil {
		a.say(ctx, p, a.sorry(err))
		return
	}
	reached := 0
	for _, u := range helpers {
		if err := a.callHelper(ctx, u, p, got, s, t, h); err != nil {
			a.log.Warn("a helper could not be written to", "error", err)
			continue
		}
		reached++
	}
	if reached == 0 {
		a.say(ctx, p, "Nobody could be reached: those who help here take no messages from me. Ask who manages the server.")
		return
	}
	people := "people"
	if reached == 1 {
		people = "person"
	}
	a.say(ctx, p, fmt.Sprintf("I wrote to %d %s who may know. They will answer you directly.", reached, people))
}

// calledFor is where a call for help stands, and who was called.
type calledFor struct {
	standing
	Helpers []string `json:"helpers,omitempty"`
}

// helpers are those that the owner set for the place: users by id, or everybody
// with a role, by its id or name; the latter takes the guild members intent.
func (a *app) helpers(ctx context.Context, guild, place string) ([]string, error) {
	settings, err := a.opts.Front.Settings(ctx, place)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, one := range strings.FieldsFunc(settings.Helpers, func(r rune) bool { return r == ',' || r == ';' }) {
		one = strings.Trim(strings.TrimSpace(one), "<@&!>")
		role := a.roleID(ctx, guild, one)
		if role == "" {
			if digits(one) {
				out = append(out, one)
			}
			continue
		}
		crowd, err := a.facts.crowd(ctx, guild)
		if err != nil {
			return nil, err
		}
		for _, m := range crowd {
			if m.User != nil && !m.User.Bot && contains(m.Roles, role) && !contains(out, m.User.ID) {
				out = append(out, m.User.ID)
			}
		}
	}
	return out, nil
}

func (a *app) roleID(ctx context.Context, guild, name string) string {
	g, err := a.facts.guild(ctx, guild)
	if err != nil {
		return ""
	}
	for _, r := range g.Roles {
		if r.ID != g.ID && (r.ID == name || strings.EqualFold(r.Name, strings.TrimPrefix(name, "@"))) {
			return r.ID
		}
	}
	return ""
}

// callHelper writes to one helper.
func (a *app) callHelper(ctx context.Context, helper string, p press, got core.Posted, s standing, t core.Turn, h core.HelpRequest) error {
	m, err := a.facts.member(ctx, s.Guild, helper)
	if err != nil || !m.in || m.User == nil {
		return core.Errorf(core.KindNotFound, "a helper is not in the server")
	}
	form := notice("**"+escapeMarkdown(firstOf(p.who.Name, "Somebody"))+"** would like a person to answer:\n\n"+quoted(t.Question, 1000),
		row(button(actHelped, h.ID, "Resolved"))...)
	var below []string
	if reads, err := a.facts.reads(ctx, s.Guild, s.Channel, helper); err == nil && reads && !got.Private && s.Asked != "" {
		where := s.Channel + "/" + s.Asked
		if s.Root == s.Channel { // the thread that began with the question
			where = s.Channel
		}
		below = append(below, link("https://discord.com/channels/"+s.Guild+"/"+where, "Open the question"))
	}
	if list := a.readableBy(ctx, s.Guild, *m.User, m, t); list != "" {
		below = append(below, list)
	}
	if text := strings.Join(append([]string{form.Content}, below...), "\n\n"); len([]rune(text)) <= 2000 {
		form.Content = text
	}
	return a.directly(ctx, helper, form)
}

// readableBy lists the sources of the answer that the helper may read.
func (a *app) readableBy(ctx context.Context, guild string, u user, m member, t core.Turn) string {
	if a.opts.Readable == nil {
		return ""
	}
	v, err := a.opts.Front.Viewer(ctx, a.accountOf(guild, u, m))
	if err != nil {
		return ""
	}
	citations, err := a.opts.Readable(ctx, v, t)
	if err != nil {
		a.log.Warn("what a helper may read is not known; they get no sources", "error", err)
		return ""
	}
	return tail(sourceLines(citations), nil, mostListed)
}

// helped marks a call for help as resolved, and tells who called.
func (a *app) helped(ctx context.Context, p press) {
	if a.opts.Feedback == nil {
		a.say(ctx, p, noAdmin)
		return
	}
	h, err := a.opts.Feedback.Help(ctx, p.value)
	if err != nil {
		a.say(ctx, p, "I no longer know that question.")
		return
	}
	var s calledFor
	if err := json.Unmarshal(h.Extra, &s); err != nil || len(s.Helpers) > 0 && !contains(s.Helpers, p.who.ID) {
		a.say(ctx, p, "I no longer know that question.")
		return
	}
	if !h.Resolved.IsZero() {
		a.say(ctx, p, "This was resolved already.")
		return
	}
	h.Resolved, h.By = time.Now(), p.who.Key()
	if err := a.opts.Feedback.PutHelp(ctx, h); err != nil {
		a.say(ctx, p, a.sorry(err))
		return
	}
	a.say(ctx, p, "Noted: resolved after "+h.Resolved.Sub(h.Opened).Round(time.Minute).String()+".")
	if s.User == "" {
		return
	}
	text := "**" + escapeMarkdown(firstOf(p.who.Name, "Somebody")) + "** marked your question as resolved."
	if err := a.directly(ctx, s.User, notice(text)); err != nil {
		a.log.Info("who called for help could not be told that it is resolved", "error", err)
	}
}
