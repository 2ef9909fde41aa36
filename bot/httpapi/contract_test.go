package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

// contract is docs/openapi.yaml.
type contract struct {
	router routers.Router
	event  *openapi3.Schema
	raw    string
}

var readContract = sync.OnceValues(func() (*contract, error) {
	const path = "../../docs/openapi.yaml"
	doc, err := openapi3.NewLoader().LoadFromFile(path)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	doc.Servers = nil // tests listen elsewhere
	router, err := legacy.NewRouter(doc)
	return &contract{router, doc.Components.Schemas["Event"].Value, string(raw)}, err
})

// checked is a transport that holds what goes through it against the contract:
// every response, and the requests that a client of good will sends.
type checked struct {
	t       *testing.T
	hostile bool // requests may break the contract; responses may not
	seen    *sync.Map
}

func (c checked) RoundTrip(r *http.Request) (*http.Response, error) {
	spec, err := readContract()
	if err != nil {
		return nil, err
	}
	route, params, err := spec.router.FindRoute(r)
	if err != nil && !c.hostile {
		c.t.Errorf("%s %s is not in the contract: %v", r.Method, r.URL.Path, err)
	}
	in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true, SkipSettingDefaults: true}}
	if err == nil && !c.hostile {
		if err := openapi3filter.ValidateRequest(r.Context(), in); err != nil {
			c.t.Errorf("request %s %s: %v", r.Method, r.URL.Path, err)
		}
	}
	resp, tripErr := http.DefaultTransport.RoundTrip(r)
	if tripErr != nil {
		return nil, tripErr
	}
	if resp.Header.Get("X-Request-Id") == "" {
		c.t.Errorf("%s %s: no request id", r.Method, r.URL.Path)
	}
	if err == nil {
		c.seen.Store(route.Operation.OperationID+" "+resp.Status[:3], true)
		resp.Body = &witness{c: c, spec: spec, in: in, resp: resp, from: resp.Body}
	}
	return resp, nil
}

// witness checks a response when its body has been read.
type witness struct {
	c    checked
	spec *contract
	in   *openapi3filter.RequestValidationInput
	resp *http.Response
	from io.ReadCloser
	got  bytes.Buffer
	done bool
}

func (w *witness) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	w.got.Write(p[:n])
	if err == io.EOF && !w.done {
		w.done = true
		w.check()
	}
	return n, err
}

func (w *witness) Close() error { return w.from.Close() }

func (w *witness) check() {
	where := w.in.Request.Method + " " + w.in.Request.URL.Path
	stream := strings.HasPrefix(w.resp.Header.Get("Content-Type"), ndjson)
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: w.in, Status: w.resp.StatusCode, Header: w.resp.Header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: stream}}
	out.SetBodyBytes(w.got.Bytes())
	if err := openapi3filter.ValidateResponse(w.in.Request.Context(), out); err != nil {
		w.c.t.Errorf("response %d to %s: %v", w.resp.StatusCode, where, err)
	}
	if !stream {
		return
	}
	for line := range strings.Lines(w.got.String()) {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			w.c.t.Errorf("event of %s: %v in %q", where, err, line)
		} else if err := w.spec.event.VisitJSON(v); err != nil {
			w.c.t.Errorf("event of %s: %v", where, err)
		}
	}
}
