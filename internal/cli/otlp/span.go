// Package otlp sends traces to an OpenTelemetry collector: OTLP over HTTP in its JSON
// form, as the protocol's specification 1.x describes it. OpenTelemetry's own library
// does the same and much more; with its exporter the program would be 1.6 MB larger.
package otlp

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind says which side of a call a span is.
type Kind int

// The kinds of spans, by the protocol's numbers.
const (
	Internal Kind = 1
	Server   Kind = 2
	Client   Kind = 3
)

// Attribute is one fact of a span. Value is a string, a bool, an int or a float64;
// nothing else is sent.
type Attribute struct {
	Key   string
	Value any
}

// Span is a stretch of work with what was done in it.
type Span struct {
	Name       string
	Kind       Kind
	Start, End time.Time
	Attributes []Attribute
	Failed     string // why it failed, "" if it did not
	Children   []Span
}

// Trace is a span of the top with its id, which names it in the collector.
type Trace struct {
	ID [16]byte
	Span
}

// The wire, as far as it is used. Ids are hexadecimal and 64-bit numbers are text.
type (
	wireRequest struct {
		Resources []wireResource `json:"resourceSpans"`
	}
	wireResource struct {
		Resource struct {
			Attributes []wireAttribute `json:"attributes"`
		} `json:"resource"`
		Scopes []wireScope `json:"scopeSpans"`
	}
	wireScope struct {
		Scope struct {
			Name    string `json:"name"`
			Version string `json:"version,omitempty"`
		} `json:"scope"`
		Spans []wireSpan `json:"spans"`
	}
	wireSpan struct {
		Trace      string          `json:"traceId"`
		ID         string          `json:"spanId"`
		Parent     string          `json:"parentSpanId,omitempty"`
		Name       string          `json:"name"`
		Kind       Kind            `json:"kind"`
		Start      string          `json:"startTimeUnixNano"`
		End        string          `json:"endTimeUnixNano"`
		Attributes []wireAttribute `json:"attributes,omitempty"`
		Status     *wireStatus     `json:"status,omitempty"`
	}
	wireStatus struct {
		Message string `json:"message,omitempty"`
		Code    int    `json:"code"`
	}
	wireAttribute struct {
		Key   string         `json:"key"`
		Value map[string]any `json:"value"`
	}
)

const statusError = 2

// spans lays a trace out flat. Span ids count from the trace's own, so that the same
// trace always has the same.
func (t Trace) spans() []wireSpan {
	var out []wireSpan
	var lay func(s Span, parent string)
	lay = func(s Span, parent string) {
		id := spanID(t.ID, len(out))
		w := wireSpan{
			Trace: hex.EncodeToString(t.ID[:]), ID: id, Parent: parent, Name: valid(s.Name), Kind: s.Kind,
			Start: nanos(s.Start), End: nanos(s.End), Attributes: wireAttributes(s.Attributes),
		}
		if s.Failed != "" {
			w.Status = &wireStatus{Message: valid(s.Failed), Code: statusError}
		}
		out = append(out, w)
		for _, c := range s.Children {
			lay(c, id)
		}
	}
	lay(t.Span, "")
	return out
}

func spanID(trace [16]byte, n int) string {
	id := slices.Clone(trace[8:])
	id[6], id[7] = id[6]^byte((n+1)>>8), id[7]^byte(n+1)
	if slices.Max(id) == 0 { // which stands for none
		id[0] = 1
	}
	return hex.EncodeToString(id)
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func wireAttributes(all []Attribute) []wireAttribute {
	var out []wireAttribute
	for _, a := range all {
		var v map[string]any
		switch x := a.Value.(type) {
		case string:
			v = map[string]any{"stringValue": valid(x)}
		case bool:
			v = map[string]any{"boolValue": x}
		case int:
			v = map[string]any{"intValue": strconv.Itoa(x)}
		case float64:
			v = map[string]any{"doubleValue": x}
		default:
			continue
		}
		out = append(out, wireAttribute{a.Key, v})
	}
	return out
}

// mostText bounds each text, in bytes: errors may quote what a server sent.
const mostText = 1024

func valid(s string) string {
	if len(s) > mostText {
		s = s[:mostText]
	}
	return strings.ToValidUTF8(s, "")
}
