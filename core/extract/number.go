package extract

import (
	"strconv"
	"strings"
	"unicode"
)

const (
	longestNumber   = 40 // bytes of a cell that is read as one
	mostDigits      = 15 // before the decimal mark, beyond which a sum would not be exact
	arabicDecimal   = '٫'
	arabicThousands = '٬'
)

// reading is what a cell's number can mean: with a point before the decimals, with
// a comma, or both. "1.234" is two different numbers, "12" the same one twice.
type reading struct {
	point, comma     float64
	isPoint, isComma bool
	unit             string // a currency or %, "" if none
}

// unclear tells that the two readings differ.
func (r reading) unclear() bool { return r.isPoint && r.isComma && r.point != r.comma }

// readNumber reads a number as people and programs write it: with thousands apart,
// a currency or % beside it, negative by a sign or brackets. Digits that begin with
// a zero are a code, such as a postal one.
func readNumber(text string) (reading, bool) {
	if len(text) > longestNumber {
		return reading{}, false
	}
	text = asciiNumber(text)
	from, to := strings.IndexAny(text, "0123456789"), strings.LastIndexAny(text, "0123456789")
	if from < 0 {
		return reading{}, false
	}
	before, digits, after := text[:from], text[from:to+1], text[to+1:]
	negative := false
	if strings.HasPrefix(before, "(") && strings.HasSuffix(after, ")") {
		before, after, negative = before[1:], after[:len(after)-1], true
	}
	unit, minus, ok := unitBefore(before)
	if !ok || minus && negative {
		return reading{}, false
	}
	if after = strings.TrimSpace(after); after != "" {
		if unit != "" || !isUnit(after) {
			return reading{}, false
		}
		unit = after
	}
	r := reading{unit: unit}
	r.point, r.isPoint = valueOf(digits, ".", ",")
	r.comma, r.isComma = valueOf(digits, ",", ".")
	if minus || negative {
		r.point, r.comma = -r.point, -r.comma
	}
	return r, r.isPoint || r.isComma
}

// unitBefore takes apart what stands before the digits: a sign and a unit, in
// either order.
func unitBefore(s string) (unit string, minus, ok bool) {
	s = strings.TrimSpace(s)
	for _, cut := range []func(string, string) (string, bool){strings.CutPrefix, strings.CutSuffix} {
		for _, sign := range []string{"-", "+"} {
			if rest, found := cut(s, sign); found {
				rest = strings.TrimSpace(rest)
				return rest, sign == "-", rest == "" || isUnit(rest)
			}
		}
	}
	return s, false, s == "" || isUnit(s)
}

// units are those that are no sign of their own.
var units = map[string]bool{
	"%": true, "US$": true, "A$": true, "C$": true, "R$": true, "HK$": true, "NT$": true, "元": true, "円": true, "원": true, "kr": true, "kr.": true,
	"Kč": true, "zł": true, "Ft": true, "Fr.": true, "Rs": true, "Rs.": true, "lei": true, "TL": true,
	"USD": true, "EUR": true, "GBP": true, "CHF": true, "JPY": true, "CNY": true, "RMB": true, "INR": true, "AUD": true, "CAD": true, "NZD": true,
	"SEK": true, "NOK": true, "DKK": true, "ISK": true, "PLN": true, "CZK": true, "HUF": true, "RON": true, "BGN": true, "TRY": true, "RUB": true,
	"UAH": true, "BRL": true, "MXN": true, "ARS": true, "CLP": true, "COP": true, "ZAR": true, "NGN": true, "KES": true, "EGP": true, "KRW": true,
	"TWD": true, "SGD": true, "HKD": true, "THB": true, "IDR": true, "MYR": true, "PHP": true, "VND": true, "ILS": true, "AED": true, "SAR": true,
}

func isUnit(s string) bool {
	if units[s] {
		return true
	}
	runes := []rune(s)
	return len(runes) == 1 && unicode.Is(unicode.Sc, runes[0])
}

// valueOf reads digits with the given decimal mark. Thousands stand in groups of
// three behind one kind of separator; by commas also in twos before the last three,
// as in India.
func valueOf(s, mark, group string) (float64, bool) {
	whole, decimals, has := strings.Cut(s, mark)
	if has && !allDigits(decimals) {
		return 0, false
	}
	if i := strings.IndexAny(whole, group+" '"); i >= 0 {
		parts := strings.Split(whole, whole[i:i+1])
		for k, part := range parts {
			twos := len(part) == 2 && whole[i] == ',' && k < len(parts)-1
			if k > 0 && len(part) != 3 && !twos || k == 0 && len(part) > 3 {
				return 0, false
			}
		}
		if whole = strings.Join(parts, ""); whole != "" && whole[0] == '0' {
			return 0, false
		}
	}
	if !allDigits(whole) || len(whole) > mostDigits || len(whole) > 1 && whole[0] == '0' {
		return 0, false
	}
	v, err := strconv.ParseFloat(whole+"."+decimals, 64)
	return v, err == nil
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// asciiNumber writes other scripts' digits, spaces and signs the plain way and
// drops marks of direction.
func asciiNumber(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80:
			return r
		case r >= '٠' && r <= '٩':
			return '0' + r - '٠'
		case r >= '۰' && r <= '۹':
			return '0' + r - '۰'
		case r >= '०' && r <= '९':
			return '0' + r - '०'
		case r >= '０' && r <= '９':
			return '0' + r - '０'
		case r == arabicDecimal, r == '．':
			return '.'
		case r == arabicThousands, r == '，':
			return ','
		case r == '−', r == '－':
			return '-'
		case r == '％', r == '٪':
			return '%'
		case r == '’':
			return '\''
		case unicode.Is(unicode.Zs, r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
}
