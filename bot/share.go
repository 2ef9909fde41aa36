package bot

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/cite"
	"github.com/footnote-bot/footnote/prompts"
)

// mostTitles is how many titles a refusal names.
const mostTitles = 20

var (
	errNotYours = core.Errorf(core.KindDenied, "Only who asked may share a private answer, and only while they may still know it.")
	errNoShare  = core.Errorf(core.KindUnavailable, "Answers cannot be shared here: it is not known what others may read.")
	errNoOthers = core.Errorf(core.KindInvalid, "Only one person reads there, so there is nobody to share the answer with; they can ask the question themselves.")
	errNoAnswer = core.Errorf(core.KindConflict, "This question has no answer yet that could be shared.")
	errRefused  = core.Errorf(core.KindDenied, "This answer rests on sources that not everybody there may read, so it was not shared. Ask the question there for an answer that fits its readers.")
)

// Share is the asker's private answer as it may be shown in another place. Every
// document that it cites or that its model was given must be readable for all who
// can read there now; otherwise the error is of kind denied and the titles of the
// others come with it, for the asker alone. Links and titles that the place may
// not show are left out.
//
// Errors: not_found if there is no such turn, denied, invalid for a place that one
// person reads, conflict where there is no answer yet, unavailable without
// Options.Documents.
func (d *Desk) Share(ctx context.Context, turnID string, by core.Viewer, to core.Place) (core.Answer, []string, error) {
	t, err := d.opts.Turns.Turn(ctx, turnID)
	if err != nil {
		return core.Answer{}, nil, err
	}
	own := access.Audience(core.Place{ID: t.Place, Kind: core.PlaceDirect}, by)
	switch {
	case !access.AskerOnlyClass(t.Class) || !access.CanKnow(own, t, by):
		return core.Answer{}, nil, errNotYours
	case d.opts.Documents == nil:
		return core.Answer{}, nil, errNoShare
	case t.Answer.Text == "":
		return core.Answer{}, nil, errNoAnswer
	}
	s := sharing{desk: d, turn: t, own: own, there: d.audience(ctx, to, by)}
	s.say = prompts.In(prompts.LanguageOf(t.Question))
	answer, refused, err := s.run(ctx)
	outcome := "shared"
	if err != nil {
		outcome = string(core.KindOf(err))
	}
	d.audit(ctx, core.AuditShare, core.Question{TurnID: t.ID, Viewer: by, Place: to, Audience: s.there}, t, outcome)
	return answer, refused, err
}

// sharing is one answer on its way to other readers.
type sharing struct {
	desk       *Desk
	turn       core.Turn
	own, there core.Audience
	say        prompts.Sentences
}

func (s sharing) run(ctx context.Context) (core.Answer, []string, error) {
	if s.there.Silent {
		return core.Answer{}, nil, core.Errorf(core.KindDenied, "%s", s.say.Silent)
	}
	if s.there.AskerOnly { // whose rights would count there are those of somebody else
		return core.Answer{}, nil, errNoOthers
	}
	ids, complete := access.Documents(s.turn)
	ids = distinct(append(slices.Clone(ids), citedIn(s.turn.Answer)...))
	readable, err := access.ReadableNow(ctx, s.desk.opts.Documents, s.there, ids)
	if err != nil {
		return core.Answer{}, nil, err
	}
	closed := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return readable[id] })
	if len(closed) > 0 || !complete {
		titles, err := s.titles(ctx, closed, complete)
		if err != nil {
			return core.Answer{}, nil, err
		}
		return core.Answer{}, titles, errRefused
	}
	answer, err := s.rewrite(ctx)
	return answer, nil, err
}

// titles name the documents to the asker, as far as they may read them now.
func (s sharing) titles(ctx context.Context, ids []string, complete bool) ([]string, error) {
	var out []string
	if !complete {
		out = append(out, s.say.Untitled)
	}
	ids = ids[:min(len(ids), mostTitles)]
	documents, err := s.documents(ctx, s.own, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		title := documents[id].Title
		if strings.TrimSpace(title) == "" {
			title = s.say.Untitled
		}
		out = append(out, title)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// documents are those of the documents that the audience may read, as they are now.
func (s sharing) documents(ctx context.Context, a core.Audience, ids []string) (map[string]core.Document, error) {
	f := a.Filter()
	f.Within = nil // says what is searched, not who may know it
	windows := make([]core.Window, len(ids))
	for i, id := range ids {
		windows[i].Document = id // its first passage
	}
	found, err := s.desk.opts.Documents.Around(ctx, f, windows)
	if err != nil {
		return nil, err
	}
	out := map[string]core.Document{}
	for i, passages := range found {
		if len(passages) > 0 {
			out[ids[i]] = passages[0].Document
		}
	}
	return out, nil
}

// rewrite writes the answer as the place may show its sources. Numbers are given
// anew, so that what is left out leaves no gap.
func (s sharing) rewrite(ctx context.Context) (core.Answer, error) {
	old := s.turn.Answer
	out := core.Answer{Mode: old.Mode, Citations: []core.Citation{}, TurnID: s.turn.ID, Stopped: old.Stopped}
	var text strings.Builder
	live := cite.NewLive(func(piece string) { text.WriteString(piece) })
	shown := map[int]core.Citation{}
	w := cite.NewWriter(cite.Options{Mode: cite.Hyperlink, Renumber: true, Text: live.Write, Cited: func(display, number int) {
		c := shown[number]
		c.Number = display
		out.Citations = append(out.Citations, c)
	}})
	documents, err := s.documents(ctx, s.there, citedIn(old))
	if err != nil {
		return core.Answer{}, err
	}
	for _, c := range old.Citations {
		d := core.Document{Discretion: core.NeverShown} // what is not known is not shown
		if c.DocumentID != "" {
			d = documents[c.DocumentID]
		}
		how := s.there.ShowOf(d)
		w.AddSource(c.Number, cite.Source{Document: c.DocumentID, URL: c.URL, Show: how})
		if how == core.ShowLink {
			live.Allow(c.URL)
			live.AllowIn(c.Passage)
		}
		shown[c.Number] = public(c, s.there, d)
	}
	w.Write(old.Text)
	w.Close()
	live.Close()
	out.Text = strings.TrimSpace(text.String())
	return out, nil
}

// citedIn are the documents that an answer names, each once.
func citedIn(a core.Answer) []string {
	var ids []string
	for _, c := range a.Citations {
		ids = append(ids, c.DocumentID)
	}
	return distinct(ids)
}

// public is a citation as far as the audience may see it.
func public(c core.Citation, a core.Audience, d core.Document) core.Citation {
	if a.ShowOf(d) != core.ShowLink {
		c.URL, c.DocumentID = "", ""
	}
	if !a.TitleOf(d) {
		c.Title, c.Page, c.Updated = "", 0, time.Time{}
	}
	return c
}
