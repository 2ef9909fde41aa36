package extract

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// book1 makes a workbook; each sheet is the XML of its rows.
func workbookFile(t testing.TB, settings string, sheets ...string) []byte {
	parts := []part{
		{"_rels/.rels", rels([4]string{"r", "officeDocument", "/xl/workbook.xml"})},
		{"xl/sharedStrings.xml", `<sst ` + nsX + `><si><t>Region</t></si><si><r><t>Nor</t></r><r><rPr/><t>th</t></r><rPh><t>x</t></rPh></si><si><t xml:space="preserve"> two
lines </t></si></sst>`},
		{"xl/styles.xml", `<styleSheet ` + nsX + `><numFmts><numFmt numFmtId="164" formatCode="[$-409]d\ mmm\ yyyy;@"/><numFmt numFmtId="165" formatCode="[h]:mm"/><numFmt numFmtId="166" formatCode="0 &quot;days&quot;"/></numFmts>
<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="22"/><xf numFmtId="10"/><xf numFmtId="21"/></cellXfs></styleSheet>`},
	}
	list, refs := "", [][4]string{{"st", "styles", "styles.xml"}, {"ss", "sharedStrings", "sharedStrings.xml"}}
	for i, s := range sheets {
		list += fmt.Sprintf(`<sheet name="Sheet %d" sheetId="%d" r:id="s%d"/>`, i+1, i+1, i)
		refs = append(refs, [4]string{fmt.Sprintf("s%d", i), "worksheet", fmt.Sprintf("worksheets/sheet%d.xml", i)})
		parts = append(parts, part{fmt.Sprintf("xl/worksheets/sheet%d.xml", i), `<worksheet ` + nsX + `><sheetData>` + s + `</sheetData></worksheet>`})
	}
	return zipped(t, append(parts,
		part{"xl/workbook.xml", `<workbook ` + nsX + " " + nsR + `>` + settings + `<sheets>` + list + `</sheets></workbook>`},
		part{"xl/_rels/workbook.xml.rels", rels(refs...)})...)
}

// cells writes a row of texts.
func cells(texts ...string) string {
	var b strings.Builder
	b.WriteString("<row>")
	for _, t := range texts {
		b.WriteString(`<c t="inlineStr"><is><t>` + t + `</t></is></c>`)
	}
	return b.String() + "</row>"
}

func TestWorkbook(t *testing.T) {
	for _, row := range []struct{ name, settings, sheet, want string }{
		{"shared and inline texts", "", `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Sum</t></is></c></row><row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2"/><c r="C2"><v>0.30000000000000004</v></c></row><row><c r="A3" t="s"><v>2</v></c><c r="B3" t="s"><v>99</v></c></row>`,
			"rows: Columns: Region, , Sum / Region=North, Sum=0.3 / Region=two lines"},
		{"dates", "", cells("a", "b", "c", "d", "e", "f", "g") + `<row><c s="1"><v>45292</v></c><c s="2"><v>1</v></c><c s="3"><v>1.5</v></c><c s="4"><v>12</v></c><c s="5"><v>45292.75</v></c><c s="6"><v>0.125</v></c><c s="7"><v>0.5</v></c></row>`,
			"rows: Columns: a, b, c, d, e, f, g / a=2024-01-01, b=1900-01-01, c=36:00:00, d=12, e=2024-01-01 18:00:00, f=12.5%, g=12:00:00"},
		{"from 1904", `<workbookPr date1904="1"/>`, cells("a", "b") + `<row><c s="1"><v>0.5</v></c><c s="1"><v>1</v></c></row>`, "rows: Columns: a, b / a=12:00:00, b=1904-01-02"},
		{"formulas, truth, errors", "", cells("a", "b", "c", "d", "e") + `<row><c><f>A1*2</f><v>8</v></c><c t="str"><f>A1</f><v>x</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c><f>A9</f></c></row>`,
			"rows: Columns: a, b, c, d, e / a=8, b=x, c=TRUE, d=#N/A"},
		{"a title above", "", cells("Sales of the year") + "<row/>" + cells("Who", "What") + cells("Ann", "Tea"), "paragraph: Sales of the year\nrows: Columns: Who, What / Who=Ann, What=Tea"},
		{"no header", "", `<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row>`, "rows: Columns: A, B / A=1, B=2 / A=3"},
		{"one column", "", cells("Name") + cells("Ann") + cells("Ben"), "rows: Columns: Name / Name=Ann / Name=Ben"},
		{"only a header", "", cells("a", "b"), "rows: Columns: a, b"},
		{"nothing", "", "<row/><row><c/></row>", ""},
		{"more columns than the header", "", cells("a", "b") + cells("1", "2", "3"), "rows: Columns: a, b / a=1, b=2, 3"},
		{"wrong references", "", cells("a", "b") + `<row><c r="B2"><v>1</v></c><c r="A2"><v>2</v></c><c r="ZZZZZZ2"><v>3</v></c><c r="9"><v>4</v></c></row>`, "rows: Columns: a, b / b=1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := readBytes(workbookFile(t, row.settings, row.sheet), order{Kind: kindSheet})
			if err != nil {
				t.Fatal(err)
			}
			same(t, row.want, told(got.content.Blocks))
			if formulas := strings.Contains(row.name, "formulas"); formulas != (len(got.content.Notes) == 1) {
				t.Errorf("notes %q", got.content.Notes)
			}
		})
	}
}

func TestSheetsAreSummedUp(t *testing.T) {
	var b strings.Builder
	b.WriteString(cells("order_id", "Region", "Day", "Amount", "Remark"))
	for i := range 8 {
		fmt.Fprintf(&b, `<row><c><v>%d</v></c><c t="inlineStr"><is><t>%s</t></is></c><c s="1"><v>%d</v></c><c><v>%d.5</v></c></row>`, 100+i, []string{"North", "South", "North"}[i%3], 45292+i, i)
	}
	got, err := readBytes(workbookFile(t, "", b.String(), cells("x")), order{Kind: kindSheet})
	if err != nil {
		t.Fatal(err)
	}
	blocks := got.content.Blocks
	if len(blocks) != 6 || blocks[0].Text != "Sheet 1" || blocks[4].Text != "Sheet 2" {
		t.Fatalf("blocks:\n%s", told(blocks))
	}
	same(t, `The sheet “Sheet 1” has 8 rows and 5 columns.
Its columns: order_id (order id), Region, Day, Amount, Remark.
Dates: Day from 2024-01-01 to 2024-01-08.
Each row is named by order_id (order id).`, blocks[1].Text)
	same(t, `Totals of the sheet “Sheet 1”, computed from its 8 rows:
Counted by Region: North (5 rows), South (3 rows).
Amount: sum 32, mean 4, smallest 0.5, largest 7.5, computed from 8 values.`, blocks[2].Text)
}

// Sheets without end are read to a bound, and totals count what is not written.
func TestHugeSheets(t *testing.T) {
	small := order{Kind: kindSheet, Text: 2000, Pages: 1}
	var b strings.Builder
	b.WriteString(cells("Name", "Count"))
	for i := range 400 {
		fmt.Fprintf(&b, `<row><c t="inlineStr"><is><t>n%d</t></is></c><c><v>2</v></c></row>`, i)
	}
	got, err := readBytes(workbookFile(t, "", b.String()), small)
	if err != nil {
		t.Fatal(err)
	}
	all := told(got.content.Blocks)
	if !strings.Contains(all, "400 rows and") || !strings.Contains(all, "sum 800") || strings.Contains(all, "n399") || len(got.content.Notes) != 1 {
		t.Errorf("notes %q, blocks\n%s", got.content.Notes, all)
	}
	empty := workbookFile(t, "", cells("Name")+cells("Ann")+strings.Repeat("<row></row>", 100_000))
	if got, err := readBytes(empty, small); err != nil || len(got.content.Blocks) != 1 {
		t.Errorf("%d blocks, %v", len(got.content.Blocks), err)
	}
	if _, err := readBytes(workbookFile(t, "", strings.Repeat("<row></row>", 500_000)), small); !errors.Is(err, errExpands) {
		t.Errorf("rows that pack to nothing: %v", err)
	}
	wide := workbookFile(t, "", strings.Repeat(`<row><c r="XFD1"><v>1</v></c></row>`, 2000))
	if _, err := readBytes(wide, order{Kind: kindSheet, Text: 1 << 20, Pages: 1}); err != nil {
		t.Errorf("a far column: %v", err)
	}
}

func TestFormatOfCode(t *testing.T) {
	for code, want := range map[string]cellFormat{
		"General": formatPlain, "0.00": formatPlain, `0 "day"`: formatPlain, "[Red]0": formatPlain, `#,##0\d`: formatPlain, "@": formatPlain,
		"yyyy-mm-dd": formatDate, "D/M/YY": formatDate, "mmm": formatDate, `[$-F800]dddd\,\ mmmm dd`: formatDate, "dd.mm.yyyy hh:mm": formatDate,
		"h:mm AM/PM": formatTime, "[hh]:mm": formatTime, "mm:ss.0": formatTime, "0%": formatPercent, "0.0%;[Red]-0.0%": formatPercent,
	} {
		if got := formatOfCode(code); got != want {
			t.Errorf("%s: %d, want %d", code, got, want)
		}
	}
}
