package extract

import "strings"

const longestHeader = 120 // bytes of a column's name that is looked into

// meaningOf reads a column's name. Its last word says most (“order number”, “order
// amount”), then words that measure, then a word further left that labels, as in
// “code postal”.
func meaningOf(name string) meaning {
	if len(name) > longestHeader {
		return saysNothing
	}
	main, inside, _ := strings.Cut(strings.NewReplacer("[", "(", "（", "(").Replace(name), "(")
	words, figures := headerParts(main)
	if len(words) == 0 && !figures {
		words, figures = headerParts(inside)
	}
	if len(words) == 0 {
		if figures { // “2026”, or a mark of money
			return saysAmount
		}
		return saysNothing
	}
	if n := len(words); n > 1 && words[n-1] == "at" {
		return saysDate // created_at
	}
	if m := ofWords(words, figures); m != saysNothing {
		return m
	}
	if unit, _ := headerParts(inside); figures || len(unit) > 0 && wordMeaning(unit[0]) == saysAmount || isUnit(strings.Trim(inside, " )]）")) {
		return saysAmount
	}
	return saysNothing
}

// ofWords cuts a name at the first linking word.
func ofWords(words []string, figures bool) meaning {
	for i := 1; i < len(words); i++ {
		if !linking[words[i]] {
			continue
		}
		if m := wordMeaning(words[0]); i == 1 && i+1 < len(words) && words[i] != "/" && (m == saysNumber || numbering[words[0]]) {
			return counted(words[0], words[i], words[i+1])
		}
		return ofHead(words[:i], true, figures)
	}
	return ofHead(words, false, figures)
}

// ofHead reads the words before a linking one; more tells that there is one.
func ofHead(head []string, more, figures bool) meaning {
	last := len(head) - 1
	first, m := wordMeaning(head[0]), wordMeaning(head[last])
	switch {
	case last > 0 && (first == saysNumber || head[0] == "nr") && (m == saysAmount || plural(head[last])):
		return saysAmount
	case last > 0 && totalling[head[0]] && (m == saysNumber || m == saysThing || m == saysYear):
		return saysAmount // “total number”
	case last > 0 && m == saysThing && trading[head[last-1]]:
		return m // “sales order”
	}
	switch m {
	case saysName, saysDate, saysPhone, saysMobile, saysYearOf, saysAmount, saysRank:
		return m
	case saysNameLast:
		return saysName
	case saysNumber:
		if last > 0 {
			return saysName
		}
		return m
	case saysYear:
		return ofYears(head, figures, last > 0 || more)
	}
	for _, w := range head {
		if wordMeaning(w) == saysAmount {
			return saysAmount
		}
	}
	if m >= saysMonth {
		return m
	}
	for _, w := range head[:last] {
		switch k := wordMeaning(w); {
		case plural(head[last]):
			return saysNothing // “phone calls”
		case k == saysYear:
			return ofYears(head, figures, true)
		case k == saysNumber && m == saysThing:
			return saysName
		case k == saysName, k == saysNumber, k == saysDate, k == saysPhone, k == saysMobile:
			return k
		}
	}
	if m == saysThing && figures {
		return saysNothing // “product 2”
	}
	return m
}

// counted is what “number of” and its like say, by the word behind them.
func counted(first, of, what string) meaning {
	switch m := wordMeaning(what); {
	case m == saysThing, m == saysPhone, m == saysMobile, m == saysName, m == saysNameLast, m == saysRank:
		return saysName
	case m == saysAmount, of == "of", first == "nombre", plural(what):
		return saysAmount
	}
	return saysNumber // “número de serie”
}

func ofYears(head []string, figures, more bool) meaning {
	for _, w := range head {
		if notAYear[w] {
			return saysAmount
		}
	}
	switch {
	case figures:
		return saysAmount
	case more:
		return saysYearOf
	}
	return saysYear
}

// plural tells English and Romance plurals, which count.
func plural(w string) bool {
	return len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && wordMeaning(w) != saysName
}

func wordMeaning(w string) meaning {
	if m, ok := headerWords()[w]; ok {
		return m
	}
	for i := range w { // from the longest ending
		if m, ok := endings()[w[i:]]; ok && i != 1 {
			return m
		}
	}
	for _, start := range []string{"รหัส", "เลข", "เบอร์", "โทร"} {
		if strings.HasPrefix(w, start) {
			return saysName
		}
	}
	if strings.HasPrefix(w, "จำนวน") || strings.HasPrefix(w, "ราคา") {
		return saysAmount
	}
	return saysNothing
}
