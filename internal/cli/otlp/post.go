package otlp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	shortestSecret = 6   // bytes of a header's word that is not quoted
	mostQuoted     = 300 // bytes of what a collector, or something in its place, says
)

// post tells after how long to try again, negative for not at all.
func (e *Exporter) post(ctx context.Context, body []byte) (after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return -1, err
	}
	req.Header.Set("Content-Type", "application/json")
	for k, v := range e.opts.Headers {
		req.Header.Set(k, v)
	}
	resp, err := e.opts.Client.Do(req)
	if err != nil { // which may quote all that came
		return 0, errors.New(e.quoted(err.Error()))
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, mostText)) // only to be quoted
	status := e.quoted(resp.Status)
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return retryAfter(resp.Header.Get("Retry-After"), time.Now()), fmt.Errorf("the collector answers %s", status)
	}
	if resp.StatusCode/100 != 2 {
		return -1, fmt.Errorf("the collector answers %s: %q", status, e.quoted(string(answer)))
	}
	return -1, e.refused(answer)
}

// retryAfter is how long a collector asks to be left alone, as seconds or as a date.
func retryAfter(header string, now time.Time) time.Duration {
	if at, err := http.ParseTime(header); err == nil {
		return max(0, at.Sub(now))
	}
	seconds, _ := strconv.Atoi(header) // the largest number where it is too large
	return time.Duration(min(max(0, seconds), int(longestPause/time.Second))) * time.Second
}

// refused tells of spans that a collector refused although it took the request. They
// must not be sent again.
func (e *Exporter) refused(answer []byte) error {
	var r struct {
		PartialSuccess struct {
			RejectedSpans json.Number `json:"rejectedSpans"` // a number or one in quotes
			ErrorMessage  string      `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(answer, &r) != nil { // nothing was said that counts
		return nil
	}
	n := cmp.Or(string(r.PartialSuccess.RejectedSpans), "0")
	if n == "0" {
		return nil
	}
	return fmt.Errorf("the collector refused %s spans: %q", n, e.quoted(r.PartialSuccess.ErrorMessage))
}

// quoted is what others say as it may stand in a log: short and without what is
// secret, as some quote the key that they refuse.
func (e *Exporter) quoted(said string) string {
	for _, value := range e.opts.Headers {
		for _, word := range append(strings.Fields(value), value) {
			if len(word) >= shortestSecret {
				said = strings.ReplaceAll(said, word, "…")
			}
		}
	}
	if len(said) > mostQuoted {
		said = said[:mostQuoted] + "…"
	}
	return strings.ToValidUTF8(said, "")
}
