package extract

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// engine reads PDF files. Its read hands over page by page and returns the last
// answer.
type engine interface {
	read(f *os.File, size int64, o order, page func(rawPage) error) answer
}

// startEngine prefers PDFium, which keeps words apart; where its WebAssembly
// module cannot be started a plain reader takes its place, and the error says why.
func startEngine(ctx context.Context, h hello) (engine, error) {
	cfg := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithMemoryLimitPages(uint32(min(max(h.Memory>>16, 256), 65536)))
	if h.CacheDir != "" {
		// A cache that cannot be used costs seconds, not the answer.
		if cache, err := wazero.NewCompilationCacheWithDir(h.CacheDir); err == nil {
			cfg = cfg.WithCompilationCache(cache)
		}
	}
	module, err := pdfiumModule()
	if err != nil {
		return plainPDF{}, err
	}
	pool, err := webassembly.InitWithWASM(webassembly.Config{
		Context: ctx, MaxTotal: 1, MaxIdle: 1, RuntimeConfig: cfg, WASM: module,
		Stdout: io.Discard, Stderr: io.Discard,
		FSConfig: wazero.NewFSConfig(), // the module sees no files
	})
	if err != nil {
		return plainPDF{}, err
	}
	return pdfiumEngine{pool}, nil
}

type pdfiumEngine struct{ pool pdfium.Pool }

// read uses a fresh instance for each file, so that nothing of one document can
// reach another.
func (e pdfiumEngine) read(f *os.File, size int64, o order, page func(rawPage) error) answer {
	in, err := e.pool.GetInstance(time.Minute)
	if err != nil {
		return answer{Fault: faultCrash, Why: err.Error()}
	}
	a := e.readWith(in, f, size, o, page)
	if err := in.Close(); err != nil && a.Fault == "" {
		return answer{Fault: faultCrash, Why: err.Error()}
	}
	return a
}

func (e pdfiumEngine) readWith(in pdfium.Pdfium, f *os.File, size int64, o order, page func(rawPage) error) answer {
	doc, err := in.OpenDocument(&requests.OpenDocument{FileReader: f, FileReaderSize: size})
	if err != nil {
		return openFault(err)
	}
	count, err := in.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: doc.Document})
	if err != nil {
		return answer{Fault: faultDamaged, Why: err.Error()}
	}
	if count.PageCount > o.Pages {
		return answer{Fault: faultPages, Count: count.PageCount}
	}
	total := int64(0)
	for i := range count.PageCount {
		p, err := pdfiumPage(in, doc.Document, i)
		if err != nil {
			if isTrap(err) {
				return answer{Fault: faultCrash, Why: err.Error()}
			}
			p = rawPage{Number: i + 1} // one bad page does not spoil the others
		}
		for _, l := range p.Lines {
			total += int64(len(l.Text))
		}
		if total > o.Text {
			return answer{Fault: faultText}
		}
		if err := page(p); err != nil {
			return answer{Fault: faultCrash, Why: err.Error()}
		}
	}
	done := rawDone{Pages: count.PageCount}
	if t, err := in.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: doc.Document, Tag: "Title"}); err == nil {
		done.Title = t.Value
	}
	return answer{Done: &done}
}

func openFault(err error) answer {
	a := answer{Fault: faultDamaged, Why: err.Error()}
	switch {
	case errors.Is(err, pdferrors.ErrPassword), errors.Is(err, pdferrors.ErrSecurity):
		a.Fault = faultPassword
	case isTrap(err):
		a.Fault = faultCrash
	}
	return a
}

// isTrap tells an error of the WebAssembly machine from one of the document.
// After one the instance's memory cannot be relied on.
func isTrap(err error) bool {
	text := err.Error()
	return strings.Contains(text, "wasm") || strings.Contains(text, "unreachable") || strings.Contains(text, "panic")
}

func pdfiumPage(in pdfium.Pdfium, doc references.FPDF_DOCUMENT, index int) (p rawPage, err error) {
	p.Number = index + 1
	byIndex := requests.Page{ByIndex: &requests.PageByIndex{Document: doc, Index: index}}
	loaded, err := in.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: byIndex})
	if err != nil {
		return p, err
	}
	text := loaded.TextPage
	defer func() {
		_, closeErr := in.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text})
		err = errors.Join(err, closeErr)
	}()
	count, err := in.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text})
	if err != nil {
		return p, err
	}
	var b strings.Builder
	var line rawLine
	flush := func() {
		if line.Text = strings.TrimSpace(b.String()); line.Text != "" {
			p.Lines = append(p.Lines, line)
		}
		b.Reset()
		line = rawLine{}
	}
	for i := range count.Count {
		char, err := in.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: text, Index: i})
		if err != nil {
			return p, err
		}
		switch r := rune(char.Unicode); {
		case r == '\n' || r == '\r':
			flush()
		case r == 0x02 || r == 0xFFFE: // a hyphen that the line break made
			b.WriteRune('\u00AD')
		case r == 0:
		default:
			if b.Len() == 0 && r != ' ' {
				line.place(in, text, i)
			}
			b.WriteRune(r)
		}
	}
	flush()
	return p, nil
}

// place notes where a line's first character stands. Without that the line is
// still read.
func (l *rawLine) place(in pdfium.Pdfium, text references.FPDF_TEXTPAGE, index int) {
	box, err := in.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: text, Index: index})
	if err != nil {
		return
	}
	l.Left, l.Bottom, l.Height = round(float64(box.Rect.Left)), round(float64(box.Rect.Bottom)), round(math.Abs(float64(box.Rect.Top-box.Rect.Bottom)))
}

// round keeps numbers short and finite, as JSON needs them.
func round(points float64) float64 {
	if math.IsNaN(points) || math.Abs(points) > 1e6 {
		return 0
	}
	return math.Round(points*10) / 10
}
