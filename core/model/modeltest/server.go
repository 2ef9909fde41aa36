package modeltest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server plays a script. Stop it with Close.
type Server struct {
	URL string // base URL, with /v1

	script   Script
	http     *httptest.Server
	stopping chan struct{}
	stop     sync.Once

	mu       sync.Mutex
	next     int
	faults   int
	batches  []int
	requests []*Request
}

// Request is one chat request as it arrived.
type Request struct {
	Header http.Header
	Body   []byte
	Chat   Chat

	done   chan struct{}
	closed bool
	ended  time.Time
}

// Chat is the part of a request that tests look at.
type Chat struct {
	Model      string          `json:"model"`
	Stream     bool            `json:"stream"`
	Messages   []Message       `json:"messages"`
	Tools      []Tool          `json:"tools"`
	ToolChoice json.RawMessage `json:"tool_choice"`
	MaxTokens  int             `json:"max_tokens"`
	Completion int             `json:"max_completion_tokens"`
	Options    *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// Message is one message of the context that the model saw.
type Message struct {
	Role       string   `json:"role"`
	Content    string   `json:"-"` // of a list of parts, the texts
	Images     []string `json:"-"` // of a list of parts, the addresses
	ToolCallID string   `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// UnmarshalJSON reads a message whose content is a text, null or a list of parts.
func (m *Message) UnmarshalJSON(raw []byte) error {
	type plain Message
	var content struct {
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(raw, (*plain)(m)); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &content); err != nil || content.Content == nil {
		return err
	}
	var parts []struct {
		Text  string `json:"text"`
		Image struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if json.Unmarshal(content.Content, &parts) != nil {
		return json.Unmarshal(content.Content, &m.Content)
	}
	for _, p := range parts {
		m.Content += p.Text
		if p.Image.URL != "" {
			m.Images = append(m.Images, p.Image.URL)
		}
	}
	return nil
}

// Tool is one tool definition that the model saw.
type Tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// Start serves the script on a loopback port.
func Start(script Script) *Server {
	s := &Server{script: script, stopping: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("POST /v1/embeddings", s.embeddings)
	mux.HandleFunc("/", s.page)
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL + "/v1"
	return s
}

// Close ends running replies and stops the server.
func (s *Server) Close() {
	s.stop.Do(func() { close(s.stopping) })
	s.http.CloseClientConnections()
	s.http.Close()
}

// Requests returns the chat requests so far, in order of arrival.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Closed waits until the reply has ended and tells whether the client ended it,
// and when. It reports false if the reply still runs when the context ends.
func (r *Request) Closed(ctx context.Context) (bool, time.Time) {
	select {
	case <-r.done:
		return r.closed, r.ended
	case <-ctx.Done():
		return false, time.Time{}
	}
}

func (s *Server) chat(w http.ResponseWriter, hr *http.Request) {
	body, err := io.ReadAll(hr.Body)
	if err != nil {
		return
	}
	req := &Request{Header: hr.Header, Body: body, done: make(chan struct{})}
	parseErr := json.Unmarshal(body, &req.Chat)
	s.mu.Lock()
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	defer func() {
		req.closed, req.ended = hr.Context().Err() != nil, time.Now()
		close(req.done)
	}()
	switch {
	case parseErr != nil:
		refuse(w, http.StatusBadRequest, "the request is not JSON: "+parseErr.Error())
	case !s.allowed(hr):
		refuse(w, http.StatusUnauthorized, "Incorrect API key provided: "+hr.Header.Get("Authorization"))
	default:
		s.play(w, hr, req)
	}
}

func (s *Server) allowed(hr *http.Request) bool {
	return s.script.Key == "" || hr.Header.Get("Authorization") == "Bearer "+s.script.Key || hr.Header.Get("api-key") == s.script.Key
}

// reply is what the script has for the request.
func (s *Server) reply(req *Request) (Reply, error) {
	if s.script.Think != nil {
		return s.script.Think(req.Chat), nil
	}
	return s.take(req.Body)
}

// take hands out the next reply of the script.
func (s *Server) take(body []byte) (Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next >= len(s.script.Replies) {
		return Reply{}, fmt.Errorf("the script has %d replies and this is request %d", len(s.script.Replies), len(s.requests))
	}
	r := s.script.Replies[s.next]
	var fields map[string]json.RawMessage
	if r.RefuseField != "" && json.Unmarshal(body, &fields) == nil && fields[r.RefuseField] != nil {
		return Reply{Status: http.StatusBadRequest, Body: errorBody(r.RefuseField + " is not supported")}, nil
	}
	s.next++
	return r, nil
}

func (s *Server) play(w http.ResponseWriter, hr *http.Request, req *Request) {
	r, err := s.reply(req)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	if !s.wait(hr, r.DelayMS) {
		return
	}
	w.Header().Set("Content-Type", r.contentType(req.Chat.Stream))
	for k, v := range r.Header {
		w.Header().Set(k, v)
	}
	switch {
	case r.Status != 0:
		if r.Body == "" {
			r.Body = errorBody(http.StatusText(r.Status))
		}
		w.WriteHeader(r.Status)
		io.WriteString(w, r.Body)
	case r.Plain || !req.Chat.Stream:
		io.WriteString(w, r.plain())
	default:
		p := player{w: w, hr: hr, server: s, reply: r}
		p.run(r.chunks(req.Chat.Options != nil && req.Chat.Options.IncludeUsage))
	}
}

func (r Reply) contentType(stream bool) string {
	if stream && !r.Plain && r.Status == 0 {
		return "text/event-stream"
	}
	return "application/json; charset=utf-8"
}

// wait reports false if the client or the server went away meanwhile.
func (s *Server) wait(hr *http.Request, ms int) bool {
	if ms == 0 {
		return hr.Context().Err() == nil
	}
	select {
	case <-time.After(time.Duration(ms) * time.Millisecond):
		return true
	case <-hr.Context().Done():
	case <-s.stopping:
	}
	return false
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	io.WriteString(w, errorBody(message))
}

func errorBody(message string) string {
	return line(object{"error": object{"message": message, "type": "invalid_request_error", "code": nil}})
}

// page serves a page of the script.
func (s *Server) page(w http.ResponseWriter, hr *http.Request) {
	body, ok := s.script.Pages[hr.URL.Path]
	if !ok || !s.allowed(hr) {
		refuse(w, http.StatusNotFound, "no such page")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, body)
}

func (s *Server) models(w http.ResponseWriter, hr *http.Request) {
	switch {
	case !s.allowed(hr):
		refuse(w, http.StatusUnauthorized, "Incorrect API key provided")
		return
	case s.script.Models == nil:
		s.page(w, hr)
		return
	}
	data := []object{}
	for _, name := range s.script.Models {
		data = append(data, object{"id": strings.TrimSpace(name), "object": "model"})
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, line(object{"object": "list", "data": data}))
}
