package modeltest

import (
	"fmt"
	"io"
	"net/http"
)

// player sends one reply as a stream.
type player struct {
	w      http.ResponseWriter
	hr     *http.Request
	server *Server
	reply  Reply
}

func (p *player) run(chunks []string) {
	for _, raw := range p.reply.Raw {
		if p.write(raw) != nil {
			return
		}
	}
	for n := 0; ; n++ {
		if p.fault(n) {
			return
		}
		if n >= len(chunks) && !p.reply.Endless {
			break
		}
		if !p.server.wait(p.hr, p.reply.ChunkDelayMS) {
			return
		}
		select {
		case <-p.server.stopping:
			return
		default:
		}
		if p.send(p.pick(chunks, n)) != nil {
			return
		}
	}
	if !p.reply.NoDone {
		// The client may have gone away with everything it needed.
		_ = p.send("[DONE]")
	}
}

// pick repeats the last content chunk of an endless reply; the finish chunk
// behind it is never reached.
func (p *player) pick(chunks []string, n int) string {
	if !p.reply.Endless {
		return chunks[n]
	}
	return chunks[min(n, max(len(chunks)-2, 0))]
}

func (p *player) send(data string) error {
	return p.write(fmt.Sprintf("data: %s\n\n", data))
}

func (p *player) write(raw string) error {
	if _, err := io.WriteString(p.w, raw); err != nil {
		return err
	}
	return http.NewResponseController(p.w).Flush()
}

// fault plays the fault that is due after n chunks and reports whether the
// reply ends with it.
func (p *player) fault(n int) bool {
	due := func(at *int) bool { return at != nil && *at == n }
	switch {
	case due(p.reply.CutAfter):
		// The connection is dropped without the end mark of the body.
		if conn, _, err := http.NewResponseController(p.w).Hijack(); err == nil {
			conn.Close()
		}
		return true
	case due(p.reply.HangAfter):
		select {
		case <-p.hr.Context().Done():
		case <-p.server.stopping:
		}
		return true
	case due(p.reply.GarbageAfter):
		_ = p.send(`{"choices": [{"delta": {"content": "bro`)
	case due(p.reply.ErrorAfter):
		_ = p.send(errorBody("the engine failed"))
		return true
	}
	return false
}
