package slacktest

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
)

const maxBody = 8 << 20 // bytes of one request

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/{method}", s.serveAPI)
	mux.HandleFunc("GET /link", s.serveSocket)
	mux.HandleFunc("POST /response/{id}", s.serveResponseURL)
	mux.HandleFunc("POST /upload/{id}", s.serveUpload)
	mux.HandleFunc("GET /files-pri/{id}/{name}", s.serveDownload)
	mux.HandleFunc("GET /{$}", s.serveSignIn)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.enter() {
			http.Error(w, "the server is closing", http.StatusServiceUnavailable)
			return
		}
		defer s.wg.Done()
		mux.ServeHTTP(w, r)
	})
}

// enter counts one more request that Close waits for. The mutex is not held.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.wg.Add(1)
	return true
}

// serveAPI is one call of the Web API. The mutex is not held.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("method")
	params, secret, err := readParams(r)
	if err != nil {
		writeJSON(w, http.StatusOK, object{"ok": false, "error": "invalid_form_data"})
		return
	}
	fault := s.takeFault(name, params)
	if fault != nil && !fault.After && s.play(w, r, fault) {
		return
	}
	status, header, body := s.answer(name, secret, params)
	if fault != nil && fault.After && s.play(w, r, fault) {
		return
	}
	for k, v := range header {
		w.Header().Set(k, v)
	}
	writeJSON(w, status, body)
}

// serveSignIn is the page that a download without access is sent to.
func (s *Server) serveSignIn(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, "<!DOCTYPE html><title>Sign in | Slack</title>")
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}

// reset cuts the connection of a request so that the client sees a reset and
// no answer.
func reset(w http.ResponseWriter) {
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		return
	}
	cut(conn)
}

func cut(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// bearer is the token in the Authorization header.
func bearer(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}
