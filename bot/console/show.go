package console

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// Ask runs one turn and shows it. The error is the turn's, or that of writing.
func (s Screen) Ask(ctx context.Context, a Answerer, q core.Question) (core.Turn, error) {
	show := s.newShow()
	turn, err := a.Answer(ctx, q, show.event)
	show.wipe()
	if err != nil {
		return turn, err
	}
	return turn, show.finish(turn.Answer)
}

// show turns the events of one turn into text.
type show struct {
	Screen
	text    *links
	status  bool // a sign of life stands on the screen
	started bool // text was written
	noticed bool // a notice was shown
	endsIn  string
	failed  error // the first error of writing
}

func (s Screen) newShow() *show {
	return &show{Screen: s, text: newLinks(s.Out, s.OutTTY)}
}

func (s *show) event(e core.Event) {
	switch e := e.(type) {
	case core.StatusChanged:
		s.say(e)
	case core.Cited:
		s.text.expect(e.Number)
	case core.Noticed:
		s.noticed = true
		s.aside(e.Text)
	case core.Withdrawn:
		s.withdraw(e)
	case core.Offered: // whoever reads standard error is the asker
		s.endLine()
		s.aside(e.Text)
	case core.TextDelta:
		s.delta(e.Delta)
	}
}

// withdraw says that what stands on the screen no longer holds. It cannot be
// taken off: it is parted from what follows.
func (s *show) withdraw(e core.Withdrawn) {
	s.wipe()
	if s.started {
		s.write("\n\n")
	}
	s.text, s.started, s.endsIn = newLinks(s.Out, s.OutTTY), false, ""
	fmt.Fprintf(s.Err, "note: %s\n", Clean(e.Text))
}

// endLine ends the last line of the text: an offer comes when it is complete, and
// where both streams go into one file it would stand behind it.
func (s *show) endLine() {
	if !s.started || s.endsIn == "\n" {
		return
	}
	s.note(s.text.flush())
	s.endsIn = "\n"
	s.write("\n")
}

// aside writes a notice, on a line of its own.
func (s *show) aside(text string) {
	s.wipe()
	if s.ErrTTY && s.OutTTY && s.started && s.endsIn != "\n" {
		s.endsIn = "\n"
		s.write("\n") // a notice does not stand on the line of the text
	}
	fmt.Fprintf(s.Err, "note: %s\n", Clean(text))
}

func (s *show) say(e core.StatusChanged) {
	if !s.ErrTTY || s.started {
		return
	}
	s.wipe()
	text := e.Stage + " …"
	if e.Detail != "" {
		text = e.Stage + ": " + oneLine(e.Detail) + " …"
	}
	io.WriteString(s.Err, text) //nolint:errcheck // a sign of life only
	s.status = true
}

// wipe removes the sign of life.
func (s *show) wipe() {
	if s.status {
		io.WriteString(s.Err, "\r\x1b[K") //nolint:errcheck // a sign of life only
		s.status = false
	}
}

func (s *show) delta(text string) {
	if s.JSON || text == "" {
		return
	}
	s.wipe()
	s.started, s.endsIn = true, text[len(text)-1:]
	s.note(s.text.write(text))
}

func (s *show) note(err error) {
	if s.failed == nil {
		s.failed = err
	}
}

func (s *show) finish(a core.Answer) error {
	if s.JSON {
		return writeJSON(s.Out, a)
	}
	s.note(s.text.flush())
	if s.started && s.endsIn != "\n" {
		s.write("\n")
	}
	if a.Stopped && !s.noticed {
		s.wipe()
		fmt.Fprintln(s.Err, "note: the answer was cut short")
	}
	s.sources(a.Citations)
	return s.failed
}

// sources lists what the numbers in the text stand for.
func (s *show) sources(citations []core.Citation) {
	if len(citations) == 0 {
		return
	}
	s.write("\nSources\n")
	for _, c := range citations {
		s.write(s.sourceLine(c) + "\n")
	}
}

func (s *show) sourceLine(c core.Citation) string {
	line := fmt.Sprintf("[%d]", c.Number)
	if s.OutTTY && c.URL != "" {
		line = hyperlink(c.URL, line)
	}
	parts := []string{}
	if title := oneLine(c.Title); title != "" {
		parts = append(parts, title)
	}
	if c.Page > 0 {
		parts = append(parts, fmt.Sprintf("page %d", c.Page))
	}
	switch phrase, n := bot.Age(c.Updated, time.Now()); {
	case strings.Contains(phrase, "%d"):
		parts = append(parts, fmt.Sprintf(phrase, n))
	case phrase != "":
		parts = append(parts, phrase)
	}
	line += " " + strings.Join(parts, ", ")
	if c.URL != "" {
		line += "\n    " + oneLine(c.URL)
	}
	return line
}

func (s *show) write(text string) {
	_, err := io.WriteString(s.Out, text)
	s.note(err)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
