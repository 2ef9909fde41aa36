package agent

import (
	"slices"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/prompts"
)

// leastShare is the room in tokens below which a result is not worth showing.
const leastShare = 48

func outcomes(rounds []round) []outcome {
	var out []outcome
	for _, r := range rounds {
		out = append(out, r.results...)
	}
	return out
}

func resultTokens(m material) int {
	n := 0
	for _, o := range outcomes(m.rounds) {
		n += tokens(o.write(m.audience))
	}
	return n
}

// fitResults writes the results of all calls into the room, in order, and notes
// which passages the model will see.
func (b *contextBuilt) fitResults(m material, left *int) []string {
	all := outcomes(m.rounds)
	sizes := make([]int, len(all))
	for i, o := range all {
		sizes[i] = tokens(o.write(m.audience))
	}
	s := TraceSection{Name: "results"}
	var texts []string
	for i, share := range shares(sizes, *left) {
		o, dropped := all[i].shrink(share, m.audience)
		text := o.write(m.audience)
		texts = append(texts, text)
		b.given = append(b.given, o.docs...)
		for _, g := range o.docs {
			b.texts = append(b.texts, g.result.Text())
		}
		if o.text != "" && !o.failed {
			b.texts = append(b.texts, o.text)
		}
		s.Tokens += tokens(text)
		s.Dropped += dropped
	}
	if len(all) > 0 {
		b.sections = append(b.sections, s)
	}
	*left -= s.Tokens
	return texts
}

// write is the result as the model reads it; never empty.
func (o outcome) write(audience core.Audience) string {
	if o.text != "" {
		return o.text
	}
	docs := make([]shownDocument, 0, len(o.docs))
	for _, g := range o.docs {
		docs = append(docs, show(g, audience))
	}
	return documentsJSON(docs, o.note)
}

// shrink makes a result fit its share: it leaves out what is read with the passages,
// drops passages from the least relevant end, then shortens the last one, and reports how many it dropped.
func (o outcome) shrink(share int, audience core.Audience) (outcome, int) {
	if tokens(o.write(audience)) <= share {
		return o, 0
	}
	if share < leastShare {
		return outcome{text: cut(prompts.NoRoom(), max(share, 1)), failed: true}, len(o.docs)
	}
	if o.text != "" {
		o.text = cut(o.text, share)
		return o, 0
	}
	docs := alone(o.docs)
	if o.docs = docs; tokens(o.write(audience)) <= share {
		return o, 0
	}
	for n := len(docs) - 1; n > 0; n-- {
		o.docs, o.note = docs[:n], prompts.Shortened(len(docs)-n)
		if tokens(o.write(audience)) <= share {
			return o, len(docs) - n
		}
	}
	return o.shorten(docs, share, audience)
}

// alone are the passages without what is read with them.
func alone(docs []given) []given {
	out := slices.Clone(docs)
	for i := range out {
		out[i].result.Section = nil
	}
	return out
}

// shorten keeps the beginning of the best passage.
func (o outcome) shorten(docs []given, share int, audience core.Audience) (outcome, int) {
	if len(docs) == 0 {
		return outcome{text: cut(o.write(audience), share), failed: true}, 0
	}
	best := docs[0]
	if len(docs) > 1 {
		o.note = prompts.Shortened(len(docs) - 1)
	}
	whole := best.result.Passage.Text
	// JSON writes some letters as two, so the first guess may be too long.
	for most := share; most > 0; most = most * 3 / 4 {
		best.result.Passage.Text = cut(whole, most)
		o.docs = []given{best}
		if tokens(o.write(audience)) <= share {
			return o, len(docs) - 1
		}
	}
	return outcome{text: cut(prompts.NoRoom(), share), failed: true}, len(docs)
}
