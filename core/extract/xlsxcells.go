package extract

import (
	"encoding/xml"
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// cellFormat is how a number is shown, as far as it changes what it means.
type cellFormat uint8

const (
	formatPlain cellFormat = iota
	formatDate             // a day, or a day and a time
	formatTime             // of a day, or a span
	formatPercent
)

// shown is a cell's value as a person sees it.
func (w *workbook) shown(kind, style, value string) string {
	switch kind {
	case "s":
		if i, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && i >= 0 && i < len(w.strings) {
			return w.strings[i]
		}
		return ""
	case "b":
		if strings.TrimSpace(value) == "1" {
			return "TRUE"
		}
		return "FALSE"
	case "str", "inlineStr", "e":
		return oneLine(normalise(value))
	case "d":
		return strings.TrimSuffix(strings.Replace(oneLine(normalise(value)), "T", " ", 1), " 00:00:00")
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return oneLine(normalise(value))
	}
	format := formatPlain
	if i, err := strconv.Atoi(style); err == nil && i >= 0 && i < len(w.formats) {
		format = w.formats[i]
	}
	switch format {
	case formatDate, formatTime:
		if text, ok := w.date(v, format); ok {
			return text
		}
	case formatPercent:
		return decimal(v*100) + "%"
	}
	return strconv.FormatFloat(roundTo15(v), 'f', -1, 64)
}

// roundTo15 drops the digits that spreadsheets do not show either.
func roundTo15(v float64) float64 {
	if math.Abs(v) >= 1e15 || v == 0 {
		return v
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// date turns a count of days into a date. The first count takes 1900 for a leap
// year, so that days before March of it are off by one.
func (w *workbook) date(days float64, format cellFormat) (string, bool) {
	if days < 0 || days > 2_958_466 { // to the end of the year 9999
		return "", false
	}
	seconds := time.Duration(math.Round((days-math.Floor(days))*86400)) * time.Second
	if days < 1 || format == formatTime {
		total := seconds + time.Duration(math.Floor(days))*24*time.Hour
		h, m, s := int(total.Hours()), int(total.Minutes())%60, int(total.Seconds())%60
		return pad(h) + ":" + pad(m) + ":" + pad(s), true
	}
	base := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if w.since04 {
		base = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	} else if days < 60 {
		base = base.AddDate(0, 0, 1)
	}
	at := base.AddDate(0, 0, int(math.Floor(days))).Add(seconds)
	if seconds == 0 {
		return at.Format(time.DateOnly), true
	}
	return at.Format(time.DateTime), true
}

func pad(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// readFormats finds out what each style of a cell shows.
func readFormats(z *zipFile, part string) ([]cellFormat, error) {
	if part == "" {
		return nil, nil
	}
	own := map[string]cellFormat{}
	var out []cellFormat
	err := z.eachXML(part, func(x *xmlReader, _ xml.StartElement) error {
		return x.children(func(e xml.StartElement) error {
			if e.Name.Local != "numFmts" && e.Name.Local != "cellXfs" {
				return x.skip()
			}
			return x.children(func(e xml.StartElement) error {
				id := xmlAttr(e, "numFmtId")
				switch e.Name.Local {
				case "numFmt":
					own[id] = formatOfCode(xmlAttr(e, "formatCode"))
				case "xf":
					f, ok := own[id]
					if !ok {
						f = builtInFormat(id)
					}
					out = append(out, f)
				}
				return x.skip()
			})
		})
	})
	if errors.Is(err, errMissing) {
		err = nil
	}
	return out, err
}

// builtInFormat knows the formats that have a number and no code in the file.
func builtInFormat(id string) cellFormat {
	n := atoiOr(id, 0)
	switch {
	case n >= 18 && n <= 21, n >= 45 && n <= 47:
		return formatTime
	case n >= 14 && n <= 22, n >= 27 && n <= 36, n >= 50 && n <= 58:
		return formatDate
	case n == 9, n == 10:
		return formatPercent
	}
	return formatPlain
}

var (
	literal = regexp.MustCompile(`"[^"]*"|\\.|_.|\*.`)
	bracket = regexp.MustCompile(`\[[^\]]*\]`)
	elapsed = regexp.MustCompile(`(?i)\[(?:h+|m+|s+)\]`)
)

func formatOfCode(code string) cellFormat {
	code, _, _ = strings.Cut(literal.ReplaceAllString(code, ""), ";")
	if elapsed.MatchString(code) {
		return formatTime
	}
	code = strings.ToLower(bracket.ReplaceAllString(code, ""))
	switch {
	case strings.Contains(code, "general"):
		return formatPlain
	case strings.ContainsAny(code, "yd"):
		return formatDate
	case strings.ContainsAny(code, "hs"):
		return formatTime
	case strings.Contains(code, "m"):
		return formatDate
	case strings.Contains(code, "%"):
		return formatPercent
	}
	return formatPlain
}
