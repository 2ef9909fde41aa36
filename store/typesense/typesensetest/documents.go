package typesensetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
)

// line is the answer to one line of an import.
type line struct {
	Success  bool   `json:"success"`
	Code     int    `json:"code,omitempty"`
	Error    string `json:"error,omitempty"`
	Document string `json:"document,omitempty"`
}

func (s *Server) importDocuments(r *http.Request, body []byte) (int, any) {
	c := s.find(r.PathValue("name"))
	if c == nil {
		return lost()
	}
	var out bytes.Buffer
	for text := range bytes.SplitSeq(body, []byte("\n")) {
		answer := line{Success: true}
		code, reason := c.put(r.URL.Query().Get("action"), text)
		if s.refused != "" {
			code, reason = http.StatusUnprocessableEntity, s.refused
		}
		if reason != "" {
			answer = line{Code: code, Error: reason, Document: string(text)}
		}
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		b, err := json.Marshal(answer)
		if err != nil {
			return bad(err.Error())
		}
		out.Write(b)
	}
	return http.StatusOK, raw(out.Bytes())
}

// put takes one line in. Numbers stay as they were written.
func (c *collection) put(action string, text []byte) (code int, reason string) {
	values := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&values); err != nil {
		return http.StatusBadRequest, "Bad JSON."
	}
	id, ok := values["id"].(string)
	if !ok || id == "" {
		return http.StatusBadRequest, "Document's `id` field should be a string."
	}
	old, there := c.records[id]
	next := record{values: values, serial: c.serial}
	switch action {
	case "update":
		if !there {
			return http.StatusNotFound, "Could not find a document with id: " + id
		}
		next.values, next.serial = maps.Clone(old.values), old.serial
		maps.Copy(next.values, values)
	case "create":
		if there {
			return http.StatusConflict, "A document with id " + id + " already exists."
		}
	case "upsert":
	default:
		return http.StatusBadRequest, "Parameter `action` must be one of create, update, upsert."
	}
	for _, f := range c.Fields {
		if reason := f.check(next.values[f.Name]); reason != "" {
			return http.StatusBadRequest, reason
		}
	}
	c.serial++
	c.records[id] = next
	return http.StatusOK, ""
}

// check tells what is wrong with a value for the field, "" if nothing.
func (f field) check(v any) string {
	if v == nil {
		if f.Optional {
			return ""
		}
		return fmt.Sprintf("Field `%s` has been declared in the schema, but is not found in the document.", f.Name)
	}
	ok := false
	switch f.Type {
	case "string":
		_, ok = v.(string)
	case "bool":
		_, ok = v.(bool)
	case "int64":
		n, is := v.(json.Number)
		_, err := n.Int64()
		ok = is && err == nil
	case "string[]":
		_, ok = textsOf(v)
	case "float[]":
		vector, is := vectorOf(v)
		if is && f.NumDim > 0 && len(vector) != f.NumDim {
			return fmt.Sprintf("Field `%s` must have %d dimensions.", f.Name, f.NumDim)
		}
		ok = is
	}
	if !ok {
		return fmt.Sprintf("Field `%s` must be a %s.", f.Name, f.Type)
	}
	return ""
}

func textsOf(v any) ([]string, bool) {
	list, ok := v.([]any)
	out := make([]string, 0, len(list))
	for _, one := range list {
		t, is := one.(string)
		ok = ok && is
		out = append(out, t)
	}
	return out, ok
}

func vectorOf(v any) ([]float64, bool) {
	list, ok := v.([]any)
	out := make([]float64, 0, len(list))
	for _, one := range list {
		n, is := one.(json.Number)
		x, err := n.Float64()
		ok = ok && is && err == nil && !math.IsInf(x, 0)
		out = append(out, x)
	}
	return out, ok
}

func (s *Server) getDocument(r *http.Request, _ []byte) (int, any) {
	c := s.find(r.PathValue("name"))
	if c == nil {
		return lost()
	}
	d, ok := c.records[r.PathValue("id")]
	if !ok {
		return http.StatusNotFound, message{"Could not find a document with id: " + r.PathValue("id")}
	}
	return http.StatusOK, d.values
}

func (s *Server) deleteDocuments(r *http.Request, _ []byte) (int, any) {
	c := s.find(r.PathValue("name"))
	if c == nil {
		return lost()
	}
	text := r.URL.Query().Get("filter_by")
	if len(text) > mostQuery {
		return bad("Query string exceeds max allowed length of 4000. Use the /multi_search end-point for larger payloads.")
	}
	pass, err := c.filter(text)
	if err != nil {
		return bad(err.Error())
	}
	n := 0
	for id, d := range c.records {
		if pass(d.values) {
			delete(c.records, id)
			n++
		}
	}
	return http.StatusOK, map[string]int{"num_deleted": n}
}
