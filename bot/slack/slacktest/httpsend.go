package slacktest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// post delivers over HTTP and takes a 200 for the ack. The mutex is not held.
func (s *Server) post(d *delivery, address, secret string, attempt int, reason string) (string, bool) {
	body, kind := d.body()
	a := Attempt{Reason: reason, Sent: s.clock.Now()}
	header := Sign(secret, body, time.Now())
	header.Set("Content-Type", kind)
	if attempt > 0 {
		header.Set("X-Slack-Retry-Num", strconv.Itoa(attempt))
		header.Set("X-Slack-Retry-Reason", reason)
	}
	if d.rule != nil && d.rule.Drop && attempt == 0 {
		a.Error = "lost on the way"
		s.note(d, a)
		return "http_timeout", false
	}
	start := time.Now()
	status, answer, noRetry, err := s.request(address, header, body)
	a.Status = status
	if err != nil {
		a.Error = err.Error()
	}
	if status == http.StatusOK && err == nil {
		a.Latency = max(time.Since(start), 1)
	}
	s.note(d, a)
	switch {
	case a.Latency > 0:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.finish(d, "", start, answer)
		s.touch()
		return "", true
	case errors.Is(err, context.DeadlineExceeded):
		return "http_timeout", false
	case err != nil:
		return "connection_failed", false
	}
	if noRetry {
		s.mu.Lock()
		d.Lost = true
		s.mu.Unlock()
	}
	return "http_error", false
}

// stopped tells whether the app forbade more tries.
func (s *Server) stopped(d *delivery) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return d.Lost
}

func (s *Server) request(address string, header http.Header, body []byte) (int, json.RawMessage, bool, error) {
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	timeout := s.clock.Now().Add(s.options.ackTimeout)
	s.runUnlocked(func() {
		if s.clock.Until(ctx, timeout) {
			cancel(context.DeadlineExceeded)
		}
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, nil, false, err
	}
	req.Header = header
	resp, err := s.client.Do(req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return 0, nil, false, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if len(answer) > 0 && !json.Valid(answer) {
		answer = rawOf(object{"text": string(answer)}) // a bare text is a message
	}
	return resp.StatusCode, answer, resp.Header.Get("X-Slack-No-Retry") == "1", err
}

// body is the delivery as it goes over HTTP: JSON for events, forms for the rest.
func (d *delivery) body() ([]byte, string) {
	const form = "application/x-www-form-urlencoded"
	switch d.Type {
	case "interactive":
		return []byte(url.Values{"payload": {string(d.Payload)}}.Encode()), form
	case "slash_commands":
		var fields object
		_ = json.Unmarshal(d.Payload, &fields) // it was made from an object
		values := url.Values{}
		for k := range fields {
			values.Set(k, params(fields).str(k))
		}
		return []byte(values.Encode()), form
	}
	return d.Payload, "application/json"
}
