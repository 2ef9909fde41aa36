package cli

import (
	"fmt"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/find"
)

// whyShown leaves out of a reason what would tell something of a title that may not
// be said: the words of the question may stand there only.
func whyShown(audience core.Audience, r core.Result, why find.Reason) find.Reason {
	if audience.TitleOf(r.Document) {
		return why
	}
	var words []string
	text := strings.ToLower(r.Passage.Text)
	for _, w := range why.Words {
		if strings.Contains(text, w) {
			words = append(words, w)
		}
	}
	why.Words = words
	return why
}

// whyText says in lines why a passage stands where it stands.
func whyText(r core.Result, why find.Reason) string {
	var b strings.Builder
	fmt.Fprintf(&b, "   score %.4f, covers %.0f %% of the question", r.Score, 100*r.Coverage)
	if r.Passage.Heading != "" {
		fmt.Fprintf(&b, ", section %s", r.Passage.Heading)
	}
	b.WriteString("\n")
	if len(why.Words) > 0 {
		fmt.Fprintf(&b, "   words: %s\n", strings.Join(why.Words, ", "))
	}
	for _, q := range why.Queries {
		fmt.Fprintf(&b, "   rank %d of %q, score %.4f", q.Rank, q.Text, q.Score)
		switch {
		case q.Meaning != nil:
			fmt.Fprintf(&b, " (words %.3f, meaning %.3f)", *q.Words, *q.Meaning)
		case q.Words != nil:
			fmt.Fprintf(&b, " (words %.3f, no vector yet)", *q.Words)
		}
		b.WriteString("\n")
	}
	if why.Live {
		b.WriteString("   its source's own search found it\n")
	}
	if parts := factorsText(why.Factors); len(parts) > 0 {
		fmt.Fprintf(&b, "   before that %.4f; %s\n", why.Before, strings.Join(parts, ", "))
	}
	return b.String()
}

func factorsText(f find.Factors) []string {
	var out []string
	for _, one := range []struct {
		name string
		by   float64
	}{{"age", f.Recency}, {"curators", f.Votes}, {"an exact name", f.Name}, {"superseded", f.Superseded}} {
		if one.by != 1 {
			out = append(out, fmt.Sprintf("%s × %.2f", one.name, one.by))
		}
	}
	if f.Reranked > 0 {
		out = append(out, fmt.Sprintf("rank %d of the reranker (%.3f)", f.Reranked, f.Relevance))
	}
	if f.Limited {
		out = append(out, "behind its successor")
	}
	return out
}
