package extract

import (
	"os"
	"strings"

	"github.com/ledongthuc/pdf"
)

// plainPDF reads PDF without PDFium. It knows neither places nor sizes and does
// worse with unusual fonts.
type plainPDF struct{}

func (plainPDF) read(f *os.File, size int64, o order, page func(rawPage) error) answer {
	r, err := pdf.NewReader(f, size)
	if err != nil {
		if strings.Contains(err.Error(), "password") || strings.Contains(err.Error(), "encrypt") {
			return answer{Fault: faultPassword, Why: err.Error()}
		}
		return answer{Fault: faultDamaged, Why: err.Error()}
	}
	count := r.NumPage()
	if count > o.Pages {
		return answer{Fault: faultPages, Count: count}
	}
	total := int64(0)
	for i := 1; i <= count; i++ {
		p := rawPage{Number: i}
		text, err := r.Page(i).GetPlainText(nil)
		if err == nil {
			if total += int64(len(text)); total > o.Text {
				return answer{Fault: faultText}
			}
			for line := range strings.SplitSeq(text, "\n") {
				if line = strings.TrimSpace(line); line != "" {
					p.Lines = append(p.Lines, rawLine{Text: line})
				}
			}
		}
		if err := page(p); err != nil {
			return answer{Fault: faultCrash, Why: err.Error()}
		}
	}
	title := r.Trailer().Key("Info").Key("Title").Text()
	return answer{Done: &rawDone{Title: title, Pages: count, Plain: true}}
}
