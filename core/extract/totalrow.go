package extract

import (
	"regexp"
	"strings"
)

// totalLabel matches what stands first in a row that adds up others, with at most a
// year or a remark in brackets behind it: "Total Energies" is a name.
var totalLabel = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`(?:grand |overall |sub[- ]?|running )?totals?`, `(?:sub)?total général`, `total general`, `sum(?:me|ma|a)?`, `totale`, `totaal`, `totalt`, `somme`,
	`gesamt(?:summe|ergebnis|betrag)?`, `insgesamt`, `zwischensumme`, `sous-total`, `subtotaal`, `razem`, `suma`, `łącznie`, `celkem`, `spolu`, `összesen`,
	`toplam`, `yhteensä`, `итого`, `всего`, `разом`, `усього`, `σύνολο`, `jumlah`, `tổng(?: cộng)?`, `รวม(?:ทั้งหมด)?`, `कुल(?: योग)?`,
	`合计`, `总计`, `小计`, `总和`, `合計`, `總計`, `小計`, `総計`, `計`, `합계`, `총계`, `소계`, `المجموع`, `الإجمالي`, `مجموع`, `סה"כ`, `סה״כ`, `جمع`, `σ`, `∑`,
}, "|") + `)\s*[:.]?\s*(?:\d{4}|\([^()]*\)|（[^（）]*）)?\s*:?$`)

// isTotal tells whether a row adds up others: it says so first, and what follows are
// numbers, formulas or nothing.
func isTotal(cells []cell) bool {
	first := cells[0].text
	if len(first) > 80 || !totalLabel.MatchString(strings.ToLower(strings.Trim(first, "*_ \u200e\u200f\u061c"))) {
		return false
	}
	for _, c := range cells[1:] {
		if _, ok := readNumber(c.text); ok || strings.HasPrefix(c.text, "=") {
			return true
		}
	}
	return len(cells) == 1
}
