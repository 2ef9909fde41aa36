package extract

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// layOut turns lines on pages into paragraphs and headings. Lines that stand at
// the edge of most pages are dropped.
func layOut(raw rawPDF, name string) Content {
	c := Content{Title: oneLine(normalise(raw.done.Title)), Pages: len(raw.pages)}
	if c.Title == "" || looksLikeFileName(c.Title) {
		c.Title = name
	}
	dropFurniture(raw.pages)
	body := bodyHeight(raw.pages)
	levels := headingLevels(raw.pages, body)
	var empty []int
	for _, p := range raw.pages {
		if len(p.Lines) == 0 {
			empty = append(empty, p.Number)
		}
		c.Blocks = append(c.Blocks, pageBlocks(p, body, levels)...)
	}
	c.Blocks = joinPages(c.Blocks)
	if len(empty) > 0 {
		c.Notes = append(c.Notes, emptyNote(empty, len(raw.pages)))
	}
	if raw.done.Plain {
		c.Notes = append(c.Notes, "PDFium could not be started, so this PDF was read by a simpler reader: words may run together.")
	}
	c.Language = Language(prose(c.Blocks))
	return c
}

func emptyNote(empty []int, pages int) string {
	if len(empty) == pages {
		return "No page holds text; if the pages are pictures (a scan), run text recognition on the file first."
	}
	var list []string
	for i, n := range empty {
		if i == 20 {
			list = append(list, "…")
			break
		}
		list = append(list, strconv.Itoa(n))
	}
	return "These pages hold no text (blank, or pictures): " + strings.Join(list, ", ") + "."
}

// looksLikeFileName recognises titles that a program left behind, like
// "Microsoft Word - draft.docx".
func looksLikeFileName(title string) bool {
	lower := strings.ToLower(title)
	return strings.HasPrefix(lower, "microsoft word - ") || strings.HasPrefix(lower, "untitled") ||
		strings.HasSuffix(lower, ".doc") || strings.HasSuffix(lower, ".docx") || strings.HasSuffix(lower, ".tex") || strings.HasSuffix(lower, ".dvi")
}

// dropFurniture removes running heads and feet: first and last lines that,
// digits aside, are the same on most pages.
func dropFurniture(pages []rawPage) {
	const edge, fewest = 2, 3
	if len(pages) < fewest {
		return
	}
	seen := map[string]int{}
	atEdge := func(p rawPage, i int) bool { return i < edge || i >= len(p.Lines)-edge }
	for _, p := range pages {
		once := map[string]bool{}
		for i, l := range p.Lines {
			if key := withoutDigits(l.Text); atEdge(p, i) && !once[key] {
				once[key] = true
				seen[key]++
			}
		}
	}
	most := max(fewest, (len(pages)*6+9)/10)
	for n := range pages {
		p := &pages[n]
		kept := make([]rawLine, 0, len(p.Lines))
		for i, l := range p.Lines {
			if !atEdge(*p, i) || seen[withoutDigits(l.Text)] < most {
				kept = append(kept, l)
			}
		}
		p.Lines = kept
	}
}

func withoutDigits(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '0'
		}
		return unicode.ToLower(r)
	}, collapseDigits(s))), " ")
}

// collapseDigits makes page 9 and page 10 alike.
func collapseDigits(s string) string {
	var b strings.Builder
	digit := false
	for _, r := range s {
		if d := unicode.IsDigit(r); !d || !digit {
			b.WriteRune(r)
			digit = d
		}
	}
	return b.String()
}

// bodyHeight is the font height that most text has.
func bodyHeight(pages []rawPage) float64 {
	weight := map[float64]int{}
	best := 0.0
	for _, p := range pages {
		for _, l := range p.Lines {
			if l.Height <= 0 {
				continue
			}
			weight[l.Height] += len(l.Text)
			if w := weight[l.Height]; w > weight[best] || w == weight[best] && l.Height < best {
				best = l.Height
			}
		}
	}
	return best
}

// headingLevels ranks the font heights that are clearly above the body's.
func headingLevels(pages []rawPage, body float64) map[float64]int {
	if body == 0 {
		return nil
	}
	var heights []float64
	for _, p := range pages {
		for _, l := range p.Lines {
			if l.Height >= 1.15*body && len(l.Text) <= maxHeadingLine {
				heights = append(heights, l.Height)
			}
		}
	}
	slices.Sort(heights)
	slices.Reverse(heights)
	levels := map[float64]int{}
	level, last := 0, 0.0
	for _, h := range slices.Compact(heights) {
		if last == 0 || h < 0.95*last {
			level++
			last = h
		}
		levels[h] = min(level, 4)
	}
	return levels
}

// maxHeadingLine is how long a line may be to count as a heading, in bytes.
const maxHeadingLine = 150
