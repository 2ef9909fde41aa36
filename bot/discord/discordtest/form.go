package discordtest

import (
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"regexp"
	"strconv"
)

// upload is one file of a multipart request.
type upload struct {
	index int
	name  string
	kind  string
	data  []byte
}

var fileField = regexp.MustCompile(`^files\[(\d+)\]$`)

// readCall reads a request with a JSON or multipart body. The call is usable
// beside an error. The mutex is not held.
func readCall(w http.ResponseWriter, r *http.Request) (*call, error) {
	c := &call{Request: r}
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "multipart/form-data" {
		return c, c.readParts(http.MaxBytesReader(w, r.Body, maxBody), params["boundary"])
	}
	raw, err := readBody(w, r)
	if err != nil || len(raw) == 0 {
		return c, err
	}
	if kind != "application/json" {
		return c, fail(http.StatusBadRequest, 50035, "Invalid Form Body")
	}
	return c, c.setBody(raw)
}

func (c *call) setBody(raw []byte) error {
	if !json.Valid(raw) {
		return fail(http.StatusBadRequest, 50109, "The request body contains invalid JSON.")
	}
	c.body = raw
	return nil
}

func (c *call) readParts(body io.Reader, boundary string) error {
	reader := multipart.NewReader(body, boundary)
	for {
		part, err := reader.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fail(http.StatusBadRequest, 50035, "Invalid Form Body")
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return fail(http.StatusRequestEntityTooLarge, 40005, "Request entity too large")
		}
		if part.FormName() == "payload_json" {
			if err := c.setBody(data); err != nil {
				return err
			}
			continue
		}
		if m := fileField.FindStringSubmatch(part.FormName()); m != nil {
			n, _ := strconv.Atoi(m[1])
			c.files = append(c.files, upload{n, part.FileName(), part.Header.Get("Content-Type"), data})
		}
	}
}

// form is the JSON object of a request. Reading a field of the wrong type adds
// a mistake.
type form struct {
	fields map[string]json.RawMessage
	*mistakes
}

func (c *call) form() (form, error) { return parseForm(c.body) }

func parseForm(raw json.RawMessage) (form, error) {
	f := form{fields: map[string]json.RawMessage{}, mistakes: &mistakes{}}
	if len(raw) == 0 || string(raw) == "null" {
		return f, nil
	}
	if err := json.Unmarshal(raw, &f.fields); err != nil {
		f.add("_", "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
		return f, f.err()
	}
	return f, nil
}

// has tells whether a field was sent, also as null.
func (f form) has(name string) bool {
	_, ok := f.fields[name]
	return ok
}

// read fills a field of the form into a value; a missing one and null leave it.
func (f form) read(name string, into any) {
	raw := f.fields[name]
	if len(raw) == 0 {
		return
	}
	if err := json.Unmarshal(raw, into); err != nil {
		f.add(name, "BASE_TYPE_CONVERT", "Value has the wrong type: %v", err)
	}
}

func (f form) text(name string) string {
	var v string
	f.read(name, &v)
	return v
}

func (f form) number(name string) int {
	var v int
	f.read(name, &v)
	return v
}

func (f form) objects(name string) []object {
	var v []object
	f.read(name, &v)
	return v
}

// words reads a text out of an object that came as JSON.
func words(o object, name string) string {
	v, _ := o[name].(string)
	return v
}

// whole reads a number out of an object that came as JSON.
func whole(o object, name string) int {
	switch v := o[name].(type) {
	case float64:
		return int(v)
	case int:
		return v
	}
	return 0
}

// list reads a list of objects out of an object that came as JSON.
func list(o object, name string) []object {
	if v, ok := o[name].([]object); ok {
		return v
	}
	raw, _ := o[name].([]any)
	var out []object
	for _, v := range raw {
		if x, ok := v.(object); ok {
			out = append(out, x)
		}
	}
	return out
}
