package extract

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
)

// maxJSONDepth is how deep values may nest before the file is shown as it is.
const maxJSONDepth = 200

// jsonBlockBytes is about how much goes into one block.
const jsonBlockBytes = 1200

// parseJSON writes one line a value, `path.to.key: value`, so that a passage
// says where it is in the file. Text that is not JSON is kept as it stands.
func parseJSON(ctx context.Context, _, body string) (Content, error) {
	w := jsonWriter{dec: json.NewDecoder(strings.NewReader(body)), most: 8*len(body) + 64<<10}
	w.dec.UseNumber()
	err := w.all(ctx)
	if ctx.Err() != nil {
		return Content{}, ctx.Err()
	}
	if err == nil {
		w.flush()
		return Content{Title: w.title, Blocks: w.blocks}, nil
	}
	c := Content{Notes: []string{"This JSON could not be taken apart (" + plainReason(err) + "); it was read as plain text."}}
	for _, p := range paragraphs(body) {
		c.Blocks = append(c.Blocks, Block{Kind: KindCode, Text: fenced("json", p.Text)})
	}
	return c, nil
}

// plainReason never quotes the file, as the decoder's own errors do.
func plainReason(err error) string {
	if errors.Is(err, errTooDeep) || errors.Is(err, errGrows) {
		return err.Error()
	}
	return "it is not valid"
}

// jsonWriter turns a stream of tokens into lines, without building the value.
type jsonWriter struct {
	dec    *json.Decoder
	lines  strings.Builder
	blocks []Block
	title  string

	written, most int // bytes
}

var (
	errTooDeep = errors.New("nested too deep")
	errGrows   = errors.New("the paths are much longer than the values")
)

func (w *jsonWriter) all(ctx context.Context) error {
	for n := 0; ; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		tok, err := w.dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n > 0 {
			w.boundary()
		}
		if err := w.value(ctx, tok, "", 0); err != nil {
			return err
		}
	}
}

func (w *jsonWriter) value(ctx context.Context, tok json.Token, at string, depth int) error {
	delim, nested := tok.(json.Delim)
	if !nested {
		w.line(at, tok, depth)
		return nil
	}
	if depth >= maxJSONDepth {
		return errTooDeep
	}
	at = clip(at)
	for i := 0; w.dec.More(); i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if depth <= 1 {
			w.boundary()
		}
		if w.written > w.most {
			return errGrows
		}
		tok, err := w.dec.Token()
		if err != nil {
			return err
		}
		inner := at + "[" + strconv.Itoa(i) + "]"
		if delim == '{' {
			inner = joinKey(at, tok.(string))
			if tok, err = w.dec.Token(); err != nil {
				return err
			}
		}
		if err := w.value(ctx, tok, inner, depth+1); err != nil {
			return err
		}
	}
	_, err := w.dec.Token()
	return err
}

// clip bounds a path that goes before values: it repeats on every line.
func clip(at string) string {
	const most = 120
	if len(at) <= most {
		return at
	}
	return "…" + strings.ToValidUTF8(at[len(at)-most:], "")
}

func joinKey(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

func (w *jsonWriter) line(at string, tok json.Token, depth int) {
	var text string
	switch v := tok.(type) {
	case string:
		text = v
	case json.Number:
		text = v.String()
	case bool:
		text = strconv.FormatBool(v)
	case nil:
		return
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	if depth <= 2 && w.title == "" && (at == "title" || at == "info.title") {
		w.title = strings.Join(strings.Fields(text), " ")
	}
	if at != "" {
		text = at + ": " + text
	}
	w.lines.WriteString(text + "\n")
	w.written += len(text) + 1
	if w.lines.Len() > 4*jsonBlockBytes {
		w.flush()
	}
}

// boundary is a good place to end a block.
func (w *jsonWriter) boundary() {
	if w.lines.Len() > jsonBlockBytes {
		w.flush()
	}
}

func (w *jsonWriter) flush() {
	if text := strings.TrimSpace(w.lines.String()); text != "" {
		w.blocks = append(w.blocks, Block{Kind: KindParagraph, Text: text})
	}
	w.lines.Reset()
}
