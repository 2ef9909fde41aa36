package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// result is the outcome of one attempt.
type result struct {
	reply      Reply
	err        error
	started    bool // a chunk with content arrived
	callback   bool // err is the caller's own
	malformed  bool // the server sent something that is no chunk
	cut        bool // the connection ended in mid-reply
	status     int  // of a refusal; 0 if the request was accepted or never answered
	message    string
	retryAfter time.Duration
	location   string // where a redirect points
}

// attempt sends the request once and reads the reply to its end.
func (c *Client) attempt(ctx context.Context, req Request, started time.Time, each func(Delta) error) result {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d := c.door(cancel, "/chat/completions")
	stream, err := c.library(d).CreateChatCompletionStream(ctx, c.wire(req))
	if err != nil {
		return d.failure(ctx, err)
	}
	defer stream.Close()
	s := &reading{client: c, request: req, each: each, started: started}
	s.open()
	s.run(stream.RecvRaw)
	return s.end(ctx, d.watch)
}

// cause prefers our own reason for a cancelled request to the transport's.
func cause(ctx context.Context, err error) error {
	if own := context.Cause(ctx); own != nil && err != nil {
		return own
	}
	return err
}

// reading is one reply while it arrives.
type reading struct {
	client  *Client
	request Request
	each    func(Delta) error
	started time.Time
	chosen  bool // a chunk of the right form arrived
	plain   plain
	bare    chunk // of a plain one

	think     thinkFilter
	calls     callBuilder
	filter    textFilter
	text      strings.Builder
	reasoning strings.Builder
	out       result
}

func (s *reading) open() {
	native := !s.client.cfg.TextTools && !s.client.quirks.Load().noTools
	s.filter = newTextFilter(native, s.request)
}

// run reads chunks until the stream ends, one way or another.
func (s *reading) run(next func() ([]byte, error)) {
	for {
		raw, err := next()
		if err != nil {
			if err != io.EOF {
				s.out.err = err
				s.out.cut = true
			}
			return
		}
		ch, err := s.decode(raw)
		if err != nil {
			s.out.err = fmt.Errorf("chunk of %d bytes: %w", len(raw), err)
			s.out.malformed = true
			return
		}
		if text := ch.errorMessage(); text != "" {
			s.out.err, s.out.message = errInStream, text
			return
		}
		if err := s.take(ch); err != nil {
			s.out.err, s.out.callback = err, true
			return
		}
	}
}

// decode reads a chunk, which is good until the next one.
func (s *reading) decode(raw []byte) (*chunk, error) {
	text, ok := s.plain.read(raw)
	if !ok {
		var ch chunk
		return &ch, json.Unmarshal(raw, &ch)
	}
	if s.bare.Choices == nil {
		s.bare = plainChunk()
	}
	s.bare.Choices[0].Delta.Content.text = text
	return &s.bare, nil
}

// take adds a chunk to the reply. Errors are the caller's own.
func (s *reading) take(ch *chunk) error {
	reply := &s.out.reply
	if ch.Usage != nil {
		reply.Usage.PromptTokens = int(ch.Usage.Prompt)
		reply.Usage.CompletionTokens = int(ch.Usage.Completion)
	}
	if len(ch.Choices) == 0 {
		return nil
	}
	s.chosen = true
	choice := ch.Choices[0]
	if choice.Finish.text != "" {
		reply.Finish = choice.Finish.text
	}
	delta := choice.Delta
	if delta == nil {
		delta = choice.Message
	}
	if delta == nil {
		return nil
	}
	for i, call := range delta.ToolCalls {
		if choice.Message != nil && call.Index == nil {
			at := count(i)
			call.Index = &at
		}
		s.calls.add(call)
		s.begin()
	}
	text, thought := s.think.write(delta.text())
	if err := s.send(Delta{Reasoning: delta.reasoning(s.client.profile.ReasoningField) + thought}); err != nil {
		return err
	}
	if text != "" {
		s.begin()
	}
	return s.send(Delta{Text: s.filter.write(text)})
}

func (s *reading) begin() {
	if !s.out.started {
		s.out.started = true
		s.out.reply.First = time.Since(s.started)
	}
}

func (s *reading) send(d Delta) error {
	if d.Text == "" && d.Reasoning == "" {
		return nil
	}
	s.begin()
	s.text.WriteString(d.Text)
	s.reasoning.WriteString(d.Reasoning)
	return s.each(d)
}

// end settles the reply: what the filter held back, the calls, and whether the
// server finished what it began.
func (s *reading) end(ctx context.Context, w *watch) result {
	begun := s.filter.write(s.think.close())
	held, found := s.filter.close()
	if err := s.flush(begun + held); err != nil && s.out.err == nil {
		s.out.err, s.out.callback = err, true
	}
	s.out.reply.Text, s.out.reply.Reasoning = s.text.String(), s.reasoning.String()
	s.out.reply.Calls = s.calls.calls()
	if len(s.out.reply.Calls) == 0 {
		s.out.reply.Calls = found
	}
	if len(s.out.reply.Calls) == 0 && strings.TrimSpace(s.out.reply.Text) == "" {
		s.out.reply.Calls = s.filter.inReasoning(s.out.reply.Reasoning)
	}
	switch {
	case s.out.err != nil || s.chosen || !w.finished():
	case w.wasJSON:
		s.out.err, s.out.malformed = errNotChat, true
	default:
		s.out.err = errEmpty
	}
	if s.out.err == nil && !w.finished() && s.out.reply.Finish == "" {
		s.out.err, s.out.cut = io.ErrUnexpectedEOF, true
	}
	if s.out.err != nil && !s.out.callback {
		// Half a call must not run.
		s.out.reply.Calls = nil
		s.out.err = cause(ctx, s.out.err)
	}
	return s.out
}

func (s *reading) flush(held string) error {
	if s.out.callback {
		return nil
	}
	return s.send(Delta{Text: held})
}
