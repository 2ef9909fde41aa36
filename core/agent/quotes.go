package agent

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
)

const (
	quoteCandidates = 20 // passages looked at
	mostQuotes      = 5
)

// quote answers with the best passages, word for word. Where the question as a
// whole finds nothing, its sentences are tried on their own.
func (t *turn) quote(ctx context.Context) error {
	t.mode = core.ModeQuotes
	t.out.finish()
	t.out.event(core.StatusChanged{Stage: "searching"})
	for _, part := range find.Parts(t.q.Text) {
		chosen, err := t.quotable(ctx, part)
		if err != nil {
			return err
		}
		if len(chosen) > 0 {
			t.writeQuotes(part, chosen)
			return nil
		}
	}
	t.writeQuotes(t.q.Text, nil)
	return nil
}

// quotable searches for the text and chooses what answers it.
func (t *turn) quotable(ctx context.Context, text string) ([]core.Result, error) {
	started := time.Now()
	t.out.event(core.QueryRun{Text: text})
	t.beyond.look(text)
	found, err := t.opts.Searcher.Search(ctx, query(t.q, []string{text}, t.filter, quoteCandidates))
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	chosen := t.opts.Quoting.Answers(text, found)
	if len(chosen) > mostQuotes {
		chosen = chosen[:mostQuotes]
	}
	arguments, err := json.Marshal(map[string]any{"queries": []string{text}})
	if err != nil {
		return nil, err
	}
	took := time.Since(started)
	t.trace.tool(TraceTool{Name: "quotes", Arguments: arguments, Queries: []string{text},
		Candidates: candidates(found, chosen), AtMS: t.since(took), MS: ms(took)})
	return chosen, nil
}

func (t *turn) writeQuotes(question string, chosen []core.Result) {
	if t.out.text() != "" {
		t.out.show("\n\n")
	}
	if len(chosen) == 0 {
		t.out.show(t.say.NothingFound)
		return
	}
	var docs []given
	for _, r := range chosen {
		docs = append(docs, t.take(r))
	}
	t.out.event(core.DocumentsFound{Documents: refs(docs, t.q.Audience)})
	t.out.event(core.StatusChanged{Stage: "writing"})
	t.out.show(t.say.QuotesIntro)
	for _, r := range chosen {
		text := t.opts.Quoting.Quote(question, r.Passage.Text)
		if strings.TrimSpace(text) == "" {
			text = r.Passage.Text
		}
		if t.q.Audience.ShowOf(r.Document) != core.ShowLink {
			text = withoutAddress(text, r.Document)
		}
		t.out.show("\n\n" + blockquote(text, t.out.marker(r)))
	}
}

// withoutAddress takes the document's own address out of its text, as it stands
// in the source and as it would be shown.
func withoutAddress(text string, d core.Document) string {
	for _, url := range []string{d.URL, core.ShareableURL(d.URL)} {
		if url != "" {
			text = strings.ReplaceAll(text, url, "")
		}
	}
	return text
}

// forged matches what would read as a footnote of ours in a quote, or give our
// own ones another target: links, references and definitions named by a number.
var forged = regexp.MustCompile(`\[(\[?\s*\^?\d+\s*\]\]?[(\[:])`)

// blockquote sets the text as a Markdown quote with the marker at its end. A
// fence that the passage leaves open is closed, and a marker never stands in a
// fence or a table.
func blockquote(text, marker string) string {
	text = strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	lines := strings.Split(text, "\n")
	if fence := defuse(lines); fence != "" {
		lines = append(lines, fence)
	}
	if marker != "" {
		if n := len(lines) - 1; inline(lines[n]) {
			lines[n] = strings.TrimRight(lines[n], " \t") + " " + marker
		} else {
			lines = append(lines, "", marker)
		}
	}
	for i, line := range lines {
		lines[i] = strings.TrimRight("> "+line, " ")
	}
	return strings.Join(lines, "\n")
}

// inline tells whether text put at the end of the line belongs to its prose.
func inline(line string) bool {
	trimmed := strings.TrimSpace(line)
	return !strings.HasPrefix(trimmed, "|") && !strings.HasSuffix(trimmed, "|") && fenceOf(line) == "" &&
		!strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "\t")
}

// defuse escapes forged footnotes outside code and returns what closes the code
// fence that the lines leave open.
func defuse(lines []string) string {
	open := ""
	for i, line := range lines {
		fence := fenceOf(line)
		switch {
		case fence == "" && open == "":
			lines[i] = forged.ReplaceAllString(line, `\[$1`)
		case fence == "":
		case open == "":
			open = fence
		case strings.HasPrefix(fence, open) && strings.TrimSpace(line) == fence:
			open = ""
		}
	}
	return open
}

// fenceOf returns the run of backticks or tildes that starts a fence line.
func fenceOf(line string) string {
	trimmed := strings.TrimLeft(line, " ")
	for _, mark := range []string{"`", "~"} {
		run := len(trimmed) - len(strings.TrimLeft(trimmed, mark))
		if run >= 3 {
			return trimmed[:run]
		}
	}
	return ""
}
