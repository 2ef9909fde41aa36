package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core"
)

// readBody reads the request's JSON object into the struct that v points at.
// Fields that the struct does not have are errors, so that a typing mistake does
// not pass in silence. An empty body is an empty object where that is allowed.
func readBody(w http.ResponseWriter, r *http.Request, v any, mayBeEmpty bool) error {
	if r.ContentLength > maxBody {
		return errTooLarge // before the client has sent all of it
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	switch {
	case tooLarge(err):
		return errTooLarge
	case err != nil:
		return core.Wrap(core.KindInvalid, err, "The request's body could not be read to its end; send it again.")
	case len(raw) == 0 && mayBeEmpty:
		return nil
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return withStatus(http.StatusUnsupportedMediaType, core.KindInvalid, "The request's body must be JSON; send the header Content-Type: application/json.")
	}
	return decode(raw, v)
}

// tooLarge tells that a body was cut at its limit.
func tooLarge(err error) bool {
	var cut *http.MaxBytesError
	return errors.As(err, &cut)
}

var errTooLarge = core.Errorf(core.KindTooLarge, "The request's body is larger than %d KiB; send less.", maxBody>>10)

func decode(raw []byte, v any) error {
	if !utf8.Valid(raw) {
		return core.Errorf(core.KindInvalid, "The request's body is not valid UTF-8.")
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return core.Errorf(core.KindInvalid, "The request's body holds more than one JSON object; send one.")
		}
		return nil
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		if wrong.Field == "" {
			return core.Errorf(core.KindInvalid, "The request's body must be a JSON object, not %s.", wrong.Value)
		}
		return core.Errorf(core.KindInvalid, "The field %q must be %s, not %s.", wrong.Field, typeName(wrong.Type.Kind().String()), wrong.Value)
	}
	if _, name, ok := strings.Cut(err.Error(), "unknown field "); ok {
		return core.Errorf(core.KindInvalid, "The field %s is not known here; docs/openapi.yaml lists the fields.", name)
	}
	return core.Errorf(core.KindInvalid, "The request's body is not valid JSON%s.", spot(err, d))
}

func typeName(kind string) string {
	switch kind {
	case "string":
		return "text"
	case "bool":
		return "true or false"
	case "int":
		return "a whole number"
	}
	return "a JSON " + kind
}

// spot says where in the body the mistake is.
func spot(err error, d *json.Decoder) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf(" (at byte %d)", syntax.Offset)
	}
	return fmt.Sprintf(" (it ends too soon, at byte %d)", d.InputOffset())
}

// text checks a field that holds words.
func text(field, value string, most int) error {
	switch {
	case strings.TrimSpace(value) == "":
		return core.Errorf(core.KindInvalid, "The field %q is missing or empty.", field)
	case strings.ContainsRune(value, 0):
		return core.Errorf(core.KindInvalid, "The field %q holds a NUL character.", field)
	case len(value) > most:
		return core.Errorf(core.KindTooLarge, "The field %q is longer than %d bytes; send less.", field, most)
	}
	return nil
}
