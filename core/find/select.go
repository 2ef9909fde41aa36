package find

import (
	"context"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/prompts"
)

const (
	shownPassages  = 3      // of a section in the selection call
	shownLetters   = 2000   // of each
	mostShown      = 40     // sections
	selectionRoom  = 12_800 // tokens of all
	keptIfAllDrop  = 3      // sections that stay where a model drops all
	wideCandidates = 3      // times the limit, where a model or an author's name may choose
	candidates     = 2      // times the limit, for other sources to have their turn
)

// selectSchema is what the selection call asks for.
const selectSchema = `{"type":"object","additionalProperties":false,"required":["sections"],"properties":{"sections":{"type":"array","items":` +
	`{"type":"object","additionalProperties":false,"required":["number","keep","extent"],"properties":{"number":{"type":"integer"},` +
	`"keep":{"type":"boolean"},"extent":{"type":"string","enum":["section","neighbours","document"]}}}}}}`

// run searches, selects and reads.
func (s *search) run(ctx context.Context) ([]core.Result, error) {
	p := s.planning
	mayChoose := p.turn.Model != nil && p.planner.opts.Selection != Off && (!p.trivial || p.planner.opts.Selection == Always)
	s.query.Limit = candidates * s.limit
	if mayChoose || len(p.plan.Authors) > 0 {
		s.query.Limit = wideCandidates * s.limit
	}
	started := time.Now()
	found, err := p.planner.opts.Passages.Search(ctx, s.query)
	s.trace.SearchMS = since(started)
	if err != nil {
		return nil, err
	}
	s.trace.Candidates = len(found)
	ordered, some := byAuthor(found, p.plan.Authors, p.turn.Named)
	if some {
		s.covered.Authors, s.trace.Authors = p.plan.Authors, p.plan.Authors
	}
	sections := sectionsOf(ordered)
	if !s.scoped {
		sections = balance(sections, s.limit)
	}
	s.query.failed = map[string]bool{}
	r := &reader{passages: p.planner.opts.Passages, query: s.query, count: p.planner.tokens.Count, room: s.asked.Room}
	chosen, err := s.choose(ctx, sections, r)
	if err != nil {
		return nil, err
	}
	return s.read(ctx, r, sections, chosen)
}

// choose asks the model which sections matter, where that pays: where there are
// more than fit. Whatever goes wrong, they stay as they are ranked.
func (s *search) choose(ctx context.Context, sections []*section, r *reader) ([]*section, error) {
	p, opts := s.planning, s.planning.planner.opts
	switch {
	case p.turn.Model == nil:
		s.trace.Unselected = "there is no model"
	case opts.Selection == Off:
		s.trace.Unselected = "switched off"
	case opts.Selection == Auto && p.trivial:
		s.trace.Unselected = "the question says everything itself"
	case len(sections) < 2, opts.Selection == Auto && r.size(sections) <= s.asked.Room:
		s.trace.Unselected = "all fit"
	default:
		return s.askSelection(ctx, sections, r)
	}
	return sections, nil
}

// size is what all sections take, in tokens.
func (r *reader) size(sections []*section) int {
	n := 0
	for _, s := range sections {
		n += frameTokens
		for _, p := range s.passages {
			n += r.count(p.Text)
		}
	}
	return n
}

func (s *search) askSelection(ctx context.Context, sections []*section, r *reader) ([]*section, error) {
	p, opts := s.planning, s.planning.planner.opts
	shown, lines := s.show(sections, r)
	question := p.turn.Message
	if p.plan.Rewrite != "" {
		question = p.plan.Rewrite
	}
	input := prompts.SelectInput(jsonText(clipped(question, longestQuestion)), strings.Join(lines, "\n"))
	started := time.Now()
	chosen := sections
	err := p.call(ctx, PurposeSelect, opts.SelectPatience, selectSchema, prompts.SelectSystem(), input, func(reply string) bool {
		verdicts := readVerdicts(reply, len(shown))
		if verdicts != nil {
			chosen = apply(shown, verdicts)
		}
		return verdicts != nil
	})
	s.trace.SelectMS = since(started)
	r.recheck = true
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err == nil {
		for _, one := range sections {
			if one.verdict == "" {
				one.verdict = "not shown to the model"
			}
		}
	} else {
		s.trace.Unselected = err.Error()
		opts.Log.WarnContext(ctx, "what a search found was not selected; it stands as it is ranked", "error", err)
	}
	return chosen, nil
}

// shownSection is a section as the selecting model sees it. What names a document
// is there only where the readers of the answer may see it.
type shownSection struct {
	Number  int      `json:"number"`
	Title   string   `json:"title,omitempty"`
	Updated string   `json:"updated_at,omitempty"`
	Source  string   `json:"source,omitempty"`
	Heading string   `json:"heading,omitempty"`
	Text    []string `json:"text"`
}

// show writes the sections that the call has room for.
func (s *search) show(sections []*section, r *reader) (shown []*section, lines []string) {
	left := min(selectionRoom, 2*s.asked.Room)
	for _, one := range sections[:min(mostShown, len(sections))] {
		d := one.center.Document
		out := shownSection{Number: len(shown) + 1}
		for _, p := range one.around(shownPassages) {
			out.Text = append(out.Text, clipped(p.Text, shownLetters))
		}
		if named := s.planning.turn.Named; named != nil && named(d) {
			out.Title, out.Source, out.Heading = d.Title, d.Source, one.center.Passage.Heading
			out.Updated = day(d.Updated.UTC())
		}
		line := jsonText(out)
		if need := r.count(line); need <= left || len(shown) == 0 {
			left -= need
			shown, lines = append(shown, one), append(lines, line)
		}
	}
	return shown, lines
}

// read fills the room with what was chosen, and notes what became of each section.
func (s *search) read(ctx context.Context, r *reader, all, chosen []*section) ([]core.Result, error) {
	started := time.Now()
	taken, why, err := r.read(ctx, chosen, s.limit)
	s.trace.ReadMS = since(started)
	if err != nil {
		return nil, err
	}
	s.trace.Used = r.room - r.left
	out := make([]core.Result, 0, len(taken))
	for _, one := range taken {
		out = append(out, one.result())
	}
	for _, one := range all {
		s.trace.Sections = append(s.trace.Sections, TraceSection{
			Document: one.center.Document.ID, Passage: one.center.Passage.ID, Passages: len(one.passages),
			Verdict: one.verdict, Extent: one.extentName(), Left: why[one],
		})
	}
	return out, nil
}

func (s *section) extentName() string {
	if s.extent == alone {
		return ""
	}
	return s.extent.String()
}

func since(t time.Time) float64 { return float64(time.Since(t).Microseconds()) / 1000 }
