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
	w := jsonWriter{dec: json.NewDecoder(strings.NewReader(body))}
	w.dec.UseNumber()
	err := w.all(ctx)
	if ctx.Err() != nil {
		return Content{}, ctx.Err()
	}
	if err == nil {
		w.flush()
		return Content{Title: w.title, Blocks: w.blocks}, nil
	}
	c := Content{Notes: []string{"This file ends in .json but is not valid JSON; it was read as plain text."}}
	for _, p := range paragraphs(body) {
		c.Blocks = append(c.Blocks, Block{Kind: KindCode, Text: fenced("json", p.Text)})
	}
	return c, nil
}

// jsonWriter turns a stream of tokens into lines, without building the value.
type jsonWriter struct {
	dec    *json.Decoder
	lines  strings.Builder
	blocks []Block
	title  string
}

var errTooDeep = errors.New("nested too deep")

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
	for i := 0; w.dec.More(); i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if depth <= 1 {
			w.boundary()
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

func joinKey(at, key string) string {
	const most = 300 // a path longer than this helps nobody and would repeat on every line
	if at == "" {
		return key
	}
	if len(at) > most {
		at = "…" + strings.ToValidUTF8(at[len(at)-most:], "")
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
		w.lines.WriteString(at + ": ")
	}
	w.lines.WriteString(text + "\n")
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
