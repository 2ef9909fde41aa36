package typesensetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

// module is where the client and its document come from.
const module = "github.com/typesense/typesense-go/v2"

// contract is the document, loaded once.
var contract = sync.OnceValues(func() (routers.Router, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return nil, errors.New("the module " + module + " cannot be found: " + err.Error())
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromFile(filepath.Join(strings.TrimSpace(string(out)), "typesense", "api", "generator", "openapi.yml"))
	if err != nil {
		return nil, err
	}
	mend(doc)
	return legacy.NewRouter(doc, openapi3.DisableExamplesValidation())
})

// mend corrects what the document itself contradicts: by its schema all values of a
// found record are objects, in its own example they are strings and numbers.
func mend(doc *openapi3.T) {
	hit := doc.Components.Schemas["SearchResultHit"].Value
	hit.Properties["document"].Value.AdditionalProperties = openapi3.AdditionalProperties{}
}

// checked holds what comes and goes against the document.
func (s *Server) checked(next http.Handler) http.Handler {
	router, err := contract()
	if err != nil {
		s.t.Fatalf("the OpenAPI document of the client's module: %v", err)
	}
	options := &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true, SkipSettingDefaults: true}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has left
		}
		if trouble := s.note(r); trouble != nil {
			if status, text := trouble(r); status != 0 {
				write(w, status, message{text})
				return
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		route, params, err := router.FindRoute(r)
		if err != nil {
			s.t.Errorf("%s %s is not in the document: %v", r.Method, r.URL.Path, err)
			write(w, http.StatusNotFound, message{"Not Found"})
			return
		}
		in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, Options: options}
		if err := openapi3filter.ValidateRequest(r.Context(), in); err != nil {
			s.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		}
		s.checkNames(r, route.Operation, body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if r.Header.Get(keyHeader) != Key {
			write(w, http.StatusUnauthorized, message{"Forbidden - a valid `x-typesense-api-key` header must be sent."})
			return
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		resp := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: answer.Code, Header: answer.Header(), Options: options}
		if err := openapi3filter.ValidateResponse(r.Context(), resp.SetBodyBytes(answer.Body.Bytes())); err != nil {
			s.t.Errorf("%s %s, the response %d: %v", r.Method, r.URL.Path, answer.Code, err)
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		w.Write(answer.Body.Bytes()) //nolint:errcheck // the client has left
	})
}

// checkNames fails where a parameter or a key of the body has a name that is not in
// the document, which validation lets pass.
func (s *Server) checkNames(r *http.Request, op *openapi3.Operation, body []byte) {
	var names []string
	for _, p := range op.Parameters {
		if p.Value.In != openapi3.ParameterInQuery {
			continue
		}
		names = append(append(names, p.Value.Name), slices.Collect(maps.Keys(properties(p.Value.Schema)))...)
	}
	for name := range r.URL.Query() {
		if !slices.Contains(names, name) {
			s.t.Errorf("%s %s: the parameter %q is not in the document", r.Method, r.URL.Path, name)
		}
	}
	if op.RequestBody == nil {
		return
	}
	media := op.RequestBody.Value.Content.Get("application/json")
	var v any
	if media == nil || json.Unmarshal(body, &v) != nil {
		return
	}
	for _, name := range unknown(media.Schema, v) {
		s.t.Errorf("%s %s: the key %q is not in the document", r.Method, r.URL.Path, name)
	}
}

// known remembers the properties of schemas, which never change.
var known sync.Map

// properties of a schema, those of its parts among them.
func properties(ref *openapi3.SchemaRef) map[string]*openapi3.SchemaRef {
	if ref == nil {
		return nil
	}
	if out, ok := known.Load(ref); ok {
		return out.(map[string]*openapi3.SchemaRef)
	}
	out := maps.Clone(ref.Value.Properties)
	if out == nil {
		out = openapi3.Schemas{}
	}
	for _, part := range ref.Value.AllOf {
		maps.Copy(out, properties(part))
	}
	known.Store(ref, map[string]*openapi3.SchemaRef(out))
	return out
}

// unknown names the keys that a value has and its schema does not. A schema without
// properties takes any.
func unknown(ref *openapi3.SchemaRef, v any) (out []string) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			if ref.Value.Items != nil {
				out = append(out, unknown(ref.Value.Items, one)...)
			}
		}
	case map[string]any:
		known := properties(ref)
		if len(known) == 0 {
			return nil
		}
		for name, value := range v {
			if known[name] == nil {
				out = append(out, name)
				continue
			}
			out = append(out, unknown(known[name], value)...)
		}
	}
	return out
}
